/*
 * How much a visitor lets a page send. Visitors download this file, so it imports nothing.
 */

/** `off` sends nothing. `kept` stays with the site's own collector. `errors` sends no timings, visits, logs and measurements. */
export const CONSENTS = ['off', 'kept', 'errors', 'all'] as const
export type Consent = (typeof CONSENTS)[number]

/** The consent of visitors who have not chosen. */
export interface ConsentPolicy {
  readonly byDefault: Consent
  /** For browsers that send Global Privacy Control or Do Not Track; `null` ignores both. */
  readonly bySignal: 'off' | 'errors' | null
}

export const NO_CONSENT_POLICY: ConsentPolicy = { byDefault: 'all', bySignal: null }

/** Set by the page for visitors, or by a page with `chooseConsent`. Scripts read it, so it is not HttpOnly. */
const CONSENT_COOKIE = 'waystation-consent'
/** A year, in seconds: a choice is remembered, as browsers allow. */
const CONSENT_MAX_AGE_S = 365 * 24 * 3600

/** The cookie that stores a choice. @param isSecure true for a page with https */
export const consentCookie = (consent: Consent, isSecure: boolean): string =>
  `${CONSENT_COOKIE}=${consent}; Path=/; Max-Age=${CONSENT_MAX_AGE_S}; SameSite=Lax${isSecure ? '; Secure' : ''}`

/** Set by the tunnel, never by a page: `kept` when the visitor forbids passing on. */
export const CONSENT_HEADER = 'x-waystation-consent'

export const isConsent = (value: unknown): value is Consent => (CONSENTS as readonly unknown[]).includes(value)

const COOKIE = new RegExp(`(?:^|;)\\s*${CONSENT_COOKIE}=([a-z]+)(?=\\s*(?:;|$))`, 'g')

/**
 * The choice in a list of cookies; `null` without one, or for an unknown value. Of several the first level of `CONSENTS`: another
 * host below the same domain can set one of its own, which must not allow more.
 */
export function chosenConsent(cookies: string | null): Consent | null {
  const values = [...(cookies ?? '').matchAll(COOKIE)].map(([, value]) => value)
  return CONSENTS.find((level) => values.includes(level)) ?? null
}

/** The consent that holds: the visitor's choice, else the signal of the browser, else the default. */
export function consentOf(chosen: Consent | null, hasSignal: boolean, policy: ConsentPolicy): Consent {
  if (chosen !== null) return chosen
  return hasSignal && policy.bySignal !== null ? policy.bySignal : policy.byDefault
}

/** True for a request of a browser with Global Privacy Control or Do Not Track. */
export const hasPrivacySignal = (headers: Pick<Headers, 'get'>): boolean =>
  headers.get('sec-gpc') === '1' || headers.get('dnt') === '1'

/** The consent of the browser that sent these headers. */
export const consentOfRequest = (headers: Pick<Headers, 'get'>, policy: ConsentPolicy): Consent =>
  consentOf(chosenConsent(headers.get('cookie')), hasPrivacySignal(headers), policy)

/** Types of envelope items that `errors` allows: an error with its files, a message of the visitor, counts of losses. */
const WITH_ERRORS: ReadonlySet<string> = new Set([
  'event',
  'attachment',
  'user_report',
  'feedback',
  'client_report',
  'raw_security',
])

/** Whether an item of this type may be sent. */
export const allowsItem = (consent: Consent, type: string): boolean =>
  consent === 'all' || consent === 'kept' || (consent === 'errors' && WITH_ERRORS.has(type))
