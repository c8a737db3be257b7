import {
  type LedgerEntry,
  LedgerNames,
  sumEntries,
  unseenEntries,
} from '../../../collector/spool/ledger/ledger-entries'
import type { RecordRef } from '../../../collector/spool/ledger/ledger-totals'
import { UnseenAnswers, UnseenRowsInMemory } from '../../../collector/spool/ledger/unseen-answers'
import type { Submission } from '../../../lib/protocol/submission'
import { ledgerErrors } from '../../faults/ledger-errors'
import { openInProcess } from './in-process-spool'

/** Ledger totals that unseen answers change. */
export interface UnseenLedger {
  readonly append: (submission: Submission) => Promise<unknown>
  /** @param receipt of a body whose sender saw no answer */
  readonly addUnseenAnswer: (receipt: string) => Promise<void>
  /** The quantity of an entry, of one category or of all. */
  readonly quantityOf: (entry: string, category?: string) => number
  /** Entries with the discards and unseen answers of a stamp. */
  readonly discardsOf: (stamp: string) => readonly (readonly [entry: string, quantity: number])[]
  /** Errors in the totals, each a sentence. */
  readonly errors: () => readonly string[]
}

const OF_DISCARDS: ReadonlySet<string> = new Set(['answer_unseen', 'client_discard'])

/** The real writer of the record. */
export function openOnSqlite(): UnseenLedger {
  const spool = openInProcess({})
  const ofStamp = spool.db.prepare(
    'SELECT entry, quantity FROM stamp_ledger_totals WHERE stamp = ? AND quantity <> 0 ORDER BY entry',
  )
  return {
    append: spool.append,
    addUnseenAnswer: spool.addUnseenAnswer,
    quantityOf: spool.quantityOf,
    discardsOf: (stamp) => (ofStamp.raw().all(stamp) as [string, number][]).filter(([entry]) => OF_DISCARDS.has(entry)),
    errors: () => ledgerErrors(spool.db),
  }
}

/** Rows and totals in memory. */
export function openInMemory(): UnseenLedger {
  const names = new LedgerNames({ categories: [], reasons: [] })
  const entries: (LedgerEntry & RecordRef)[] = []
  const add = ({ journal, stamp }: RecordRef, added: readonly LedgerEntry[]): void => {
    entries.push(...added.map((entry) => ({ ...entry, journal, stamp })))
  }
  const unseen = new UnseenAnswers(new UnseenRowsInMemory(), {
    limitName: (quantity) => names.limit(quantity),
    addUnseen: (record, quantity) => add(record, unseenEntries(quantity)),
  })
  const records = new Map<string, Submission & RecordRef>()
  return {
    append: async (submission) => {
      const { receipt, stamp, quantities, discards } = submission
      if (records.has(receipt)) return
      const record = { ...submission, journal: records.size + 1 }
      records.set(receipt, record)
      const received = quantities.map((one): LedgerEntry => ({ ...one, entry: 'received', reason: '', items: 1 }))
      add({ journal: record.journal, stamp }, [...received, ...discards.map((discard) => names.discarded(discard))])
      unseen.addRecord(submission, record, quantities)
    },
    addUnseenAnswer: async (receipt) => {
      const record = records.get(receipt)
      if (record !== undefined) unseen.addUnseen(receipt, { ...record, page: record.facts.page })
    },
    quantityOf: (entry, category) =>
      entries
        .filter((one) => one.entry === entry && (category === undefined || one.category === category))
        .reduce((sum, { quantity }) => sum + quantity, 0),
    discardsOf: (stamp) =>
      sumEntries(entries.filter((one) => one.stamp === stamp && OF_DISCARDS.has(one.entry)))
        .map(({ entry, quantity }) => [entry, quantity] as const)
        .sort(([one], [other]) => one.localeCompare(other)),
    errors: () =>
      sumEntries(entries)
        .filter(({ quantity }) => quantity < 0)
        .map(({ category, entry, quantity }) => `${entry} of ${category} is ${quantity}`),
  }
}
