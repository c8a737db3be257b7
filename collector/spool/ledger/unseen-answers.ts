import type { Quantity } from '../../../lib/protocol/data-category'
import { NETWORK_ERROR } from '../../../lib/protocol/outcome'
import type { Submission } from '../../../lib/protocol/submission'
import { AbortedPosts } from './aborted-posts'
import type { LedgerTotals, RecordRef } from './ledger-totals'

/** Rows kept: one per page (or stamp) and data category, those that changed last. */
export const MAX_ROWS = 1000

type Sender = Pick<Submission, 'publicKey' | 'project' | 'stamp'> & { readonly page: string | null }

/** A stored record, read by its receipt. */
export interface UnseenRecord extends Sender, RecordRef {
  /** With limited names. */
  readonly quantities: readonly Quantity[]
}

/** A page or stamp, and one of its data categories. */
export interface UnseenKey extends Pick<Submission, 'publicKey' | 'project'> {
  /** `page …` or `stamp …`. */
  readonly source: string
  readonly category: string
}

/** Quantities of one key. */
export interface UnseenRow {
  /** Arrived, and the sender saw no answer. */
  readonly arrived: number
  /** Discarded with `network_error`, as client reports count. */
  readonly reported: number
  /** Journal number of the newest record that changed the row. */
  readonly journal: number
}

/** Storage of the rows. */
export interface UnseenRows {
  readonly read: (key: UnseenKey) => UnseenRow | undefined
  readonly write: (key: UnseenKey, row: UnseenRow) => void
  /** Deletes the rows that changed longest ago, until `MAX_ROWS` are left. */
  readonly trim: () => void
}

/** Names and changes of the ledger totals. */
export type UnseenTotals = Pick<LedgerTotals, 'limitName' | 'addUnseen'>

/**
 * Items whose connection closed before our answer was sent, or whose page was left before it read the answer, and
 * `network_error` discards that the same page reports. Client reports carry no ids, so the two are matched by quantity,
 * per data category: the matched quantity arrived. The totals move it from the discards to `answer_unseen`, whichever of
 * the two is known first.
 */
export class UnseenAnswers {
  readonly #aborted = new AbortedPosts()
  readonly #rows: UnseenRows
  readonly #totals: UnseenTotals

  constructor(rows: UnseenRows, totals: UnseenTotals) {
    this.#rows = rows
    this.#totals = totals
  }

  /** Adds the items of a stored record whose sender saw no answer. */
  addUnseen(receipt: string, record: UnseenRecord): void {
    if (!this.#aborted.isMatched(receipt)) this.#addArrived(record, record, record.quantities)
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
    this.#rows.write(key, { ...after, journal })
    const matched = Math.min(after.arrived, after.reported) - Math.min(before.arrived, before.reported)
    if (matched > 0) this.#totals.addUnseen({ stamp: record.stamp, journal }, { ...added, quantity: matched })
    if (before === NOTHING) this.#rows.trim()
  }

  #read(sender: Sender, category: string): UnseenRow {
    const key = keyOf(sender, category)
    return key === null ? NOTHING : (this.#rows.read(key) ?? NOTHING)
  }
}

const NOTHING: UnseenRow = { arrived: 0, reported: 0, journal: 0 }

function keyOf(sender: Sender, category: string): UnseenKey | null {
  const source = sourceOf(sender)
  return source === null ? null : { publicKey: sender.publicKey, project: sender.project, source, category }
}

/** A page is the closer match; a program has no page, but its telemetry may have a stamp. */
function sourceOf({ page, stamp }: Sender): string | null {
  if (page !== null) return `page ${page}`
  return stamp === null ? null : `stamp ${stamp}`
}

/** Rows in memory: they end with the process. */
export class UnseenRowsInMemory implements UnseenRows {
  /** In the order of their last change. */
  readonly #rows = new Map<string, UnseenRow>()

  read(key: UnseenKey): UnseenRow | undefined {
    return this.#rows.get(nameOf(key))
  }

  write(key: UnseenKey, row: UnseenRow): void {
    const name = nameOf(key)
    this.#rows.delete(name)
    this.#rows.set(name, row)
  }

  trim(): void {
    for (const oldest of this.#rows.keys()) {
      if (this.#rows.size <= MAX_ROWS) return
      this.#rows.delete(oldest)
    }
  }
}

const nameOf = ({ publicKey, project, source, category }: UnseenKey): string =>
  JSON.stringify([publicKey, project, source, category])
