import { hash } from 'node:crypto'
import { type Dsn, envelopeUrl, securityUrl, storeUrl } from '../../lib/protocol/dsn'
import type { Endpoint } from '../../lib/protocol/record'
import type { SubmissionFacts } from '../spool/submission'
import { type Send, SendError } from './send'
import { answerText } from './words-of-answer'

export interface Posted {
  readonly status: number | null
  readonly error: string | null
  readonly rateLimits: string | null
  readonly retryAfter: string | null
  /** In its own words, cut at 4 KiB. */
  readonly answer: string | null
  readonly sha256: string
  /** No answer came, but the request may have arrived. */
  readonly maybeDelivered: boolean
}

/**
 * Posts a record, byte for byte, to the same kind of endpoint that it came in by. The address is built from
 * configuration alone; the envelope's own words about where it wants to go are never read. Redirects are not followed.
 */
export async function post(options: {
  readonly upstream: Dsn
  readonly endpoint: Endpoint
  readonly body: Uint8Array
  readonly facts: SubmissionFacts
  readonly send: Send
  readonly timeoutMs: number
  readonly signal: AbortSignal
}): Promise<Posted> {
  const { upstream, endpoint, body, facts, timeoutMs, signal } = options
  const sha256 = hash('sha256', body, 'hex')
  try {
    const { status, headers, bytes } = await options.send({
      url: urlFor(upstream, endpoint, facts),
      headers: headersFor(upstream, endpoint, facts),
      body,
      timeoutMs,
      signal,
    })
    return {
      status,
      error: null,
      rateLimits: headers['x-sentry-rate-limits'] ?? null,
      retryAfter: headers['retry-after'] ?? null,
      answer: await answerText(bytes, headers['content-encoding'] ?? null),
      sha256,
      maybeDelivered: false,
    }
  } catch (error) {
    return {
      status: null,
      error: explain(error),
      rateLimits: null,
      retryAfter: null,
      answer: null,
      sha256,
      maybeDelivered: !(error instanceof SendError) || error.connected,
    }
  }
}

function urlFor(upstream: Dsn, endpoint: Endpoint, facts: SubmissionFacts): string {
  if (endpoint === 'security') return securityUrl(upstream, facts.query ?? {})
  return endpoint === 'store' ? storeUrl(upstream) : envelopeUrl(upstream)
}

function contentTypeFor(endpoint: Endpoint, facts: SubmissionFacts): string {
  // What kind of report it is, its content type alone says.
  if (endpoint === 'security') return facts.contentType ?? 'application/json'
  return endpoint === 'store' ? 'application/json' : 'application/x-sentry-envelope'
}

function headersFor(upstream: Dsn, endpoint: Endpoint, facts: SubmissionFacts): Record<string, string> {
  const headers: Record<string, string> = { 'content-type': contentTypeFor(endpoint, facts) }
  // The key by header and by query are two authorizations, which Relay refuses.
  if (endpoint !== 'security')
    headers['x-sentry-auth'] = `Sentry sentry_key=${upstream.publicKey}, sentry_version=7, sentry_client=waystation/1`
  if (facts.userAgent !== null) headers['user-agent'] = facts.userAgent
  Object.assign(headers, facts.clientHints)
  if (facts.origin !== null) headers.origin = facts.origin
  if (facts.forwardedFor !== null) headers['x-forwarded-for'] = facts.forwardedFor
  return headers
}

function explain(error: unknown): string {
  if (!(error instanceof SendError)) return error instanceof Error ? error.message : String(error)
  if (error.why === 'aborted') return 'the collector stopped before an answer came'
  return error.why === 'timeout' ? error.message : `the connection failed: ${error.message}`
}
