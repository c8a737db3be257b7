import { isLoopbackName } from '../protocol/loopback'

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
