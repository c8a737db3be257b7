import { plainText } from '../format'

/** Events for the operator. The sender sees only its answer. */
export type TunnelEvent =
  | { readonly kind: 'refused'; readonly status: number; readonly detail: string }
  | { readonly kind: 'uncounted'; readonly cause: string }
  | { readonly kind: 'down'; readonly cause: string }
  | { readonly kind: 'up' }
  | { readonly kind: 'kept'; readonly receipt: string; readonly byteLength: number; readonly cause: string }
  | { readonly kind: 'lost'; readonly receipt: string; readonly byteLength: number; readonly causes: readonly string[] }
  | { readonly kind: 'delivered'; readonly receipt: string; readonly status: number }
  | { readonly kind: 'undeliverable'; readonly file: string; readonly status: number }
  | { readonly kind: 'unreadable'; readonly file: string; readonly reason: string }
  | { readonly kind: 'lifeboat'; readonly reason: string }
  /** The collector does not learn that a sender saw no answer, so its losses may include what arrived. */
  | { readonly kind: 'unreported'; readonly receipt: string; readonly cause: string }
  | { readonly kind: 'bug'; readonly error: unknown }

export type Report = (event: TunnelEvent) => void

/** After a logged refusal, further ones with the same status are not logged for this time. */
const QUIET_MS = 60_000

/**
 * Logs changes, not each envelope: when an SDK captures console errors, a line per lost one would cause the next one.
 * @param now epoch ms
 */
export function createConsoleReport(now: () => number): Report {
  const logged = new Map<number, number>()
  return (event) => {
    if (event.kind === 'refused' && now() - (logged.get(event.status) ?? Number.NEGATIVE_INFINITY) >= QUIET_MS) {
      logged.set(event.status, now())
      console.error(`[tunnel] refused with ${event.status}: ${plainText(event.detail)}`)
    }
    if (event.kind === 'down') console.error(`[tunnel] the collector cannot be reached: ${event.cause}`)
    if (event.kind === 'undeliverable')
      console.error(
        `[tunnel] the collector refused ${event.file} with ${event.status}: renamed to .refused, retried at the next start`,
      )
    if (event.kind === 'unreadable') console.error(`[tunnel] renamed ${event.file} to .unreadable: ${event.reason}`)
    if (event.kind === 'bug') console.error('[tunnel] internal error:', event.error)
  }
}

/** Catches errors of a report function, so that they never become errors of the app. */
export function safely(report: Report): Report {
  return (event) => {
    try {
      report(event)
    } catch (error) {
      console.error('[tunnel] the report function threw:', error)
    }
  }
}
