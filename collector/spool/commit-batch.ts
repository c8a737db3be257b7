import { type MessagePort, receiveMessageOnPort } from 'node:worker_threads'
import type { Database } from 'better-sqlite3'
import type { JournalFact } from '../../lib/wire/journal'
import { faultPoint } from '../runtime/fault-point'
import { type Call, type CallResult, invoke, type Methods, toPlainError } from '../runtime/thread-call'
import type { LedgerEntry } from './ledger/ledger-entries'
import type { Transactions } from './transactions'

/** In a larger batch the first caller would wait for the last. */
export const MAX_BATCH = 256

/**
 * Group commit: while one transaction is synced, calls queue up at the port, and the next transaction takes them all.
 * Each caller is answered after the sync that covers its call. @returns `first` and the queued calls
 */
export function takeQueued(port: MessagePort, first: readonly Call[]): readonly Call[] {
  const calls = [...first]
  while (calls.length < MAX_BATCH) {
    const next = receiveMessageOnPort(port) as { message: readonly Call[] } | undefined
    if (next === undefined) break
    calls.push(...next.message)
  }
  return calls
}

type Committer = Pick<Transactions, 'commit' | 'attempt'>

interface CommittedBatch {
  readonly answers: readonly CallResult[]
  /** Journal facts that the batch added. */
  readonly facts: readonly JournalFact[]
  /** Changes of the ledger totals. */
  readonly totals: readonly LedgerEntry[]
}

/**
 * Runs a batch of calls in one synced transaction; when one failed, again with one savepoint per call (a third of the
 * work). A call that fails loses only its own changes. @throws when the batch could not be committed.
 */
export function commitBatch(
  batch: readonly Call[],
  methods: Methods,
  { db, writer }: { readonly db: Pick<Database, 'inTransaction'>; readonly writer: Committer },
): CommittedBatch {
  let hasFailedCall = false
  try {
    return commit(writer, batch, (call) => {
      try {
        return { id: call.id, value: invoke(call, methods) }
      } catch (error) {
        // SQLite rolls back the whole transaction for some errors, such as a full disk: then the batch fails as a whole.
        hasFailedCall = db.inTransaction
        throw error
      }
    })
  } catch (error) {
    if (!hasFailedCall) throw error
  }
  return commit(writer, batch, (call) => {
    try {
      return { id: call.id, value: writer.attempt(() => invoke(call, methods)) }
    } catch (error) {
      if (db.inTransaction) return { id: call.id, error: toPlainError(error) }
      throw error
    }
  })
}

function commit(writer: Committer, batch: readonly Call[], run: (call: Call) => CallResult): CommittedBatch {
  const { result, ...news } = writer.commit(() => {
    const answers = batch.map(run)
    faultPoint('before_commit')
    return answers
  })
  return { answers: result, ...news }
}
