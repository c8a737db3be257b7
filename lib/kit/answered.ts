import { CollectorError } from '../wire/errors'
import type { Clock } from './clock'

/** A collector that is busy answers late, and one that is frozen never: for so long each answer is waited for. */
const ANSWER_MS = 5_000

/**
 * What a collector answers, as long as it answers in time.
 * @throws CollectorError with status null where it does not
 */
export async function answered<Answer>(
  clock: Clock,
  ask: (signal: AbortSignal) => Promise<Answer>,
  ms = ANSWER_MS,
): Promise<Answer> {
  const late = new AbortController()
  const cancel = clock.later(ms, () => late.abort())
  try {
    return await ask(late.signal)
  } catch (cause) {
    if (!late.signal.aborted) throw cause
    throw new CollectorError(null, `the collector has not answered within ${ms / 1000} s`, { cause })
  } finally {
    cancel()
  }
}
