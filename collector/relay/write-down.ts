import type { Spool } from '../spool/spool'
import { type Decision, type Discard, EVERY_ITEM } from '../spool/submission'
import type { Attempted } from './attempt'
import type { LastAnswer } from './condition'

/** What came of a record: an attempt, or that nothing of it was left to post. */
export type Made =
  | Attempted
  | { readonly kind: 'cut'; readonly decision: NonNullable<Decision>; readonly toReport: readonly Discard[] }

/** It cannot be told what of it is secret: it does not leave, and those behind it go on. */
export const UNSCRUBBED: Made = {
  kind: 'cut',
  decision: [{ item: EVERY_ITEM, outcome: 'filtered', reason: 'unscrubbed' }],
  toReport: [],
}

/** What came of it, as people are told. @param unwritten why it could not be written down; `null` when it was. */
export function lastOf(made: Made, unwritten: string | null, now: number): LastAnswer {
  if (made.kind !== 'attempted') return { at: now, status: null, error: unwritten }
  const { endedAt, status, error } = made.attempt
  return { at: endedAt, status, error: unwritten ?? error }
}

/**
 * Writes down what came of a record. A disk that is full just now must not end the process: the envelope stays pending, and
 * the writing is tried again.
 * @returns why it could not be written; `null` when it was.
 */
export async function writeDown(
  spool: Pick<Spool, 'deliver' | 'limit' | 'settle'>,
  seq: number,
  made: Made,
): Promise<string | null> {
  try {
    if (made.kind === 'cut') {
      await spool.settle(seq, made.decision, made.toReport)
      return null
    }
    if (made.limits.length > 0) await spool.limit(made.limits)
    await spool.deliver(made.attempt)
    return null
  } catch (error) {
    return `what became of it could not be written down: ${error instanceof Error ? error.message : String(error)}`
  }
}
