import { isLoopbackName } from '../protocol/request'

/**
 * Who may send by default: programs (no Origin), the app's own pages (the host they were loaded from is the host they
 * post to), and pages of this machine on any port. `Origin: null` (sandboxed frames, files) is foreign.
 */
export function isOwnOrLoopbackOrigin(origin: string | null, host: string | null): boolean {
  if (origin === null) return true
  if (!URL.canParse(origin)) return false
  const page = new URL(origin)
  if (isLoopbackName(page.hostname)) return true
  const here = `${page.protocol}//${host ?? ''}`
  // Parsed, so that a default port written out is the same host.
  return host !== null && URL.canParse(here) && new URL(here).host === page.host
}
