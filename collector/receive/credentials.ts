import { isPublicKey } from '../../lib/protocol/dsn'
import { fail, type Result, succeed } from '../../lib/protocol/result'
import type { Refusal } from '../errors'

/** The public key that a request presents outside its body; `null` when none. */
export function presentedKey(headers: Headers, query: URLSearchParams): Result<string | null, Refusal> {
  const byHeader = keyOfHeader(headers.get('x-sentry-auth')) ?? keyOfHeader(headers.get('authorization'))
  const byQuery = query.get('sentry_key')
  if (byHeader !== null && byQuery !== null)
    return fail({
      status: 401,
      reason: 'multiple_auth',
      detail: 'multiple authorization payloads: the key comes by header and by query; send one',
    })
  const key = byHeader ?? byQuery
  if (key !== null && !isPublicKey(key))
    return fail({ status: 400, reason: 'malformed_key', detail: 'sentry_key is not a public key' })
  return succeed(key)
}

/** `Sentry sentry_key=…, sentry_version=7`, or `Basic <key>:`. */
function keyOfHeader(header: string | null): string | null {
  if (header === null) return null
  if (/^basic /i.test(header)) {
    const user = Buffer.from(header.slice(6), 'base64').toString('utf8').split(':')[0]
    return user === undefined || user === '' ? null : user
  }
  if (!/^sentry /i.test(header)) return null
  return /(?:^|[\s,])sentry_key=([^,\s]+)/i.exec(header.slice(6))?.[1] ?? null
}
