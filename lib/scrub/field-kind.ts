import { isSecretCookie, isSecretName } from './secret-names'

/**
 * What a name says about the text under it. `secret` and `secret_cookie` are removed whole, with all that is beneath;
 * `cookies` holds cookies, as a text or by name; of an `address` the IP goes, and of a `peer` but in a span that called
 * it; an `id`, a `time` and a `kind` are left as they are where they look like it; in `source` of assignments those of a
 * literal count; a `route` begins with no user's folder; a `folder` is a secret where it holds none.
 */
export type FieldKind =
  | 'plain'
  | 'secret'
  | 'secret_cookie'
  | 'cookies'
  | 'address'
  | 'peer'
  | 'id'
  | 'time'
  | 'source'
  | 'route'
  | 'folder'

const IDS = new Set(
  (
    'trace_id span_id parent_span_id segment_id event_id replay_id profile_id profiler_id chunk_id check_in_id ' +
    'debug_id sid previous_trace trace_ids error_ids'
  ).split(' '),
)
const ID_ENDS = /(?:^|_)(?:trace|span|parent_span|segment|event|replay|profile|profiler|chunk|check_in|debug)_id$/
const TIMES = /(?:^|_)(?:timestamp|timestamp_nanos|time_unix_nano|sent_at|received|started|received_at)$/
const ADDRESSES =
  /(?:^|_)(?:ip|ip_?address|client_?ip|remote_?addr|remote_?address|remote_?ip|client_?address|user_?ip|x_forwarded_for|forwarded)$/
const PEERS = /(?:^|_)(?:network_peer_address|net_sock_peer_addr|net_peer_ip)$/
const SOURCE = new Set(['context_line', 'pre_context', 'post_context'])
const ROUTES = new Set(
  (
    'transaction name url url_path url_full http_target http_route http_url route to from pathname segment ' +
    'sentry_segment_name sentry_transaction'
  ).split(' '),
)
/** Where a process runs, as its environment calls it: whatever else is under such a name may be a password. */
const FOLDERS = new Set(['PWD', 'OLDPWD'])
const COOKIE_HEADER = /(?:^|_)(?:set_)?cookies?2?$/
/** SDKs make an attribute of each cookie. */
const ONE_COOKIE = /header\.(?:set[_-])?cookie\.(.{1,256})$/i
const LONGEST_NAME = 256

/** @param name decoded; of an attribute its whole name, dots and all. */
export function fieldKind(name: string): FieldKind {
  const end = name.slice(-LONGEST_NAME)
  const cookie = ONE_COOKIE.exec(end)?.[1]
  if (cookie !== undefined) return isSecretCookie(cookie) ? 'secret_cookie' : 'plain'
  if (FOLDERS.has(name)) return 'folder'
  const plain = end.replaceAll(/[.-]/g, '_').toLowerCase()
  if (COOKIE_HEADER.test(plain)) return 'cookies'
  if (IDS.has(plain) || ID_ENDS.test(plain)) return 'id'
  if (PEERS.test(plain)) return 'peer'
  if (ADDRESSES.test(plain)) return 'address'
  if (isSecretName(end)) return 'secret'
  if (TIMES.test(plain)) return 'time'
  if (SOURCE.has(plain)) return 'source'
  return ROUTES.has(plain) ? 'route' : 'plain'
}

/** What is removed whole by this name, with all that is beneath; of a `folder` what is none. */
export function secretKind(kind: FieldKind): 'secret' | 'secret_cookie' | null {
  if (kind === 'folder') return 'secret'
  return kind === 'secret' || kind === 'secret_cookie' ? kind : null
}

/** In quotes where Python's SDK tells it. */
const FOLDER = /^["']?(?:\/|[A-Za-z]:[\\/])/
export const isFolder = (text: string): boolean => FOLDER.test(text)

const ID = /^(?:[0-9a-f]{16}|[0-9a-f]{32}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/i
const TIME = /^[\d.]{1,32}$|^\d{4}-\d\d-\d\d[T ][\d:.]{5,24}(?:Z|[+-]\d\d:?\d\d)?$/

/** Is this, as nearly every id, 16 or 32 hex digits? Told of its bytes, for half of the texts of a trace are ids. */
export function isBareId(json: Uint8Array, start: number, end: number): boolean {
  if (end - start !== 16 && end - start !== 32) return false
  for (let at = start; at < end; at += 1) {
    const byte = json[at] ?? 0
    const isDigit = byte >= 0x30 && byte <= 0x39
    if (!isDigit && !((byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x66)) return false
  }
  return true
}

/** Is this text what its name promises, and no secret? */
export function isAsNamed(kind: FieldKind, text: string): boolean {
  if (kind === 'id') return ID.test(text)
  return kind === 'time' && TIME.test(text)
}
