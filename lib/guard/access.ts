import { hostName, isLoopbackName } from '../protocol/request'

/** The facts of a request that decide whether it may read or change anything. */
export interface AccessRequest {
  readonly host: string | null
  readonly origin: string | null
  /** `Sec-Fetch-Site`: browsers set it, and pages cannot forge it. */
  readonly fetchSite: string | null
  /** `Sec-Fetch-Dest`: `document` when a person follows a link; the linking site can neither read nor frame that page. */
  readonly fetchDest: string | null
  /** True for a valid token in the bearer header, or the cookie of a session. */
  readonly holdsToken: boolean
}

export interface AccessPolicy {
  /** With a token the Host header is not enough, because any client on the network can write any Host. */
  readonly tokenRequired: boolean
  /** Allowed host names besides loopback (`WAYSTATION_HOSTS`). */
  readonly hosts: readonly string[]
  /** Origins of the app, besides the one that the Host header names. */
  readonly origins: readonly string[]
}

export type AccessRefusal = { readonly status: 401 | 403; readonly detail: string }

export function accessRequestOf(headers: Headers, holdsToken: boolean): AccessRequest {
  return {
    host: headers.get('host'),
    origin: headers.get('origin'),
    fetchSite: headers.get('sec-fetch-site'),
    fetchDest: headers.get('sec-fetch-dest'),
    holdsToken,
  }
}

/**
 * Guards every route that reads or changes anything. The Host check stops DNS rebinding, the Origin check foreign pages.
 * @param intent `change` refuses a foreign Origin even with a valid token
 * @returns `null` when access is granted
 */
export function refuseAccess(
  request: AccessRequest,
  policy: AccessPolicy,
  intent: 'read' | 'change',
): AccessRefusal | null {
  const isForeign = isForeignOrigin(request, policy)
  if (isForeign && (intent === 'change' || request.origin === null)) return foreignOrigin(request)
  if (request.holdsToken) return null
  if (policy.tokenRequired)
    return {
      status: 401,
      detail: 'authentication required: sign in at /login, or send the token as Authorization: Bearer TOKEN',
    }
  return refuseHost(request.host, policy.hosts) ?? (isForeign ? foreignOrigin(request) : null)
}

/**
 * The Host rule alone, for what is open to everybody on this machine.
 * @param hosts allowed names besides loopback @returns `null` for an allowed host
 */
export function refuseHost(host: string | null, hosts: readonly string[]): AccessRefusal | null {
  const name = host === null ? '' : hostName(host)
  if (isLoopbackName(name) || hosts.includes(name)) return null
  return {
    status: 403,
    detail: `the Host ${JSON.stringify(name)} is neither a loopback name nor in WAYSTATION_HOSTS`,
  }
}

/**
 * True for a request of another site, other than a link that a person follows: a frame or an image could make a visitor's
 * browser load hundreds of reads.
 */
const isCrossSite = ({ fetchSite, fetchDest }: Pick<AccessRequest, 'fetchSite' | 'fetchDest'>): boolean =>
  fetchSite === 'cross-site' && fetchDest !== 'document'

/** The refusal of a cross-site request on a route that is otherwise open; `null` when it may go on. */
export function refuseCrossSite(headers: Headers): AccessRefusal | null {
  const request = { fetchSite: headers.get('sec-fetch-site'), fetchDest: headers.get('sec-fetch-dest') }
  return isCrossSite(request) ? foreignOrigin({ origin: headers.get('origin') }) : null
}

/** Guards pages that visitors may open without signing in. With a token, the app may be reached under any name. */
export const refuseVisitor = (
  headers: Headers,
  { tokenRequired, hosts }: Pick<AccessPolicy, 'tokenRequired' | 'hosts'>,
): AccessRefusal | null => (tokenRequired ? null : refuseHost(headers.get('host'), hosts)) ?? refuseCrossSite(headers)

/** Guards forms that visitors post without signing in: a page of another site must post none. */
export function refuseForm(headers: Headers, policy: AccessPolicy): AccessRefusal | null {
  const access = accessRequestOf(headers, true)
  return refuseAccess(access, policy, 'change') ?? (policy.tokenRequired ? null : refuseHost(access.host, policy.hosts))
}

function isForeignOrigin({ origin, host, ...request }: AccessRequest, policy: AccessPolicy): boolean {
  if (origin !== null) return !isOwnOrigin(origin, host, policy)
  // A no-cors request has no Origin, but browsers still send Sec-Fetch-Site.
  return isCrossSite(request)
}

function isOwnOrigin(origin: string, host: string | null, policy: AccessPolicy): boolean {
  if (policy.origins.includes(origin)) return true
  if (!URL.canParse(origin)) return false
  return host !== null && new URL(origin).host === host.toLowerCase()
}

const foreignOrigin = ({ origin }: Pick<AccessRequest, 'origin'>): AccessRefusal => ({
  status: 403,
  detail: `a page of ${origin ?? 'another site'} has no access; only pages of the app have`,
})

/**
 * Decides who may send telemetry: programs (no Origin), pages of this machine on any port, and `WAYSTATION_ORIGINS`.
 * `Origin: null` (sandboxed frames, files) is foreign, unless `origins` contains `null`.
 */
export function maySend(origin: string | null, origins: readonly string[]): boolean {
  if (origin === null || origins.includes(origin)) return true
  return URL.canParse(origin) && isLoopbackName(new URL(origin).hostname)
}

/**
 * The origin of a page that sends a request without Origin: browsers send none with an image, so any page could send with
 * an image address. `Sec-Fetch-Site` shows that a browser sent it, and Referer (or Host, for the page's own host) which page.
 * @returns `null` for programs, and for an address that a person typed
 */
export function senderOrigin(headers: Headers): string | null {
  const site = headers.get('sec-fetch-site')
  if (site === null || site === 'none') return null
  if (site === 'same-origin') return `http://${headers.get('host') ?? ''}`
  const referer = headers.get('referer') ?? ''
  return URL.canParse(referer) ? new URL(referer).origin : 'null'
}
