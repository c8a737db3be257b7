import type { Database, Statement } from 'better-sqlite3'
import type { Quantity } from '../../../lib/protocol/data-category'
import { NETWORK_ERROR } from '../../../lib/protocol/outcome'
import type { Submission } from '../../../lib/protocol/submission'
import { prepareAll } from '../../runtime/database'
import { readQuantities } from '../stored-content'
import { AbortedPosts } from './aborted-posts'
import type { LedgerTotals, RecordRef } from './ledger-totals'

/** Rows kept: one per page (or stamp) and data category, those that changed last. */
export const MAX_ROWS = 1000

type Sender = Pick<Submission, 'publicKey' | 'project' | 'stamp'> & { readonly page: string | null }

interface Row {
  readonly arrived: number
  readonly reported: number
  readonly journal: number
}

/**
 * Items whose connection closed before our answer was sent, or whose page was left before it read the answer, and
 * `network_error` discards that the same page reports. Client reports carry no ids, so the two are matched by quantity,
 * per data category: the matched quantity arrived. The totals move it from the discards to `answer_unseen`, whichever of
 * the two is known first.
 */
export class UnseenAnswers {
  readonly #aborted = new AbortedPosts()
  readonly #totals: LedgerTotals
  readonly #sql: Readonly<Record<keyof typeof SQL, Statement>>

  constructor(db: Database, totals: LedgerTotals) {
    this.#totals = totals
    this.#sql = prepareAll(db, SQL)
  }

  /** Adds the items of a stored record whose sender saw no answer. Does nothing if there is no such receipt (any more). */
  addReceipt(receipt: string): void {
    const found = this.#sql.findReceipt.get(receipt) as (Sender & RecordRef & { quantities: string }) | undefined
    if (found === undefined || this.#aborted.isMatched(receipt)) return
    this.#addArrived(found, found, readQuantities(found.quantities))
  }

  /** Adds a stored record. Call it after its discards were counted. @param quantities with limited names */
  addRecord(submission: Submission, record: RecordRef, quantities: readonly Quantity[]): void {
    const {
      publicKey,
      project,
      stamp,
      facts,
      receipt,
      receivedAt,
      discards,
      sentAt = null,
      countedAt = null,
    } = submission
    const sender = { publicKey, project, stamp, page: facts.page }
    const source = sourceOf(sender)
    if (source === null) return
    const lost = discards
      .filter(({ reason }) => reason === NETWORK_ERROR)
      .map((discard) => this.#totals.limitName({ category: discard.category, quantity: discard.quantity }))
    for (const { category, quantity } of lost) this.#add(sender, record, { category, arrived: 0, reported: quantity })
    if (lost.length > 0) this.#addInnerSpans(sender, record)
    if (submission.answerUnseen) this.#addArrived(sender, record, quantities)
    const key = `${publicKey} ${project} ${source}`
    const arrived = [
      ...(lost.length === 0 || countedAt === null
        ? []
        : this.#aborted.addReport({ source: key, countedAt, receivedAt, quantities: lost })),
      ...(submission.answerUnseen
        ? []
        : this.#aborted.addPost({ receipt, source: key, quantities, sentAt, receivedAt })),
    ]
    if (arrived.length > 0) this.#addArrived(sender, record, arrived)
  }

  #addArrived(sender: Sender, record: RecordRef, quantities: readonly Quantity[]): void {
    for (const { category, quantity } of quantities)
      this.#add(sender, record, { category, arrived: quantity, reported: 0 })
    this.#addInnerSpans(sender, record)
  }

  /**
   * An SDK that discards a transaction counts its spans, too, while a received one counts only as a transaction. So once
   * all reported transactions have arrived, the reported spans have arrived inside of them.
   */
  #addInnerSpans(sender: Sender, record: RecordRef): void {
    const transactions = this.#read(sender, 'transaction')
    if (transactions.reported === 0 || transactions.arrived < transactions.reported) return
    const { reported, arrived } = this.#read(sender, 'span')
    if (reported > arrived) this.#add(sender, record, { category: 'span', arrived: reported - arrived, reported: 0 })
  }

  #add(
    sender: Sender,
    record: RecordRef,
    added: { readonly category: string; readonly arrived: number; readonly reported: number },
  ): void {
    const key = keyOf(sender, added.category)
    if (key === null) return
    const before = this.#read(sender, added.category)
    const after = { arrived: before.arrived + added.arrived, reported: before.reported + added.reported }
    // The totals of a stamp count records from a journal number on, so the newer of the two records decides.
    const journal = Math.max(record.journal, before.journal)
    this.#sql.write.run({ ...key, ...after, journal })
    const matched = Math.min(after.arrived, after.reported) - Math.min(before.arrived, before.reported)
    if (matched > 0) this.#totals.addUnseen({ stamp: record.stamp, journal }, { ...added, quantity: matched })
    if (before === NOTHING) this.#sql.trim.run(MAX_ROWS)
  }

  #read(sender: Sender, category: string): Row {
    const key = keyOf(sender, category)
    return key === null ? NOTHING : ((this.#sql.read.get(key) as Row | undefined) ?? NOTHING)
  }
}

const NOTHING: Row = { arrived: 0, reported: 0, journal: 0 }

function keyOf(sender: Sender, category: string) {
  const source = sourceOf(sender)
  return source === null ? null : { publicKey: sender.publicKey, project: sender.project, source, category }
}

/** A page is the closer match; a program has no page, but its telemetry may have a stamp. */
function sourceOf({ page, stamp }: Sender): string | null {
  if (page !== null) return `page ${page}`
  return stamp === null ? null : `stamp ${stamp}`
}

const SQL = {
  findReceipt: `SELECT journal, stamp, public_key AS publicKey, project, quantities, CASE WHEN json_valid(facts) THEN facts ->> 'page' END AS page
    FROM submissions WHERE receipt = ? AND endpoint <> 'stream'`,
  read: `SELECT arrived, reported, journal FROM unseen_answers
    WHERE public_key = @publicKey AND project = @project AND source = @source AND category = @category`,
  write: `INSERT INTO unseen_answers (public_key, project, source, category, arrived, reported, journal)
    VALUES (@publicKey, @project, @source, @category, @arrived, @reported, @journal)
    ON CONFLICT DO UPDATE SET arrived = excluded.arrived, reported = excluded.reported, journal = excluded.journal`,
  trim: `DELETE FROM unseen_answers WHERE (public_key, project, source, category) IN
    (SELECT public_key, project, source, category FROM unseen_answers ORDER BY journal DESC LIMIT -1 OFFSET ?)`,
} as const
