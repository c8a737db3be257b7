import type { Context, MiddlewareHandler } from 'hono'
import { contentTypeOf, encodingOf, OTLP_SIGNALS, type OtlpSignal } from '../../lib/otlp/signals'
import { oneItem } from '../../lib/protocol/direct-upload'
import type { Endpoint } from '../../lib/protocol/request'
import { fail, type Result, succeed } from '../../lib/protocol/result'
import { limitOf, type SizeLimits } from '../../lib/protocol/size-limits'
import type { Problem } from '../../lib/wire/errors'
import type { Refusal } from '../runtime/problem'
import type { Exported, ParsedBody } from './parse-body'
import { describeLimit, RETRY_SECONDS } from './refusal'

type OtlpEndpoint = Extract<Endpoint, `otlp_${string}`>

/** Sentry has OTLP endpoints for these signals only. */
const SENTRY_SIGNALS = ['traces', 'logs'] as const

type OtlpRoutes = readonly (readonly [path: string, endpoint: OtlpEndpoint])[]

/** The paths of OTLP/HTTP. */
export const OTLP_ROUTES: OtlpRoutes = OTLP_SIGNALS.map((signal) => [`/v1/${signal}`, `otlp_${signal}`])

/** The paths at which Sentry serves OTLP/HTTP. */
export const SENTRY_OTLP_ROUTES: OtlpRoutes = SENTRY_SIGNALS.flatMap((signal) => [
  [`/api/:project/integration/otlp/v1/${signal}`, `otlp_${signal}`],
  [`/api/:project/otlp/v1/${signal}`, `otlp_${signal}`],
])

/** These paths, for middleware. */
export const OTLP_PATHS = ['/v1/*', '/api/:project/integration/otlp/*', '/api/:project/otlp/*']

let bodies: Promise<typeof import('./otlp-body')> | null = null
const loadBodies = (): Promise<typeof import('./otlp-body')> => {
  bodies ??= import('./otlp-body')
  return bodies
}

/** @returns a refusal with 400 for a malformed request, with 413 for one over the limit */
export async function parseExport(
  c: Context,
  signal: OtlpSignal,
  bytes: Uint8Array,
  sizeLimits: SizeLimits,
): Promise<Result<ParsedBody, Refusal>> {
  const endpoint = `otlp_${signal}` as const
  const encoding = encodingOf(c.req.header('content-type') ?? null) ?? 'json'
  const limit = limitOf(endpoint)
  if (bytes.length > sizeLimits[limit])
    return fail({
      status: 413,
      reason: 'payload_too_large',
      detail: `the request is too large ${describeLimit(sizeLimits, limit, bytes.length)}; export fewer entries at once`,
    })
  const { readExport } = await loadBodies()
  const exported = readExport(signal, encoding, bytes)
  if (!exported.ok) return fail({ status: 400, reason: 'otlp_malformed', detail: exported.error })
  return succeed({ ...oneItem({}, { type: endpoint }, bytes, bytes), exported: exported.value })
}

/** Refuses a Content-Type or Content-Encoding that OTLP/HTTP does not define; `null` for any other. */
export function refuseExportType(c: Context): Refusal | null {
  const type = c.req.header('content-type')
  if (encodingOf(type ?? null) === null)
    return {
      status: 415,
      reason: 'content_type',
      detail: `Content-Type must be application/json or application/x-protobuf, got "${(type ?? '').slice(0, 64)}"; set OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf`,
    }
  const coding = unknownCoding(c.req.header('content-encoding') ?? '')
  if (coding === null) return null
  return {
    status: 415,
    reason: 'encoding',
    detail: `unsupported Content-Encoding ${JSON.stringify(coding.slice(0, 40))}; valid are gzip, deflate, br and zstd: set OTEL_EXPORTER_OTLP_COMPRESSION=gzip`,
  }
}

const CODINGS: ReadonlySet<string> = new Set(['gzip', 'x-gzip', 'deflate', 'br', 'zstd', 'identity', ''])

/** Envelopes with an unknown coding are read as they are, for old SDKs. Exporters of OpenTelemetry name the real one. */
const unknownCoding = (header: string): string | null =>
  header
    .split(',')
    .map((coding) => coding.trim().toLowerCase())
    .find((coding) => !CODINGS.has(coding)) ?? null

/** Without rejected entries the message is a warning (OTLP specification, "Partial Success"). */
export async function answerExport(c: Context, { signal, encoding, rejected }: Exported): Promise<Response> {
  const { successBody } = await loadBodies()
  return c.body(successBody(signal, encoding, rejected), 200, { 'Content-Type': contentTypeOf(encoding) })
}

/**
 * Rewrites every error answer as OTLP demands: a `google.rpc.Status` in the encoding of the request, and a `Retry-After`
 * where the sender shall retry (OTLP specification, "Failures").
 */
export const answerFailuresAsOtlp: MiddlewareHandler = async (c, next) => {
  await next()
  const { status, headers } = c.res
  if (status < 400) return
  const encoding = encodingOf(c.req.header('content-type') ?? null) ?? 'json'
  // A client that disconnected gets an empty answer.
  if (headers.get('content-type')?.startsWith('application/json') !== true) return
  const { detail } = (await c.res.json()) as Problem
  const { failureBody } = await loadBodies()
  const body = failureBody(encoding, status, detail)
  const failure = new Response(body, { status, headers })
  failure.headers.set('Content-Type', contentTypeOf(encoding))
  failure.headers.delete('Content-Length')
  if (status === 429 || status === 503) failure.headers.set('Retry-After', String(RETRY_SECONDS))
  c.res = undefined
  c.res = failure
}
