import { isPublicKey } from '../../lib/protocol/dsn'
import { fail, type Result, succeed } from '../../lib/protocol/result'
import type { Refusal } from './refusal'

/** Relay refuses what is newer; SDKs say 7, and Raven clients 2.0 to 7. */
const NEWEST_VERSION = 8

interface Presented {
  readonly keys: readonly string[]
  readonly versions: readonly string[]
}

/**
 * The public key that a request presents outside its body; `null` when none. Sources: `X-Sentry-Auth`, `Authorization`
 * (`Sentry …` or Basic, the key as user name) and the query.
 * @returns a refusal when several disagree or come by header and by query (401), or when what was presented is no key or
 * of a newer protocol (400).
 */
export function presentedKey(headers: Headers, query: URLSearchParams): Result<string | null, Refusal> {
  const byHeader = join(byAuth(headers.get('x-sentry-auth')), byAuthorization(headers.get('authorization')))
  const byQuery = { keys: query.getAll('sentry_key'), versions: query.getAll('sentry_version') }
  if (byHeader.keys.length > 0 && byQuery.keys.length > 0)
    return fail({
      status: 401,
      reason: 'multiple_auth',
      detail: 'multiple authorization payloads detected: the key comes by header and by query; send one',
    })
  const { keys, versions } = join(byHeader, byQuery)
  const [key = null, ...others] = new Set(keys)
  if (others.length > 0)
    return fail({
      status: 401,
      reason: 'multiple_auth',
      detail: 'multiple authorization payloads detected: they present several keys; send one',
    })
  if (key !== null && !isPublicKey(key))
    return fail({ status: 400, reason: 'malformed_key', detail: 'sentry_key is not a public key' })
  if (!versions.every(isSupported))
    return fail({
      status: 400,
      reason: 'version',
      detail: `sentry_version is not one that is supported here: meant is a number up to ${NEWEST_VERSION}`,
    })
  return succeed(key)
}

/** `Sentry sentry_key=…, sentry_version=7`. A header that is sent twice arrives joined by commas. */
function byAuth(header: string | null): Presented {
  if (header === null || !/^\s*sentry\s/i.test(header)) return NOTHING
  return { keys: fieldsOf(header, KEY_FIELD), versions: fieldsOf(header, VERSION_FIELD) }
}

/** As above, or `Basic <key>:`. */
function byAuthorization(header: string | null): Presented {
  if (header === null) return NOTHING
  const users = [...header.matchAll(BASIC)].map((found) => {
    const text = Buffer.from(found[1] ?? '', 'base64').toString('utf8')
    return text.split(':', 1)[0] ?? ''
  })
  return join(byAuth(header), { keys: users.filter((user) => user !== ''), versions: [] })
}

const NOTHING: Presented = { keys: [], versions: [] }
const BASIC = /(?:^|,)\s*basic\s+([A-Za-z0-9+/_=-]+)/gi
const KEY_FIELD = /[\s,]sentry_key\s*=\s*("[^"]*"|[^,\s]*)/gi
const VERSION_FIELD = /[\s,]sentry_version\s*=\s*("[^"]*"|[^,\s]*)/gi

const fieldsOf = (header: string, field: RegExp): readonly string[] =>
  [...header.matchAll(field)].map((found) => (found[1] ?? '').replaceAll('"', '').trim())

const join = (one: Presented, other: Presented): Presented => ({
  keys: [...one.keys, ...other.keys],
  versions: [...one.versions, ...other.versions],
})

/** Raven clients write `2.0`. */
const isSupported = (version: string): boolean =>
  /^\d{1,3}(?:\.\d{1,3})?$/.test(version) && Number.parseInt(version, 10) <= NEWEST_VERSION
