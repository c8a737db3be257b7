import { isPublicKey } from '../protocol/dsn'
import { fail, type Result, succeed } from '../protocol/result'
import type { AcceptsSender } from './envelope-header'
import { problem, quote, type TunnelAnswer } from './post'

/** Returns the project of a public key. A request of OpenTelemetry names only the key. */
export type ProjectOfKey = (publicKey: string) => string

/** The collector's path for envelopes. */
export const ENVELOPE_PATH = '/tunnel'

/** The collector's path for the receipt of an envelope whose sender left before the answer. */
export const UNSEEN_PATH = '/tunnel/unseen'

/** The collector's path for spans of OpenTelemetry. The key is in it, so that the lifeboat stores it with the bytes. */
const tracesPath = (projectId: string, publicKey: string): string =>
  `/api/${projectId}/otlp/v1/traces?sentry_key=${publicKey}`

const TRACES_PATH = /^\/api\/\d{1,20}\/otlp\/v1\/traces\?sentry_key=[A-Za-z0-9_-]{1,64}$/

/** Checks a path that was read from a lifeboat file: a changed file must not choose another address. */
export const isCollectorPath = (path: unknown): path is string =>
  path === ENVELOPE_PATH || (typeof path === 'string' && TRACES_PATH.test(path))

const PROTOBUF = 'application/x-protobuf'
const ENCODINGS = ['application/json', PROTOBUF]

const mediaType = (headers: Headers): string =>
  (headers.get('content-type') ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? ''

/**
 * Decides by the headers whether a request of OpenTelemetry may go on, before its body is read. Returns the collector's
 * path for it.
 */
export function authoriseTraces(
  headers: Headers,
  accepts: AcceptsSender,
  projectOfKey: ProjectOfKey | null,
): Result<string, TunnelAnswer> {
  if (projectOfKey === null)
    return fail(problem(404, 'this tunnel has no projectOfKey, so it accepts no OpenTelemetry'))
  const type = mediaType(headers)
  if (!ENCODINGS.includes(type))
    return fail(problem(415, `Content-Type must be ${ENCODINGS.join(' or ')}, got ${quote(type)}`))
  const header = headers.get('x-sentry-auth')
  const publicKey = header === null ? null : readKey(header)
  if (publicKey === null)
    return fail(problem(401, 'no public key: send the header x-sentry-auth: sentry sentry_key=PUBLIC_KEY'))
  if (!isPublicKey(publicKey))
    return fail(problem(400, `sentry_key in x-sentry-auth must be a public key, got ${quote(publicKey)}`))
  const projectId = projectOfKey(publicKey)
  if (accepts({ publicKey, projectId })) return succeed(tracesPath(projectId, publicKey))
  return fail(
    problem(403, `the key ${quote(publicKey)} is not configured here`, [
      'sentry_key in x-sentry-auth must be the key of a configured DSN',
    ]),
  )
}

const KEY_FIELD = /^\s*sentry\s(?:.*[\s,])?sentry_key\s*=\s*"?([^",\s]*)/i

const readKey = (header: string): string | null => KEY_FIELD.exec(header)?.[1] ?? null

/**
 * Answers in the encoding of the request (OTLP specification, "OTLP/HTTP Response"). In protobuf a full success is an
 * empty message.
 */
export function toTracesResponse(answer: TunnelAnswer, received: Headers): Response {
  const isEmptyMessage = answer.status < 300 && mediaType(received) === PROTOBUF
  const contentType = isEmptyMessage ? PROTOBUF : 'application/json'
  return new Response(isEmptyMessage ? null : answer.body, {
    status: answer.status === 204 ? 200 : answer.status,
    headers: { ...answer.headers, 'content-type': contentType },
  })
}
