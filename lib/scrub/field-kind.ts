import { isSecretCookie, isSecretName } from './secret-names'

/**
 * What a name says about the text under it. `secret` and `secret_cookie` are removed whole, with all that is beneath;
 * `cookies` holds cookies, as a text or by name; of an `address` the IP goes; an `id`, a `time` and a `kind` are left as
 * they are where they look like it; in `source` of assignments those of a literal count; a `route` begins with no user's folder.
 */
export type FieldKind =
  | 'plain'
  | 'secret'
  | 'secret_cookie'
  | 'cookies'
  | 'address'
  | 'id'
  | 'time'
  | 'source'
  | 'route'

const IDS = new Set(
  (
    'trace_id span_id parent_span_id segment_id event_id replay_id profile_id profiler_id chunk_id check_in_id ' +
    'debug_id sid previous_trace trace_ids error_ids'
  ).split(' '),
)
const ID_ENDS = /(?:^|_)(?:trace|span|parent_span|segment|event|replay|profile|profiler|chunk|check_in|debug)_id$/
const TIMES = /(?:^|_)(?:timestamp|timestamp_nanos|time_unix_nano|sent_at|received|started|received_at)$/
const ADDRESSES =
  /(?:^|_)(?:ip|ip_?address|client_?ip|remote_?addr|remote_?address|remote_?ip|client_?address|user_?ip|x_forwarded_for|forwarded|network_peer_address|net_sock_peer_addr)$/
const SOURCE = new Set(['context_line', 'pre_context', 'post_context'])
const ROUTES = new Set(
  (
    'transaction name url url_path url_full http_target http_route http_url route to from pathname segment ' +
    'sentry_segment_name sentry_transaction'
  ).split(' '),
)
const COOKIE_HEADER = /(?:^|_)(?:set_)?cookies?2?$/
/** SDKs make an attribute of each cookie. */
const ONE_COOKIE = /header\.(?:set[_-])?cookie\.(.{1,256})$/i
const LONGEST_NAME = 256

/**
 * The same few hundred names come again and again. What somebody makes up beyond so many, or longer ones, is told anew each
 * time; each is kept as a copy, for a part of a text keeps all of it.
 */
const KNOWN = new Map<string, FieldKind>()
const MOST_KNOWN = 2000
const LONGEST_KNOWN = 128

/** @param name decoded; of an attribute its whole name, dots and all. */
export function fieldKind(name: string): FieldKind {
  const known = KNOWN.get(name)
  if (known !== undefined) return known
  const kind = tellKind(name)
  if (name.length <= LONGEST_KNOWN && KNOWN.size < MOST_KNOWN)
    KNOWN.set(Buffer.from(name, 'utf16le').toString('utf16le'), kind)
  return kind
}

function tellKind(name: string): FieldKind {
  const end = name.slice(-LONGEST_NAME)
  const cookie = ONE_COOKIE.exec(end)?.[1]
  if (cookie !== undefined) return isSecretCookie(cookie) ? 'secret_cookie' : 'plain'
  const plain = end.replaceAll(/[.-]/g, '_').toLowerCase()
  if (COOKIE_HEADER.test(plain)) return 'cookies'
  if (IDS.has(plain) || ID_ENDS.test(plain)) return 'id'
  if (ADDRESSES.test(plain)) return 'address'
  if (isSecretName(end)) return 'secret'
  if (TIMES.test(plain)) return 'time'
  if (SOURCE.has(plain)) return 'source'
  return ROUTES.has(plain) ? 'route' : 'plain'
}

const ID = /^(?:[0-9a-f]{16}|[0-9a-f]{32}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/i
const TIME = /^[\d.]{1,32}$|^\d{4}-\d\d-\d\d[T ][\d:.]{5,24}(?:Z|[+-]\d\d:?\d\d)?$/

/** Is this text what its name promises, and no secret? */
export function isAsNamed(kind: FieldKind, text: string): boolean {
  if (kind === 'id') return ID.test(text)
  return kind === 'time' && TIME.test(text)
}
