import { fail, type Result, succeed } from '../protocol/result'
import { type Answer, problem } from './answer'
import { RECEIPT_HEADER } from './pass-on'
import type { HeldBody } from './read-body'
import { reasonOf } from './reason'

/** So much of the collector's answer is read; a longer one is answered without its body. */
const MAX_ANSWER_BYTES = 64 * 1024

export interface TunnelFetchInit extends RequestInit {
  readonly headers: Readonly<Record<string, string>>
  /** Node wants it said that a streamed body is sent before the answer is read. */
  readonly duplex: 'half'
}

/** What the tunnel asks of `fetch`. */
export type TunnelFetch = (url: string, init: TunnelFetchInit) => Promise<Response>

export interface Posted {
  readonly receipt: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: HeldBody
}

export type Post = (envelope: Posted) => Promise<Result<Answer, string>>

/** Says what the collector does with an envelope: a final answer (2xx, 4xx), or why there is none. */
export function createPost(url: string, timeoutMs: number, fetch: TunnelFetch): Post {
  return async ({ receipt, headers, body }) => {
    const signal = AbortSignal.timeout(timeoutMs)
    try {
      const response = await fetch(url, {
        method: 'POST',
        headers: {
          // Without these Node writes a `node` and encodings of its own.
          'user-agent': 'waystation-tunnel',
          'accept-encoding': 'identity',
          ...headers,
          'content-length': String(body.byteLength),
          [RECEIPT_HEADER]: receipt,
        },
        body: streamOf(body.blocks),
        duplex: 'half',
        signal,
        redirect: 'manual',
        credentials: 'omit',
        // Next patches fetch, and would keep the answer.
        cache: 'no-store',
      })
      const isFinal = response.ok || (response.status >= 400 && response.status < 500)
      if (isFinal) return succeed(answerFrom(response, await readAnswer(response)))
      await response.body?.cancel()
      return fail(`the collector answered ${response.status}`)
    } catch (error) {
      return fail(signal.aborted ? `the collector gave no answer within ${timeoutMs} ms` : reasonOf(error))
    }
  }
}

/** A stream, because `fetch` copies a byte array, and twenty of twenty MiB are enough. */
function streamOf(blocks: readonly Uint8Array[]): ReadableStream<Uint8Array> {
  const rest = blocks.values()
  return new ReadableStream({
    pull(controller) {
      const next = rest.next()
      if (next.done) controller.close()
      else controller.enqueue(next.value)
    },
  })
}

async function readAnswer(response: Response): Promise<string | null> {
  if (response.body === null) return ''
  const reader = response.body.getReader()
  const parts: Uint8Array[] = []
  for (let length = 0; ; ) {
    const step = await reader.read()
    if (step.done) return Buffer.concat(parts).toString('utf8')
    length += step.value.byteLength
    if (length > MAX_ANSWER_BYTES) {
      await reader.cancel()
      return null
    }
    parts.push(step.value)
  }
}

const PASSED_BACK = ['x-sentry-rate-limits', 'retry-after', 'x-sentry-error'] as const

function answerFrom(response: Response, text: string | null): Answer {
  const headers: Record<string, string> = {}
  for (const name of PASSED_BACK) {
    const value = response.headers.get(name)
    if (value !== null) headers[name] = value
  }
  if (text !== null && isJson(text)) return { status: response.status, headers, body: text }
  if (response.ok) return { status: response.status, headers, body: '{}' }
  const said = text === null ? `more than ${MAX_ANSWER_BYTES} bytes` : 'something that is not JSON'
  const refusal = problem(response.status, `the collector answered ${response.status} with ${said}`)
  return { ...refusal, headers: { ...refusal.headers, ...headers } }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
