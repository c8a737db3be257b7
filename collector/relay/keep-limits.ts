import type { Spool } from '../spool/spool'
import type { RateLimits } from './limits'

/** So often it is looked whether the clock was set, and which limits are over. */
const LOOK_MS = 10_000

/**
 * A limit is stored with the time of day at which it ends, and runs by a clock that nobody sets. Where the two part, for
 * the clock was set, it is stored anew: else a restart would end it early, or late. One that is over is stored as that.
 * @returns how to end that; it looks once more.
 */
export function keepLimits(parts: {
  readonly limits: Pick<RateLimits, 'corrected'>
  readonly store: Spool['correctLimits']
  readonly repeat: (work: () => void, ms: number) => () => void
  readonly say: (sentence: string) => void
}): () => Promise<void> {
  const look = async (): Promise<void> => {
    const corrected = parts.limits.corrected()
    if (corrected.length === 0) return
    await parts.store(corrected).catch((error: Error) => parts.say(`limits after the clock was set: ${error.message}`))
  }
  const stop = parts.repeat(look, LOOK_MS)
  return () => {
    stop()
    return look()
  }
}
