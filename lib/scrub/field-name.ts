import { decodeString } from '../protocol/json-scanner'
import { isSecretCookie, isSecretField } from './secret-names'
import { StringCache } from './string-cache'

/**
 * The meaning of a field name for its text:
 * - `plain`: no special meaning; the rules for text apply
 * - `secret`, `secret_cookie`: removed, with everything below it
 * - `cookies`: contains cookies, as a text or by name
 * - `address`: IP addresses are removed; `peer`: the same, except in a span that called that peer
 * - `id`, `time`: not scrubbed if the text looks like an id or a time
 * - `source`: a line of source code: in `password = x` only a literal counts as a secret
 * - `route`: a leading `/home/…` is not a user's folder
 * - `folder`: kept where it is a path, otherwise a secret
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
/** The working directory in an environment. Anything else under such a name may be a password. */
const FOLDERS = new Set(['PWD', 'OLDPWD'])
const COOKIE_HEADER = /(?:^|_)(?:set_)?cookies?2?$/
/** SDKs make one attribute per cookie. */
const ONE_COOKIE = /header\.(?:set[_-])?cookie\.(.{1,256})$/i
const LONGEST_NAME = 256

function fieldKind(name: string): FieldKind {
  const end = name.slice(-LONGEST_NAME)
  const cookie = ONE_COOKIE.exec(end)?.[1]
  if (cookie !== undefined) return isSecretCookie(cookie) ? 'secret_cookie' : 'plain'
  if (FOLDERS.has(name)) return 'folder'
  if (/^\.aspnet/i.test(end)) return 'secret_cookie'
  const plain = end.replaceAll(/[.-]/g, '_').toLowerCase()
  if (COOKIE_HEADER.test(plain)) return 'cookies'
  if (IDS.has(plain) || ID_ENDS.test(plain)) return 'id'
  if (PEERS.test(plain)) return 'peer'
  if (ADDRESSES.test(plain)) return 'address'
  if (isSecretField(end)) return 'secret'
  if (TIMES.test(plain)) return 'time'
  if (SOURCE.has(plain)) return 'source'
  return ROUTES.has(plain) ? 'route' : 'plain'
}

/** `null` for kinds that are not removed with everything below. A `folder` counts until it is known to be a path. */
export function secretKind(kind: FieldKind): 'secret' | 'secret_cookie' | null {
  if (kind === 'folder') return 'secret'
  return kind === 'secret' || kind === 'secret_cookie' ? kind : null
}

/** Python's SDK adds quotes. */
const FOLDER = /^["']?(?:\/|[A-Za-z]:[\\/])/
export const isFolder = (text: string): boolean => FOLDER.test(text)

const ID = /^(?:[0-9a-f]{16}|[0-9a-f]{32}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/i
const TIME = /^[\d.]{1,32}$|^\d{4}-\d\d-\d\d[T ][\d:.]{5,24}(?:Z|[+-]\d\d:?\d\d)?$/

/** An id of 16 or 32 hex digits. Checked without decoding, because half of the texts in a trace are ids. */
export function isBareId(json: Uint8Array, start: number, end: number): boolean {
  if (end - start !== 16 && end - start !== 32) return false
  for (let at = start; at < end; at += 1) {
    const byte = json[at] ?? 0
    const isDigit = byte >= 0x30 && byte <= 0x39
    if (!isDigit && !((byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x66)) return false
  }
  return true
}

/** Whether the text has the format that its name promises, and so is not a secret. */
export function matchesKind(kind: FieldKind, text: string): boolean {
  if (kind === 'id') return ID.test(text)
  return kind === 'time' && TIME.test(text)
}

export class FieldName {
  readonly text: string
  #kind: FieldKind | null = null
  #kindOfCookie: FieldKind | null = null

  constructor(text: string) {
    this.text = text
  }

  get kind(): FieldKind {
    this.#kind ??= fieldKind(this.text)
    return this.#kind
  }

  /** Its kind where it is the name of a cookie. */
  get kindOfCookie(): FieldKind {
    this.#kindOfCookie ??= isSecretCookie(this.text) ? 'secret_cookie' : 'plain'
    return this.#kindOfCookie
  }
}

/** A few hundred names make up almost all fields. */
const KNOWN = new StringCache<FieldName>()

export function fieldNameAt(json: Uint8Array, start: number, end: number, hash: number): FieldName {
  const known = KNOWN.get(json, start, end, hash)
  if (known !== undefined) return known
  const name = new FieldName(decodeString(json, start, end))
  KNOWN.set(json, start, end, hash, name)
  return name
}
