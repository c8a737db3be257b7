import { RECEIPT_HEADER } from '../protocol/request'
import { fail, type Result, succeed } from '../protocol/result'

/** An answer of the tunnel; it becomes a `Response`, or the answer of an SDK transport. */
export interface TunnelAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** Set for an answer that the tunnel gave by itself, without asking the collector. */
  readonly byTunnel?: true
  /** Set when the lifeboat stored the envelope: the collector does not have it yet. */
  readonly isWaiting?: true
}

export function problem(
  status: number,
  detail: string,
  causes: readonly string[] = [],
  headers: Readonly<Record<string, string>> = {},
): TunnelAnswer {
  return {
    status,
    // A header is one line of printable ASCII.
    headers: { ...headers, 'x-sentry-error': detail.replace(/[^\x20-\x7e]/g, '?').slice(0, 500) },
    body: JSON.stringify({ detail, causes }),
    byTunnel: true,
  }
}

/** The answer when the lifeboat stored the envelope. */
export const accepted: TunnelAnswer = { status: 200, headers: {}, body: '{}', isWaiting: true }

export function toResponse(answer: TunnelAnswer): Response {
  // RFC 9110 §15.3.5: 204 and 205 have no content, and the Response constructor throws when given any.
  const body = answer.status === 204 || answer.status === 205 ? null : answer.body
  return new Response(body, {
    status: answer.status,
    headers: { ...answer.headers, ...(body !== null && { 'content-type': 'application/json' }) },
  })
}

const MAX_QUOTED_LENGTH = 80

export function quote(text: string): string {
  return JSON.stringify(text.length > MAX_QUOTED_LENGTH ? `${text.slice(0, MAX_QUOTED_LENGTH)}…` : text)
}

/** A body as it was received, still content-encoded, in a few blocks. */
export interface BodyBlocks {
  readonly blocks: readonly Uint8Array[]
  readonly byteLength: number
}

interface TunnelFetchInit extends RequestInit {
  readonly headers: Readonly<Record<string, string>>
  /** Node requires it for a streamed body. */
  readonly duplex: 'half'
}

/** The `fetch` function that the tunnel uses. */
export type TunnelFetch = (url: string, init: TunnelFetchInit) => Promise<Response>

/** A body for the collector: an envelope, or a request of OpenTelemetry. */
export interface TunnelEnvelope {
  readonly receipt: string
  /** The collector's path for it, with its query. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: BodyBlocks
}

/** Posts an envelope to the collector. Returns its final answer (2xx, 4xx), or why there is none. */
export type Post = (envelope: TunnelEnvelope) => Promise<Result<TunnelAnswer, string>>

/** @param token of the collector; `null` to send none */
export function createPost(collectorUrl: string, timeoutMs: number, fetch: TunnelFetch, token: string | null): Post {
  return async ({ receipt, path, headers, body }) => {
    const signal = AbortSignal.timeout(timeoutMs)
    try {
      const response = await fetch(`${collectorUrl}${path}`, {
        method: 'POST',
        headers: {
          // Otherwise Node sends the user agent `node` and its own list of encodings.
          'user-agent': 'waystation-tunnel',
          'accept-encoding': 'identity',
          ...headers,
          ...(token !== null && { authorization: `Bearer ${token}` }),
          'content-length': String(body.byteLength),
          [RECEIPT_HEADER]: receipt,
        },
        body: streamOf(body.blocks),
        duplex: 'half',
        signal,
        redirect: 'manual',
        credentials: 'omit',
        // Next patches fetch and would cache the answer.
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

/** A stream, because `fetch` copies a byte array, and a body has up to 20 MiB. */
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

/** The body of a longer answer is dropped. */
const MAX_ANSWER_BYTES = 64 * 1024

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

const RETURNED_HEADERS = ['x-sentry-rate-limits', 'retry-after', 'x-sentry-error'] as const

function answerFrom(response: Response, text: string | null): TunnelAnswer {
  const headers: Record<string, string> = {}
  for (const name of RETURNED_HEADERS) {
    const value = response.headers.get(name)
    if (value !== null) headers[name] = value
  }
  if (text !== null && isJson(text)) return { status: response.status, headers, body: text }
  if (response.ok) return { status: response.status, headers, body: '{}' }
  const content = text === null ? `more than ${MAX_ANSWER_BYTES} bytes` : 'a body that is not JSON'
  const refusal = problem(response.status, `the collector answered ${response.status} with ${content}`)
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

/**
 * In one line. `fetch` has the reason in `cause`; localhost with two addresses fails with an AggregateError without
 * message.
 */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if (error.cause instanceof Error) return reasonOf(error.cause)
  if (error instanceof AggregateError && error.errors.length > 0) return error.errors.map(reasonOf).join(', ')
  return error.message === '' ? error.name : error.message
}

/** After a failure the circuit stays open for this long; then one envelope tries. */
const OPEN_MS = 1000

export interface CollectorBreaker {
  /** Decides whether an envelope may go to the collector. After true, the caller must call `succeeded` or `failed`. */
  tryPass(): boolean
  succeeded(): void
  failed(cause: string): void
  /** The last failure while the circuit is open, else `null`. */
  cause(): string | null
}

/** Without it, each envelope would wait for the timeout of a dead collector. */
export function createCollectorBreaker(now: () => number, onChange: (cause: string | null) => void): CollectorBreaker {
  let failure: { readonly at: number; readonly cause: string } | null = null
  let isProbing = false
  return {
    tryPass() {
      if (failure === null) return true
      const elapsedMs = now() - failure.at
      // Negative after the clock was set back; waiting for it to catch up could take hours.
      if (isProbing || (elapsedMs >= 0 && elapsedMs < OPEN_MS)) return false
      isProbing = true
      return true
    },
    succeeded() {
      isProbing = false
      if (failure === null) return
      failure = null
      onChange(null)
    },
    failed(cause) {
      isProbing = false
      const wasClosed = failure === null
      failure = { at: now(), cause }
      if (wasClosed) onChange(cause)
    },
    cause: () => failure?.cause ?? null,
  }
}
