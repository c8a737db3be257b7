import type { Submission } from '../../lib/protocol/submission'
import { codeOf } from '../runtime/sqlite-errors'
import { type LedgerNames, unseenEntries } from '../spool/ledger/ledger-entries'
import { UnseenAnswers, UnseenRowsInMemory } from '../spool/ledger/unseen-answers'
import type { Write } from './batch'
import type { StoreConnection } from './connection'
import { readUnseen } from './reads'

interface UnseenTools {
  /** Reads records by receipt. */
  readonly connection: StoreConnection
  readonly names: LedgerNames
  readonly write: (write: Write) => Promise<unknown>
  readonly log: (line: string) => void
}

/**
 * Matches unseen answers with `network_error` discards that this collector receives, and appends the matched quantities
 * to the changes of the totals. Best effort: the rows end with the process, and other collectors do not read them.
 */
export class CollectorUnseenAnswers {
  readonly #tools: UnseenTools
  readonly #unseen: UnseenAnswers
  /** Lookups and writes that have not ended. None of these rejects. */
  readonly #open = new Set<Promise<void>>()
  readonly #logged = new Set<string>()

  constructor(tools: UnseenTools) {
    this.#tools = tools
    this.#unseen = new UnseenAnswers(new UnseenRowsInMemory(), {
      limitName: (quantity) => tools.names.limit(quantity),
      addUnseen: ({ journal, stamp }, quantity) => {
        const moved = tools.write({ kind: 'totals', record: { journal, stamp }, entries: unseenEntries(quantity) })
        this.#track(moved, (error) => this.#logOnce(error))
      },
    })
  }

  /** Adds a record whose batch is committed. Call it once per record. @param seq its number */
  addStored(submission: Submission, seq: number): void {
    const { stamp, quantities, deliveryStatus } = submission
    if (deliveryStatus === 'copy') return
    const limited = quantities.map((quantity) => this.#tools.names.limit(quantity))
    this.#unseen.addRecord(submission, { journal: seq, stamp }, limited)
  }

  /**
   * Adds the items of a stored record whose sender saw no answer. Does nothing if there is no such receipt (any more). The
   * change of the totals may follow later. @throws StoreAwayError, BodyDamagedError when the record cannot be read
   */
  addReceipt(receipt: string): Promise<void> {
    const added = readUnseen(this.#tools.connection, receipt).then((record) => {
      if (record !== null) this.#unseen.addUnseen(receipt, record)
    })
    this.#track(added, () => undefined)
    return added
  }

  /** Resolves when every lookup and every change of the totals was written, or has failed. */
  async settled(): Promise<void> {
    while (this.#open.size > 0) await Promise.all(this.#open)
  }

  #track(work: Promise<unknown>, onError: (error: unknown) => void): void {
    const ended = work.catch(onError).then(() => {
      this.#open.delete(ended)
    })
    this.#open.add(ended)
  }

  #logOnce(error: unknown): void {
    const kind = codeOf(error) ?? (error instanceof Error ? error.name : 'other')
    if (this.#logged.has(kind)) return
    this.#logged.add(kind)
    const why = error instanceof Error ? error.message : String(error)
    this.#tools.log(`items that arrived stay counted as network_error, because the totals could not be changed: ${why}`)
  }
}
