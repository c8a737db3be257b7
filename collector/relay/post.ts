import { createHash } from 'node:crypto'
import { type Dsn, envelopeUrl, securityUrl, storeUrl } from '../../lib/protocol/dsn'
import type { Door } from '../../lib/protocol/record'
import type { SubmissionFacts } from '../spool/submission'

/** An answer is read this far and no further; what a person sees of it is shorter still. */
const MAX_ANSWER_BYTES = 64 * 1024
const SHOWN_ANSWER = 4096

export interface Posted {
  readonly status: number | null
  readonly error: string | null
  readonly rateLimits: string | null
  readonly retryAfter: string | null
  readonly answer: string | null
  readonly sha256: string
  /** No answer came, but the request may have arrived. */
  readonly maybeDelivered: boolean
}

/**
 * Posts a record, byte for byte, to the same kind of endpoint that it came in by. The address is built from configuration alone; the envelope's own words about where
 * it wants to go are never read. Redirects are not followed.
 */
export async function post(options: {
  readonly upstream: Dsn
  readonly door: Door
  readonly body: Uint8Array
  readonly facts: SubmissionFacts
  readonly fetch: typeof fetch
  readonly timeoutMs: number
  readonly signal: AbortSignal
}): Promise<Posted> {
  const { upstream, door, body, facts } = options
  const sha256 = createHash('sha256').update(body).digest('hex')
  try {
    const response = await options.fetch(urlFor(upstream, door, facts), {
      method: 'POST',
      body: body as Uint8Array<ArrayBuffer>,
      headers: headersFor(upstream, door, facts),
      redirect: 'manual',
      signal: AbortSignal.any([AbortSignal.timeout(options.timeoutMs), options.signal]),
    })
    return {
      status: response.status,
      error: null,
      rateLimits: response.headers.get('x-sentry-rate-limits'),
      retryAfter: response.headers.get('retry-after'),
      answer: await readAnswer(response),
      sha256,
      maybeDelivered: false,
    }
  } catch (error) {
    const { text, connected } = explain(error, options.timeoutMs)
    return {
      status: null,
      error: text,
      rateLimits: null,
      retryAfter: null,
      answer: null,
      sha256,
      maybeDelivered: connected,
    }
  }
}

function urlFor(upstream: Dsn, door: Door, facts: SubmissionFacts): string {
  if (door === 'security') return securityUrl(upstream, facts.query ?? {})
  return door === 'store' ? storeUrl(upstream) : envelopeUrl(upstream)
}

function contentTypeFor(door: Door, facts: SubmissionFacts): string {
  // What kind of report it is, its content type alone says.
  if (door === 'security') return facts.contentType ?? 'application/json'
  return door === 'store' ? 'application/json' : 'application/x-sentry-envelope'
}

function headersFor(upstream: Dsn, door: Door, facts: SubmissionFacts): Record<string, string> {
  return {
    'content-type': contentTypeFor(door, facts),
    // The key by header and by query are two authorizations, which Relay refuses.
    ...(door !== 'security' && {
      'x-sentry-auth': `Sentry sentry_key=${upstream.publicKey}, sentry_version=7, sentry_client=waystation/1`,
    }),
    ...(facts.userAgent !== null && { 'user-agent': facts.userAgent }),
    ...facts.clientHints,
    ...(facts.origin !== null && { origin: facts.origin }),
    ...(facts.forwardedFor !== null && { 'x-forwarded-for': facts.forwardedFor }),
  }
}

async function readAnswer(response: Response): Promise<string> {
  const reader = response.body?.getReader()
  if (reader === undefined) return ''
  const chunks: Uint8Array[] = []
  let size = 0
  while (size < MAX_ANSWER_BYTES) {
    const { done, value } = await reader.read()
    if (done) break
    chunks.push(value)
    size += value.length
  }
  await reader.cancel()
  return Buffer.concat(chunks).toString('utf8').slice(0, SHOWN_ANSWER)
}

/** Codes of a connection that was never made: nothing can have arrived. */
const NEVER_CONNECTED = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
])

function explain(error: unknown, timeoutMs: number): { text: string; connected: boolean } {
  if (!(error instanceof Error)) return { text: String(error), connected: true }
  if (error.name === 'TimeoutError') return { text: `no answer within ${timeoutMs / 1000} s`, connected: true }
  if (error.name === 'AbortError') return { text: 'the collector stopped before an answer came', connected: true }
  const cause: unknown = error.cause
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : null
  if (code !== null) return { text: `the connection failed: ${code}`, connected: !NEVER_CONNECTED.has(code) }
  return { text: cause instanceof Error ? cause.message : error.message, connected: true }
}
