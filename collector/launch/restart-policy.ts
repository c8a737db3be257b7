/** How a collector that was not asked to end came to its end. */
export interface Death {
  /** On a clock that never jumps, in milliseconds. */
  readonly at: number
  /** `refused`: it said itself why it cannot run. `port taken`: it was not even started. */
  readonly cause: 'died' | 'port taken' | 'refused'
}

/** At once the first time: what is most likely was an accident. */
const WAITS_MS = [0, 1_000, 2_000, 4_000]
const WINDOW_MS = 60_000
/** Whoever holds the port may be a test that is about to end, but our own port is nobody's to keep. */
const PORT_TRIES = 3

export const DEATHS_IN_A_MINUTE = 5

/**
 * What follows the last of these deaths, oldest first: a start after so many milliseconds, or nothing any more.
 */
export function afterDeath(deaths: readonly Death[]): number | 'give up' {
  const last = deaths.at(-1)
  if (last === undefined || last.cause === 'refused') return 'give up'
  const tries = deaths.slice(-PORT_TRIES)
  if (tries.length === PORT_TRIES && tries.every(({ cause }) => cause === 'port taken')) return 'give up'
  const recent = deaths.filter(({ at }) => last.at - at < WINDOW_MS)
  if (recent.length >= DEATHS_IN_A_MINUTE) return 'give up'
  return WAITS_MS[recent.length - 1] ?? 'give up'
}
