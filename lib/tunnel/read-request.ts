import { CONSENT_HEADER } from '../protocol/consent'
import {
  isLoopbackName,
  isReceipt,
  isStamp,
  isVisitorHash,
  KEPT_HEADER,
  LAB_HEADER,
  OWN_HEADER,
  PAGE_HEADER,
  RECEIPT_HEADER,
  requestStamp,
  STAMP_HEADER,
  stampNote,
  UNSEEN_HEADER,
  VISITOR_HEADER,
} from '../protocol/request'

/**
 * The default: programs (no Origin), the app's own pages (page and tunnel have the same host), and pages of this
 * machine on any port. `Origin: null` (sandboxed frames, files) is foreign.
 */
export function isOwnOrLoopbackOrigin(origin: string | null, host: string | null): boolean {
  if (origin === null) return true
  if (!URL.canParse(origin)) return false
  const page = new URL(origin)
  return isLoopbackName(page.hostname) || isPageOfHost(origin, host)
}

/** True for a page that was loaded from the host of the request. */
export function isPageOfHost(origin: string | null, host: string | null): boolean {
  if (origin === null || !URL.canParse(origin)) return false
  const page = new URL(origin)
  const here = `${page.protocol}//${host ?? ''}`
  // Parsed, because the URL parser removes a default port.
  return host !== null && URL.canParse(here) && new URL(here).host === page.host
}

type IsValid = (value: string) => boolean

/** Longer headers are dropped, because the lifeboat stores headers in the first line of a file. */
const MAX_VALUE_LENGTH = 2048
const short: IsValid = (value) => value.length <= MAX_VALUE_LENGTH
const token: IsValid = (value) => /^[A-Za-z0-9_-]{1,64}$/.test(value)

/** The only headers that go on to the collector. Relay reads these client hints. Cookies and credentials never go on. */
const FORWARDED = new Map<string, IsValid>([
  ['content-type', short],
  ['content-encoding', short],
  ['user-agent', short],
  ['origin', short],
  ['sec-ch-ua', short],
  ['sec-ch-ua-arch', short],
  ['sec-ch-ua-bitness', short],
  ['sec-ch-ua-form-factors', short],
  ['sec-ch-ua-full-version-list', short],
  ['sec-ch-ua-mobile', short],
  ['sec-ch-ua-model', short],
  ['sec-ch-ua-platform', short],
  ['sec-ch-ua-platform-version', short],
  ['sec-ch-ua-wow64', short],
  [STAMP_HEADER, isStamp],
  [PAGE_HEADER, token],
  [LAB_HEADER, (value) => value === '1'],
  [OWN_HEADER, (value) => value === '1'],
  [UNSEEN_HEADER, (value) => value === '1'],
  [VISITOR_HEADER, isVisitorHash],
  [KEPT_HEADER, (value) => /^\d{1,12}$/.test(value)],
  [CONSENT_HEADER, (value) => value === 'kept'],
  ['x-forwarded-for', (value) => /^[0-9A-Fa-f.:,[\] ]{1,512}$/.test(value)],
])

/** Only the tunnel itself knows these: a page could forge them. */
const SET_BY_TUNNEL: ReadonlySet<string> = new Set([UNSEEN_HEADER, OWN_HEADER, VISITOR_HEADER, CONSENT_HEADER])

/** The receipt that a page gave its envelope, so that sending it again stores it once; `null` for every other sender. */
export function receiptOfPage(received: Headers): string | null {
  const receipt = received.get(RECEIPT_HEADER) ?? ''
  return received.has('origin') && isReceipt(receipt) ? receipt.toLowerCase() : null
}

/** @param trustForwardedFor true only behind a trusted proxy, because any client can forge X-Forwarded-For */
export function forwardedHeaders(received: Headers, trustForwardedFor: boolean): Readonly<Record<string, string>> {
  const stamp = stampOf(received)
  const forwarded: Record<string, string> = {}
  for (const [name, isValid] of FORWARDED) {
    if (name === 'x-forwarded-for' && !trustForwardedFor) continue
    if (SET_BY_TUNNEL.has(name)) continue
    if (name === KEPT_HEADER && receiptOfPage(received) === null) continue
    const value = name === STAMP_HEADER ? stamp : received.get(name)
    if (value !== null && isValid(value)) forwarded[name] = value
  }
  return forwarded
}

export function noteOnStamp(received: Headers): string | null {
  const stamp = stampOf(received)
  return stamp === null || isStamp(stamp) ? null : stampNote(stamp)
}

/** Checks headers that were read from a lifeboat file by the same rules. */
export function areForwardedHeaders(headers: unknown): headers is Readonly<Record<string, string>> {
  if (typeof headers !== 'object' || headers === null) return false
  return Object.entries(headers).every(
    ([name, value]: [string, unknown]) =>
      typeof value === 'string' && !/[^\t\x20-\x7e\x80-\xff]/.test(value) && FORWARDED.get(name)?.(value) === true,
  )
}

const stampOf = (received: Headers): string | null => requestStamp(received.get('cookie'), received.get(STAMP_HEADER))
