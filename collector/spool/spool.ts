import type { JournalFact } from '../../lib/wire/journal'
import { startThread } from '../thread-call'
import type { Appended, Attempt, StoredLimit, Submission } from './submission'

/** The spool as the main thread knows it: every promise resolves after a synced commit, or rejects and nothing is stored. */
export interface Spool {
  readonly append: (submission: Submission) => Promise<Appended>
  readonly deliver: (attempt: Attempt) => Promise<void>
  readonly limit: (limits: readonly StoredLimit[]) => Promise<void>
  readonly digested: (upTo: number) => Promise<void>
  readonly refused: (reason: string, bytes: number) => Promise<void>
  readonly setting: (name: string, value: string) => Promise<void>
  readonly close: () => Promise<void>
}

/** Opens the spool in a thread of its own; resolves when its file is migrated and its pragmas hold. */
export async function openSpool(options: {
  readonly folder: string
  /** Facts, in order, once they are durable. */
  readonly onFacts: (facts: readonly JournalFact[]) => void
  readonly onDeath: (error: Error) => void
}): Promise<Spool> {
  const thread = startThread({
    entry: new URL('./writer-thread.js', import.meta.url),
    data: { folder: options.folder },
    onNews: (news) => options.onFacts(news as readonly JournalFact[]),
    onDeath: options.onDeath,
  })
  await thread.call('ready')
  return {
    append: (submission) => thread.call('append', submission),
    deliver: (attempt) => thread.call('deliver', attempt),
    limit: (limits) => thread.call('limit', limits),
    digested: (upTo) => thread.call('digested', upTo),
    refused: (reason, bytes) => thread.call('refused', reason, bytes),
    setting: (name, value) => thread.call('setting', name, value),
    close: () => thread.stop(),
  }
}
