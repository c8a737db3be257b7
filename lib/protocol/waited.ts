/** The time since the machine started. Setting the clock does not change it, and it counts sleep. */
export interface Uptime {
  /** A mark of this start of the machine. */
  readonly boot: string
  readonly uptimeMs: number
}

/** Moments that earlier versions stored have no uptime. */
export interface Moment extends Partial<Uptime> {
  /** ms since the epoch */
  readonly at: number
}

/** A longer wait across a restart of the machine means that its clock was set. Sentry takes nothing older, either. */
export const MOST_WAITED_MS = 30 * 24 * 60 * 60 * 1000
/** The system counts whole seconds of uptime. */
const UPTIME_PRECISION_MS = 2000

/**
 * The time between two moments: by the uptime where the machine was not restarted in between, else by the clock.
 * @returns ms; `null` when the clock was set, so that nobody knows
 */
export function waitedMs(from: Moment, to: Moment): number | null {
  const byClock = to.at - from.at
  if (from.boot === to.boot && from.uptimeMs !== undefined && to.uptimeMs !== undefined) {
    const byUptime = Math.max(0, to.uptimeMs - from.uptimeMs)
    return byClock >= 0 && Math.abs(byClock - byUptime) <= UPTIME_PRECISION_MS ? byClock : byUptime
  }
  return byClock >= 0 && byClock <= MOST_WAITED_MS ? byClock : null
}
