import type { VisitorDeleted } from '../../../lib/wire/visitor'
import type { WriterCalls } from '../writer-methods'
import type { RowsOfRecords, WithNewest } from './eviction'

interface VisitorParts {
  readonly spool: Pick<WriterCalls, 'addVisitorDeletion' | 'visitorRecords' | 'clearVisitor' | 'noteCleared'> &
    WithNewest
  readonly rows: Pick<RowsOfRecords, 'erase'>
}

/** Lets no post of these records start any more. */
export type WithholdPosts = (seqs: readonly number[]) => {
  /** Resolves when the open posts of these records have ended, with their number. */
  readonly ended: Promise<number>
  /** Call it when the records are deleted; those that are still pending are posted then. */
  readonly release: () => void
}

/**
 * Deletes every record that some visitors have sent, with its rows; pending ones end as `dropped`, reason `visitor`. Records
 * that they sent before and that arrive later are dropped as well. @param at now, ms since the epoch.
 */
export async function deleteVisitor(
  { spool, rows }: VisitorParts,
  visitors: readonly string[],
  at: number,
  withhold: WithholdPosts,
): Promise<VisitorDeleted> {
  await spool.addVisitorDeletion(visitors, at)
  const upTo = (await spool.usage()).newest
  const done = { records: 0, dropped: 0, posted: 0, awaited: 0 }
  for (;;) {
    const seqs = await spool.visitorRecords(visitors, upTo)
    if (seqs.length === 0) break
    const posts = withhold(seqs)
    try {
      done.awaited += await posts.ended
      await rows.erase(seqs)
      const cleared = await spool.clearVisitor(seqs)
      done.records += seqs.length
      done.dropped += cleared.dropped
      done.posted += cleared.posted
    } finally {
      posts.release()
    }
  }
  // Each note makes open boards read again.
  if (done.records > 0) await spool.noteCleared()
  return done
}
