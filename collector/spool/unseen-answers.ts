import type { Database, Statement } from 'better-sqlite3'
import type { Quantity } from '../../lib/protocol/data-category'
import { NETWORK_ERROR } from '../../lib/protocol/outcome'
import { prepareAll } from './database'
import type { LedgerTotals, RecordRef } from './ledger-totals'
import type { Submission } from './submission'

/** Rows kept: one per page (or stamp) and data category, those that changed last. */
export const MAX_ROWS = 1000

type Sender = Pick<Submission, 'publicKey' | 'project' | 'stamp'> & { readonly page: string | null }

interface Row {
  readonly arrived: number
  readonly reported: number
  readonly journal: number
}

/**
 * Items whose connection closed before our answer was sent, and `network_error` discards that the same page reports.
 * Client reports carry no ids, so the two are matched by quantity, per data category: the matched quantity arrived. The
 * totals move it from the discards to `answer_unseen`, whichever of the two is known first.
 */
export class UnseenAnswers {
  readonly #totals: LedgerTotals
  readonly #sql: Readonly<Record<keyof typeof SQL, Statement>>

  constructor(db: Database, totals: LedgerTotals) {
    this.#totals = totals
    this.#sql = prepareAll(db, SQL)
  }

  /** Adds the items of a stored record whose sender saw no answer. Does nothing if there is no such receipt (any more). */
  addReceipt(receipt: string): void {
    const found = this.#sql.findReceipt.get(receipt) as (Sender & RecordRef & { quantities: string }) | undefined
    if (found === undefined) return
    const quantities = JSON.parse(found.quantities) as [string, number][]
    this.addArrived(
      found,
      found,
      quantities.map(([category, quantity]) => ({ category, quantity })),
    )
  }

  addArrived(sender: Sender, record: RecordRef, quantities: readonly Quantity[]): void {
    for (const { category, quantity } of quantities)
      this.#add(sender, record, { category, arrived: quantity, reported: 0 })
  }

  /** Adds the `network_error` discards of a client report; others are ignored. Call it after they were counted. */
  addReported(sender: Sender, record: RecordRef, discards: Submission['discards']): void {
    for (const discard of discards) {
      if (discard.reason !== NETWORK_ERROR) continue
      const { category, quantity } = this.#totals.limitName(discard)
      this.#add(sender, record, { category, arrived: 0, reported: quantity })
    }
  }

  #add(
    sender: Sender,
    record: RecordRef,
    added: { readonly category: string; readonly arrived: number; readonly reported: number },
  ): void {
    const source = sourceOf(sender)
    if (source === null) return
    const key = { publicKey: sender.publicKey, project: sender.project, source, category: added.category }
    const before = this.#sql.read.get(key) as Row | undefined
    const { arrived = 0, reported = 0 } = before ?? {}
    const after = { arrived: arrived + added.arrived, reported: reported + added.reported }
    // The totals of a stamp count records from a journal number on, so the newer of the two records decides.
    const journal = Math.max(record.journal, before?.journal ?? 0)
    this.#sql.write.run({ ...key, ...after, journal })
    const matched = Math.min(after.arrived, after.reported) - Math.min(arrived, reported)
    if (matched > 0) this.#totals.addUnseen({ stamp: record.stamp, journal }, { ...added, quantity: matched })
    if (before === undefined) this.#sql.trim.run(MAX_ROWS)
  }
}

/** A page is the closer match; a program has no page, but its telemetry may have a stamp. */
function sourceOf({ page, stamp }: Sender): string | null {
  if (page !== null) return `page ${page}`
  return stamp === null ? null : `stamp ${stamp}`
}

const SQL = {
  findReceipt: `SELECT journal, stamp, public_key AS publicKey, project, quantities, json_extract(facts, '$.page') AS page
    FROM submissions WHERE receipt = ? AND endpoint <> 'stream'`,
  read: `SELECT arrived, reported, journal FROM unseen_answers
    WHERE public_key = @publicKey AND project = @project AND source = @source AND category = @category`,
  write: `INSERT INTO unseen_answers (public_key, project, source, category, arrived, reported, journal)
    VALUES (@publicKey, @project, @source, @category, @arrived, @reported, @journal)
    ON CONFLICT DO UPDATE SET arrived = excluded.arrived, reported = excluded.reported, journal = excluded.journal`,
  trim: `DELETE FROM unseen_answers WHERE (public_key, project, source, category) IN
    (SELECT public_key, project, source, category FROM unseen_answers ORDER BY journal DESC LIMIT -1 OFFSET ?)`,
} as const
