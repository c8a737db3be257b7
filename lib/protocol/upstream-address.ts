import { type Dsn, parseDsn } from './dsn'
import { fail, type Result, succeed } from './result'

/** Lanes among which the pending records of an upstream may be divided. */
export const MAX_LANES = 16

/** An OTLP/HTTP endpoint that is no DSN: its base address, without `/v1/traces`. */
export interface OtlpAddress {
  readonly protocol: 'http' | 'https'
  /** Lower case, with port when one was given, IPv6 in brackets. */
  readonly host: string
  /** Without a trailing slash. */
  readonly path: string
  /** `Basic …`, from the user and the password in the address. */
  readonly authorization: string | null
}

/** The address of an upstream. It comes from configuration, never from a request. */
export type UpstreamAddress = Dsn | OtlpAddress

/** Key and project by which records name their upstream. */
export type UpstreamIdentity = Pick<Dsn, 'publicKey' | 'projectId'>

/**
 * The key and project of OTLP requests without a key, if they do not go to the project of a DSN. The key has a dot, so no
 * request can name it. It stays the same when `WAYSTATION_OTLP_UPSTREAM` changes: pending records follow the setting.
 */
export const KEYLESS: UpstreamIdentity = { publicKey: 'otlp.keyless', projectId: '0' }

/** An upstream whose records have another key and project than its address. */
interface SeparateUpstream extends UpstreamIdentity {
  readonly address: UpstreamAddress
}

export type Upstream = Dsn | SeparateUpstream

export const addressOf = (upstream: Upstream): UpstreamAddress => ('address' in upstream ? upstream.address : upstream)

export const isDsn = (one: Upstream | UpstreamAddress): one is Dsn => 'publicKey' in one && 'host' in one

/** Returns the URL of an endpoint for one signal of OpenTelemetry. */
export const signalUrl = ({ protocol, host, path }: OtlpAddress, signal: string): string =>
  `${protocol}://${host}${path}/v1/${signal}`

const EXPECTED = 'a DSN, or the base URL of an OTLP/HTTP endpoint such as https://otel.example.com:4318'

/** Parses a DSN or a base URL, or returns an error message that does not repeat a password. */
export function parseUpstreamAddress(text: string): Result<UpstreamAddress, string> {
  const dsn = parseDsn(text)
  if (dsn.ok) return dsn
  const given = text.trim()
  if (!URL.canParse(given) || /[\s\\]/.test(given)) return fail(EXPECTED)
  const url = new URL(given)
  const protocol = url.protocol.slice(0, -1)
  if (protocol !== 'http' && protocol !== 'https') return fail(EXPECTED)
  if (url.search !== '' || url.hash !== '') return fail(`${EXPECTED}, without a query or a fragment`)
  // A user alone is most likely the key of a mistyped DSN.
  if ((url.username === '') !== (url.password === '')) return fail(`${EXPECTED}; this one has no project id`)
  const path = url.pathname.replace(/\/+$/, '')
  if (/\/v1\/(?:traces|logs|metrics)$/.test(path)) return fail(`${EXPECTED}, without /v1/… at its end`)
  return succeed({ protocol, host: url.host.toLowerCase(), path, authorization: basicAuth(url) })
}

/** RFC 7617 §2. */
function basicAuth({ username, password }: URL): string | null {
  if (username === '') return null
  const bytes = new TextEncoder().encode(`${decoded(username)}:${decoded(password)}`)
  return `Basic ${btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''))}`
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    // A percent sign that encodes nothing stands for itself.
    return text
  }
}
