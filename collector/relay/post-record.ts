import { hash } from 'node:crypto'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import { readContentEncoding } from '../../lib/protocol/body'
import { envelopeUrl, otlpUrl, securityUrl, storeUrl, targetUrl } from '../../lib/protocol/dsn'
import { type Endpoint, isDirect, isOtlp, STAMP_HEADER } from '../../lib/protocol/request'
import type { SubmissionFacts } from '../../lib/protocol/submission'
import { isDsn, signalUrl, type UpstreamAddress } from '../../lib/protocol/upstream-address'
import { type Send, SendError } from './http-sender'

/** Characters of an answer that are stored for people. */
const STORED_ANSWER_CHARS = 4096
/** Enough bytes for that many characters of any kind. A compression bomb is inflated no further. */
const INFLATED_BYTES = STORED_ANSWER_CHARS * 4

const DECODERS = { gzip: createGunzip, deflate: createInflate, br: createBrotliDecompress }

export interface Posted {
  readonly status: number | null
  readonly error: string | null
  readonly rateLimits: string | null
  readonly retryAfter: string | null
  /** The stamp to which limits of the answer apply; `null` for all. */
  readonly limitsStamp: string | null
  readonly answer: string | null
  readonly sha256: string
  /** No answer came, but the request may have arrived. */
  readonly maybeDelivered: boolean
}

/**
 * Byte for byte, to the kind of endpoint that received it. The address comes from configuration alone; a DSN inside the
 * envelope is ignored. Redirects are not followed.
 */
export async function post(options: {
  readonly address: UpstreamAddress
  readonly endpoint: Endpoint
  readonly body: Uint8Array
  readonly facts: SubmissionFacts
  /** Sent to the stand-in alone; `null` for an upstream, which never receives it. */
  readonly stamp: string | null
  readonly send: Send
  readonly timeoutMs: number
  readonly signal: AbortSignal
}): Promise<Posted> {
  const { address, endpoint, body, facts, stamp, timeoutMs, signal } = options
  const sha256 = hash('sha256', body, 'hex')
  try {
    const { status, headers, bytes } = await options.send({
      url: urlFor(address, endpoint, facts),
      method: endpoint === 'cron' && body.length === 0 ? 'GET' : 'POST',
      headers: { ...headersFor(address, endpoint, facts), ...(stamp !== null && { [STAMP_HEADER]: stamp }) },
      body,
      timeoutMs,
      signal,
    })
    return {
      status,
      error: null,
      rateLimits: headers['x-sentry-rate-limits'] ?? null,
      retryAfter: headers['retry-after'] ?? null,
      limitsStamp: stamp !== null && headers[STAMP_HEADER] === stamp ? stamp : null,
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
      limitsStamp: null,
      answer: null,
      sha256,
      maybeDelivered: !(error instanceof SendError) || error.connected,
    }
  }
}

function urlFor(address: UpstreamAddress, endpoint: Endpoint, facts: SubmissionFacts): string {
  const signal = endpoint.slice('otlp_'.length)
  if (!isDsn(address)) return signalUrl(address, signal)
  if (facts.target !== undefined) return targetUrl(address, facts.target)
  if (endpoint === 'security') return securityUrl(address, facts.query ?? {})
  if (isOtlp(endpoint)) return otlpUrl(address, signal)
  return endpoint === 'store' ? storeUrl(address) : envelopeUrl(address)
}

function contentTypeFor(endpoint: Endpoint, facts: SubmissionFacts): string {
  // Only the content type distinguishes the kinds of security report, and the encodings of OpenTelemetry.
  if (endpoint === 'security' || isOtlp(endpoint)) return facts.contentType ?? 'application/json'
  // Of a form, the content type names its boundary.
  if (isDirect(endpoint)) return facts.contentType ?? 'application/octet-stream'
  return endpoint === 'store' ? 'application/json' : 'application/x-sentry-envelope'
}

function headersFor(address: UpstreamAddress, endpoint: Endpoint, facts: SubmissionFacts): Record<string, string> {
  const headers: Record<string, string> = { 'content-type': contentTypeFor(endpoint, facts) }
  if (!isDsn(address)) {
    if (address.authorization !== null) headers.authorization = address.authorization
    if (facts.userAgent !== null) headers['user-agent'] = facts.userAgent
    return headers
  }
  // A security report has the key in its query, some others in their path. Relay refuses a key in both.
  if (endpoint !== 'security' && facts.target?.includes('{key}') !== true)
    headers['x-sentry-auth'] =
      `Sentry sentry_key=${address.publicKey}, sentry_version=${facts.version ?? '7'}, sentry_client=${facts.client ?? 'waystation/1'}`
  if (facts.userAgent !== null) headers['user-agent'] = facts.userAgent
  Object.assign(headers, facts.clientHints)
  if (facts.origin !== null) headers.origin = facts.origin
  if (facts.forwardedFor !== null) headers['x-forwarded-for'] = facts.forwardedFor
  return headers
}

function explain(error: unknown): string {
  if (!(error instanceof SendError)) return error instanceof Error ? error.message : String(error)
  if (error.reason === 'aborted') return 'the collector stopped posting before an answer came'
  return error.reason === 'timeout' ? error.message : `the connection failed: ${error.message}`
}

/**
 * Decompressed and cut at 4096 characters. Upstream may compress it without being asked to.
 * @param encoding its Content-Encoding. A body that cannot be decoded is described in brackets.
 */
export async function answerText(bytes: Uint8Array, encoding: string | null): Promise<string> {
  const coding = readContentEncoding(encoding)
  if (bytes.length === 0 || (coding.ok && coding.value === null)) return decodeText(bytes)
  if (!coding.ok || coding.value === null || coding.value === 'zstd')
    return `[${bytes.length} bytes with Content-Encoding ${encoding?.slice(0, 64)}]`
  const inflated = await inflate(DECODERS[coding.value](), bytes)
  return inflated === null ? `[${bytes.length} bytes that are not valid ${coding.value}]` : decodeText(inflated)
}

const decodeText = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, INFLATED_BYTES))
    .toString('utf8')
    .slice(0, STORED_ANSWER_CHARS)

/** Inflates until there is enough to store, also when the bytes are cut; `null` where nothing can be decoded. */
function inflate(decoder: ReturnType<typeof createGunzip | typeof createBrotliDecompress>, bytes: Uint8Array) {
  return new Promise<Uint8Array | null>((resolve) => {
    const chunks: Buffer[] = []
    let size = 0
    const finish = (): void => {
      resolve(size === 0 ? null : Buffer.concat(chunks))
      decoder.destroy()
    }
    decoder.on('data', (chunk: Buffer) => {
      chunks.push(chunk)
      size += chunk.length
      if (size >= INFLATED_BYTES) finish()
    })
    decoder.on('end', () => {
      resolve(Buffer.concat(chunks))
    })
    // The bytes are cut or damaged further on: keep the text before that.
    decoder.on('error', finish)
    decoder.end(bytes)
  })
}
