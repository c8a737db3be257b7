import { isLoopbackName } from '../protocol/request'

/**
 * Who may send telemetry: programs (no Origin), pages of this machine on any port, and the origins of
 * `WAYSTATION_ORIGINS`. Decided before the body is read. `Origin: null` (sandboxed frames, files) is foreign.
 */
export function maySendFrom(origin: string | null, origins: readonly string[]): boolean {
  if (origin === null) return true
  if (origins.includes(origin)) return true
  if (!URL.canParse(origin)) return false
  return isLoopbackName(new URL(origin).hostname)
}

/**
 * The page behind a request without an Origin: a browser sends none with an image, so any page could send by the address
 * of one. `Sec-Fetch-Site` tells that it was a browser, and Referer (or Host, for a page's own host) which page.
 * @returns `null` for programs, and for an address that a person typed.
 */
export function senderOf(headers: Headers): string | null {
  const site = headers.get('sec-fetch-site')
  if (site === null || site === 'none') return null
  if (site === 'same-origin') return `http://${headers.get('host') ?? ''}`
  const referer = headers.get('referer') ?? ''
  return URL.canParse(referer) ? new URL(referer).origin : 'null'
}
