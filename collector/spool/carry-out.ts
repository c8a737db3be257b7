import type { Database } from 'better-sqlite3'
import type { JournalFact } from '../../lib/wire/journal'
import { faultPoint } from '../runtime/fault-point'
import { type Answer, type Call, invoke, type Methods, plain } from '../runtime/thread-call'
import type { SpoolWriter } from './writer'

/** Answers to a batch, and the facts that it made. */
export interface CarriedOut {
  readonly answer: readonly Answer[]
  readonly facts: readonly JournalFact[]
}

/**
 * Carries out a batch of calls in one transaction: one that fails takes nobody else's work with it. What that needs, a
 * savepoint for each, costs as much as a third of the work itself, so it is set only where a call failed: then all of them
 * are carried out anew.
 * @throws when nothing of it could be written.
 */
export function carryOut(
  batch: readonly Call[],
  staged: Methods,
  { db, writer }: { readonly db: Pick<Database, 'inTransaction'>; readonly writer: SpoolWriter },
): CarriedOut {
  const commit = (work: (call: Call) => Answer): CarriedOut =>
    writer.commit(() => {
      const given = batch.map(work)
      faultPoint('before_commit')
      return given
    })
  let hasFailed = false
  try {
    return commit((call) => {
      try {
        return { id: call.id, value: invoke(call, staged) }
      } catch (error) {
        // Where SQLite had to give up the whole transaction (a full disk), the batch ends with it.
        hasFailed = db.inTransaction
        throw error
      }
    })
  } catch (error) {
    if (!hasFailed) throw error
  }
  return commit((call) => {
    try {
      return { id: call.id, value: writer.attempt(() => invoke(call, staged)) }
    } catch (error) {
      if (db.inTransaction) return { id: call.id, error: plain(error) }
      throw error
    }
  })
}
