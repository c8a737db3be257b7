import type { Context } from 'hono'
import { type Environment, projectOfKey } from '../../lib/config/environment'
import { holdsToken } from '../../lib/guard/token'
import { isPublicKey } from '../../lib/protocol/dsn'
import { type Endpoint, isLoopbackName, isOtlp } from '../../lib/protocol/request'
import { fail, type Result, succeed } from '../../lib/protocol/result'
import type { Refusal } from '../runtime/problem'

export interface Credentials {
  /** From the path, or the project of the key; `null` when only the envelope header can name one. */
  readonly project: string | null
  /** From a header or the query; `null` when only the envelope header can name one. */
  readonly key: string | null
  /** True for OpenTelemetry without a key from this machine, or with the token. */
  readonly mayOmitKey: boolean
}

/** Key and project from path, headers and query; a refusal when malformed or conflicting. */
export function readCredentials(
  c: Context,
  endpoint: Endpoint,
  peer: string,
  environment: Environment,
): Result<Credentials, Refusal> {
  // Envelopes of tunnels and copies carry all credentials themselves.
  if (endpoint === 'tunnel' || endpoint === 'stream') return succeed({ project: null, key: null, mayOmitKey: false })
  const { headers } = c.req.raw
  const sent = readPublicKey(headers, queryOf(c.req.url))
  const key = sent.ok ? withPathKey(sent.value, c.req.param('key')) : sent
  if (!key.ok) return key
  const project = c.req.param('project') ?? (key.value === null ? null : projectOfKey(environment, key.value))
  // The token travels as `Authorization: Bearer`, which holds no key.
  const mayOmitKey =
    isOtlp(endpoint) && key.value === null && (isLoopbackName(peer) || holdsToken(headers, environment.token))
  return succeed({ key: key.value, project, mayOmitKey })
}

/** The query of an address. Parsing the whole address would take three times as long. */
export const queryOf = (url: string): URLSearchParams => new URLSearchParams(/\?([^#]*)/.exec(url)?.[1] ?? '')

/** Crash reports and check-ins may have the key in their path. */
function withPathKey(sent: string | null, inPath: string | undefined): Result<string | null, Refusal> {
  if (inPath === undefined) return succeed(sent)
  if (!isPublicKey(inPath))
    return fail({ status: 400, reason: 'malformed_key', detail: 'the key in the path is not a public key' })
  if (sent === null || sent === inPath) return succeed(inPath)
  return fail({
    status: 401,
    reason: 'multiple_auth',
    detail: 'multiple authorization payloads detected: the path has another key than header or query; send one',
  })
}

/** Relay rejects newer versions. SDKs send 7, Raven clients 2.0 to 7. */
const MAX_PROTOCOL_VERSION = 8

interface Presented {
  readonly keys: readonly string[]
  readonly versions: readonly string[]
}

/**
 * The public key of `X-Sentry-Auth`, `Authorization` (`Sentry …`, or Basic with the key as user name) or the query;
 * `null` without one. Refuses several different keys and a key in header and query with 401, a malformed one with 400.
 */
export function readPublicKey(headers: Headers, query: URLSearchParams): Result<string | null, Refusal> {
  const byHeader = join(sentryAuth(headers.get('x-sentry-auth')), authorization(headers.get('authorization')))
  const byQuery = { keys: query.getAll('sentry_key'), versions: query.getAll('sentry_version') }
  if (byHeader.keys.length > 0 && byQuery.keys.length > 0)
    return fail({
      status: 401,
      reason: 'multiple_auth',
      detail: 'multiple authorization payloads detected: the key is in a header and in the query; send one',
    })
  const { keys, versions } = join(byHeader, byQuery)
  const [key = null, ...others] = new Set(keys)
  if (others.length > 0)
    return fail({
      status: 401,
      reason: 'multiple_auth',
      detail: 'multiple authorization payloads detected: the request has several keys; send one',
    })
  if (key !== null && !isPublicKey(key))
    return fail({ status: 400, reason: 'malformed_key', detail: 'sentry_key is not a public key' })
  if (!versions.every(isSupported))
    return fail({
      status: 400,
      reason: 'version',
      detail: `unsupported sentry_version; it must be a number up to ${MAX_PROTOCOL_VERSION}`,
    })
  return succeed(key)
}

/** The name of the SDK and the version of the protocol that a request states, for the same header upstream. */
export interface SentBy {
  readonly client?: string
  readonly version?: string
}

/** Reads both from where `readPublicKey` reads the key. A malformed value is left out. */
export function readSentBy(headers: Headers, query: URLSearchParams): SentBy {
  const stated = [headers.get('x-sentry-auth') ?? '', headers.get('authorization') ?? ''].filter((header) =>
    /^\s*sentry\s/i.test(header),
  )
  const statedIn = (field: RegExp, name: string): string | undefined =>
    [...stated.flatMap((header) => fieldsOf(header, field)), ...query.getAll(name)].find((value) => value !== '')
  const client = statedIn(CLIENT_FIELD, 'sentry_client')
  const version = statedIn(VERSION_FIELD, 'sentry_version')
  return {
    ...(client !== undefined && /^[\w.\-/+@ ()]{1,100}$/.test(client) && { client }),
    ...(version !== undefined && isSupported(version) && { version }),
  }
}

/** Parses `Sentry sentry_key=…, sentry_version=7`. A header that is sent twice arrives joined by a comma. */
function sentryAuth(header: string | null): Presented {
  if (header === null || !/^\s*sentry\s/i.test(header)) return NOTHING
  return { keys: fieldsOf(header, KEY_FIELD), versions: fieldsOf(header, VERSION_FIELD) }
}

/** Parses the same format, or `Basic <key>:`. */
function authorization(header: string | null): Presented {
  if (header === null) return NOTHING
  const users = [...header.matchAll(BASIC)].map((found) => {
    const text = Buffer.from(found[1] ?? '', 'base64').toString('utf8')
    return text.split(':', 1)[0] ?? ''
  })
  return join(sentryAuth(header), { keys: users.filter((user) => user !== ''), versions: [] })
}

const NOTHING: Presented = { keys: [], versions: [] }
const BASIC = /(?:^|,)\s*basic\s+([A-Za-z0-9+/_=-]+)/gi
const KEY_FIELD = /[\s,]sentry_key\s*=\s*("[^"]*"|[^,\s]*)/gi
const CLIENT_FIELD = /[\s,]sentry_client\s*=\s*("[^"]*"|[^,]*)/gi
const VERSION_FIELD = /[\s,]sentry_version\s*=\s*("[^"]*"|[^,\s]*)/gi

const fieldsOf = (header: string, field: RegExp): readonly string[] =>
  [...header.matchAll(field)].map((found) => (found[1] ?? '').replaceAll('"', '').trim())

const join = (one: Presented, other: Presented): Presented => ({
  keys: [...one.keys, ...other.keys],
  versions: [...one.versions, ...other.versions],
})

/** Accepts `2.0` too, as Raven clients send it. */
const isSupported = (version: string): boolean =>
  /^\d{1,3}(?:\.\d{1,3})?$/.test(version) && Number.parseInt(version, 10) <= MAX_PROTOCOL_VERSION
