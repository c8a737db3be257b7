import { hostName, isLoopbackName } from '../protocol/request'

/** Who may look: the facts of one request, as its headers tell them. */
export interface Visitor {
  readonly host: string | null
  readonly origin: string | null
  /** `Sec-Fetch-Site`: browsers set it and pages cannot forge it. */
  readonly fetchSite: string | null
  /** `Sec-Fetch-Mode`: `navigate` is a person following a link, whose page the linking site cannot read. */
  readonly fetchMode: string | null
  /** The token this request presents (bearer header or login cookie), already compared: see `sameToken`. */
  readonly holdsToken: boolean
}

export interface LookPolicy {
  /** Is a token configured? Then a Host check is worth nothing, for a neighbour on the network writes any Host. */
  readonly tokenRequired: boolean
  /** Host names beside the loopback ones (`WAYSTATION_HOSTS`). */
  readonly hosts: readonly string[]
  /** Origins that are the app's own, besides the one the Host header names. */
  readonly origins: readonly string[]
}

export type Refusal = { readonly status: 401 | 403; readonly detail: string }

/**
 * Guards every route that reads or changes. A Host check stops a rebinding page, an Origin check stops a foreign one.
 * @param intent `change` never accepts a foreign Origin, whatever token comes with it.
 * @returns `null` when the visitor may go on.
 */
export function refuseLook(visitor: Visitor, policy: LookPolicy, intent: 'read' | 'change'): Refusal | null {
  const foreignOrigin = isForeignOrigin(visitor, policy)
  if (intent === 'change' && foreignOrigin) return foreign(visitor)
  if (visitor.holdsToken) return null
  if (policy.tokenRequired)
    return {
      status: 401,
      detail: 'this Waystation wants its token: sign in at /login, or send Authorization: Bearer …',
    }
  const name = visitor.host === null ? '' : hostName(visitor.host)
  if (!isLoopbackName(name) && !policy.hosts.includes(name))
    return {
      status: 403,
      detail: `the Host ${JSON.stringify(name)} is neither a loopback name nor in WAYSTATION_HOSTS`,
    }
  return foreignOrigin ? foreign(visitor) : null
}

function isForeignOrigin(visitor: Visitor, policy: LookPolicy): boolean {
  if (visitor.origin !== null) return !isOwnOrigin(visitor.origin, visitor.host, policy)
  // A no-cors read carries no Origin; Sec-Fetch-Site still says who asked.
  return visitor.fetchSite === 'cross-site' && visitor.fetchMode !== 'navigate'
}

function isOwnOrigin(origin: string, host: string | null, policy: LookPolicy): boolean {
  if (policy.origins.includes(origin)) return true
  if (!URL.canParse(origin)) return false
  return host !== null && new URL(origin).host === host.toLowerCase()
}

const foreign = (visitor: Visitor): Refusal => ({
  status: 403,
  detail: `a page of ${visitor.origin ?? 'another site'} may not look here; only the app's own pages may`,
})
