import type { Call } from '../runtime/thread-call'

/** Writes that no sender waits for. */
const DEFERRABLE: ReadonlySet<string> = new Set(['recordAttempt', 'noteDigested'])
/** More of them are worth a transaction of their own. */
const MOST_HELD = 8
export const HELD_MS = 10
/** Envelopes arrive when the last one came within this time. */
export const APPENDED_WITHIN_MS = 20

/**
 * While envelopes arrive, a few writes that no sender waits for are held until the next append, at most 10 ms: a sync of
 * their own costs more CPU than they do.
 * @param given.run runs calls, in one transaction where they fit
 * @param given.later starts a timer of some ms and returns what ends it
 * @param given.monotonic a clock in ms that never goes back
 * @returns takes the calls that were received together
 */
export function deferWrites(given: {
  readonly run: (calls: readonly Call[]) => void
  readonly later: (work: () => void, ms: number) => () => void
  readonly monotonic: () => number
}): (calls: readonly Call[]) => void {
  let held: readonly Call[] = []
  let appendedAt = Number.NEGATIVE_INFINITY
  let cancel = (): void => undefined
  const runNow = (calls: readonly Call[]): void => {
    cancel()
    held = []
    if (calls.some(({ method }) => method === 'append')) appendedAt = given.monotonic()
    given.run(calls)
  }
  return (received) => {
    const calls = [...held, ...received]
    const mayWait =
      calls.length <= MOST_HELD &&
      given.monotonic() - appendedAt < APPENDED_WITHIN_MS &&
      calls.every(({ method }) => DEFERRABLE.has(method))
    if (!mayWait) {
      runNow(calls)
      return
    }
    if (held.length === 0) cancel = given.later(() => runNow(held), HELD_MS)
    held = calls
  }
}
