import type { HttpBindings } from '@hono/node-server'
import { Hono, type MiddlewareHandler } from 'hono'
import { acceptsProject, keylessProject } from '../../lib/config/environment'
import { holdsToken } from '../../lib/guard/token'
import { countEntries, findStamp } from '../../lib/otlp/count-entries'
import {
  contentTypeOf,
  decodeRequest,
  encodeFailure,
  encodeSuccess,
  encodingOf,
  OTLP_SIGNALS,
  type OtlpEncoding,
  type OtlpSignal,
} from '../../lib/otlp/decode'
import { CATEGORY_OF_SIGNAL } from '../../lib/otlp/traverse-otlp'
import { type Endpoint, isLoopbackName, isStamp } from '../../lib/protocol/request'
import { fail, type Result, succeed } from '../../lib/protocol/result'
import { limitOf } from '../../lib/protocol/size-limits'
import type { Problem } from '../../lib/wire/errors'
import { problem, type Refusal } from '../runtime/problem'
import { type AuthorisedEnvelope, readCredentials } from './authorise'
import { type IntakeContext, type IntakeDeps, readReceipt, readStamp, scrubIfConfigured, submission } from './envelope'
import { bodyLimits } from './read-body'
import { describeLimit, diskBudgetRefusal, RETRY_SECONDS } from './refusal'
import { requestLine } from './unserved'

export interface OtlpDeps extends IntakeDeps {
  /** Exporters repeat a request and log little of its answer, so the collector logs why it refused. @param at path or signal */
  readonly logOtlpRefusal: (reason: string, at: string, detail: string) => void
}

/** Sentry has OTLP endpoints for these signals only. */
const SENTRY_SIGNALS = ['traces', 'logs'] as const

/** OTLP/HTTP at its own paths (`plain`), and at those where Sentry serves it. */
export function otlpRoutes(deps: OtlpDeps, paths: 'all' | 'plain' = 'all'): Hono<{ Bindings: HttpBindings }> {
  const routes = new Hono<{ Bindings: HttpBindings }>()
  for (const slash of ['', '/']) {
    for (const signal of OTLP_SIGNALS) routes.post(`/v1/${signal}${slash}`, (c) => receive(c, signal, deps))
    for (const signal of paths === 'all' ? SENTRY_SIGNALS : [])
      for (const prefix of ['/api/:project/integration/otlp', '/api/:project/otlp'])
        routes.post(`${prefix}/v1/${signal}${slash}`, (c) => receive(c, signal, deps))
  }
  return routes
}

/** The paths of `otlpRoutes`, for middleware. */
export const OTLP_PATHS = ['/v1/*', '/api/:project/integration/otlp/*', '/api/:project/otlp/*']

/**
 * Receives one export request: read credentials, read the body, decode, scrub, append, answer. Answers 200 only after the
 * commit is synced. Counts every refusal in the ledger.
 */
async function receive(c: IntakeContext, signal: OtlpSignal, deps: OtlpDeps): Promise<Response> {
  const { environment } = deps
  const endpoint: Endpoint = `otlp_${signal}`
  const encoding = encodingOf(c.req.header('content-type') ?? null)
  if (encoding === null) return refuse(c, unsupportedType(c.req.header('content-type')), 0, deps)
  const coding = unknownCoding(c.req.header('content-encoding') ?? '')
  if (coding !== null) return refuse(c, unsupported(coding), 0, deps)
  const identity = identify(c, endpoint, deps) // header, query or path: before any byte of the body
  if (!identity.ok) return refuse(c, identity.error, 0, deps)

  const stream = c.env.incoming.iterator({ destroyOnReturn: false })
  const sizeLimits = bodyLimits('envelope', environment.sizeLimits)
  const body = await deps.readBody({ headers: c.req.raw.headers, body: stream }, sizeLimits)
  if (!body.ok) return refuse(c, body.error, 0, deps)
  const { bytes, wireBytes, release } = body.value
  try {
    const most = environment.sizeLimits[limitOf(endpoint)]
    if (bytes.length > most) return await refuse(c, tooLarge(deps, endpoint, bytes.length), wireBytes, deps)
    const contents = readContents(signal, encoding, bytes)
    if (!contents.ok) return await refuse(c, malformed(contents.error), wireBytes, deps)
    const { valid, invalid, problem } = contents.value
    // Without rejected entries the message is a warning (OTLP specification, "Partial Success").
    const rejected = problem === null ? null : { count: invalid, message: problem }
    if (problem !== null) deps.logOtlpRefusal('otlp_invalid', signal, problem)
    if (valid === 0) {
      // An empty request is valid (OTLP specification, "Full Success"), and there is nothing to store.
      if (problem !== null) await deps.spool.countRefusal('otlp_invalid', wireBytes)
      return answer(c, encodeSuccess(signal, encoding, rejected), encoding)
    }

    const stored = await scrubIfConfigured(endpoint, bytes, c.req.header('content-type') ?? null, deps)
    if (!stored.ok) return await refuse(c, stored.error, wireBytes, deps)

    const quantities = [{ category: CATEGORY_OF_SIGNAL[signal], quantity: valid }]
    const authorised: AuthorisedEnvelope = { ...identity.value, eventId: null, quantities, discards: [] }
    const stamp = readStamp(c) ?? contents.value.stamp
    const appended = await deps.spool.append({
      ...submission(c, endpoint, authorised, stored.value, readReceipt(c, deps), deps),
      stamp,
    })
    if ('seq' in appended) return answer(c, encodeSuccess(signal, encoding, rejected), encoding)
    const refusal = diskBudgetRefusal(c, appended, quantities, environment.maxDisk)
    return await refuse(c, refusal, wireBytes, deps)
  } finally {
    release()
  }
}

/** Returns no part of the decoded request: it takes many times the memory of its bytes, which wait for the append. */
function readContents(
  signal: OtlpSignal,
  encoding: OtlpEncoding,
  bytes: Uint8Array,
): Result<ReturnType<typeof countEntries> & { readonly stamp: string | null }, string> {
  const request = decodeRequest(signal, encoding, bytes)
  if (!request.ok) return request
  return succeed({ ...countEntries(signal, request.value), stamp: findStamp(signal, request.value, isStamp) })
}

const unsupportedType = (received: string | undefined): Refusal => ({
  status: 415,
  reason: 'content_type',
  detail: `Content-Type must be application/json or application/x-protobuf, got "${(received ?? '').slice(0, 64)}"; set OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf`,
})

const CODINGS: ReadonlySet<string> = new Set(['gzip', 'x-gzip', 'deflate', 'br', 'zstd', 'identity', ''])

/** Envelopes with an unknown coding are read as they are, for old SDKs. Exporters of OpenTelemetry name the real one. */
const unknownCoding = (header: string): string | null =>
  header
    .split(',')
    .map((coding) => coding.trim().toLowerCase())
    .find((coding) => !CODINGS.has(coding)) ?? null

const unsupported = (coding: string): Refusal => ({
  status: 415,
  reason: 'encoding',
  detail: `unsupported Content-Encoding ${JSON.stringify(coding.slice(0, 40))}; valid are gzip, deflate, br and zstd: set OTEL_EXPORTER_OTLP_COMPRESSION=gzip`,
})

const malformed = (why: string): Refusal => ({ status: 400, reason: 'otlp_malformed', detail: why })

const tooLarge = ({ environment }: IntakeDeps, endpoint: Endpoint, size: number): Refusal => ({
  status: 413,
  reason: 'payload_too_large',
  detail: `the request is too large ${describeLimit(environment.sizeLimits, limitOf(endpoint), size)}; export fewer entries at once`,
})

/**
 * Key and project of a request. One without a key is accepted from this machine or with the token; the settings name its
 * upstream.
 */
function identify(
  c: IntakeContext,
  endpoint: Endpoint,
  { environment }: IntakeDeps,
): Result<Pick<AuthorisedEnvelope, 'publicKey' | 'project'>, Refusal> {
  // The token travels as `Authorization: Bearer`, which holds no key.
  const credentials = readCredentials(c, endpoint, environment)
  if (!credentials.ok) return credentials
  const { key, project } = credentials.value
  if (key === null) {
    const peer = c.env.incoming.socket.remoteAddress?.replace(/^::ffff:/, '') ?? ''
    const isOwn = isLoopbackName(peer) || holdsToken(c.req.raw.headers, environment.token)
    if (isOwn && c.req.param('project') === undefined) return succeed(keylessProject(environment))
    return fail({
      status: 401,
      reason: 'no_key',
      detail: isOwn
        ? 'no public key: send x-sentry-auth: sentry sentry_key=KEY, or post to /v1/traces without a key'
        : 'authentication required: send x-sentry-auth: sentry sentry_key=KEY, or Authorization: Bearer TOKEN',
    })
  }
  if (project === null || !/^\d{1,20}$/.test(project))
    return fail({
      status: 400,
      reason: 'malformed_project',
      detail: 'the project in the path is not a numeric project id',
    })
  if (acceptsProject(environment, { publicKey: key, projectId: project })) return succeed({ publicKey: key, project })
  return fail({
    status: 403,
    reason: 'unknown_project',
    detail: `project ${project} with this key is not configured in Waystation; use the local DSN that it prints at start`,
  })
}

function answer(c: IntakeContext, body: Uint8Array<ArrayBuffer>, encoding: OtlpEncoding): Response {
  return c.body(body, 200, { 'Content-Type': contentTypeOf(encoding) })
}

async function refuse(
  c: IntakeContext,
  refusal: Refusal,
  wireBytes: number,
  deps: OtlpDeps,
  path?: string,
): Promise<Response> {
  deps.logOtlpRefusal(refusal.reason, c.req.path, refusal.detail)
  await deps.spool.countRefusal(refusal.reason, wireBytes, path)
  return problem(c, refusal)
}

/** The refusal of a post to an address that serves nothing. Exporters log at most its status. */
export const refuseUnknownPath = (c: IntakeContext, detail: string, deps: OtlpDeps): Promise<Response> =>
  refuse(c, { status: 404, reason: 'unknown_endpoint', detail }, 0, deps, requestLine(c))

/** The `google.rpc.Code` of an HTTP status. */
const RPC_CODES: Readonly<Record<number, number>> = {
  400: 3,
  401: 16,
  403: 7,
  404: 5,
  413: 8,
  415: 3,
  422: 9,
  429: 8,
  503: 14,
}
const UNKNOWN_CODE = 2

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
  const body = encodeFailure(encoding, RPC_CODES[status] ?? UNKNOWN_CODE, detail)
  const failure = new Response(body, { status, headers })
  failure.headers.set('Content-Type', contentTypeOf(encoding))
  failure.headers.delete('Content-Length')
  if (status === 429 || status === 503) failure.headers.set('Retry-After', String(RETRY_SECONDS))
  c.res = undefined
  c.res = failure
}
