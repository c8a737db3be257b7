import { join } from 'node:path'
import type { Database } from 'better-sqlite3'
import { Digest } from '../../../collector/index/digest'
import { indexPath } from '../../../collector/index/index-open'
import { openForReading } from '../../../collector/runtime/database'
import type { Attempt } from '../../../collector/spool/submission'
import { quantityOf } from '../../../lib/protocol/data-category'
import { parseRecord } from '../../../lib/protocol/record'
import { SIZE_LIMITS } from '../../../lib/protocol/size-limits'
import type { Submission } from '../../../lib/protocol/submission'
import { type InProcessSpool, openInProcess, submission, temporaryFolder } from '../spool/in-process-spool'
import { valueIn } from '../value-in'

/** The collector's record and index in this process, and a connection that reads both as its readers do. */
export class RecordedFolder {
  readonly spool: InProcessSpool
  readonly #digest: Digest
  readonly #record: Database
  readonly db: Database

  constructor(now: () => number = () => 1_795_000_000_000) {
    const folder = temporaryFolder()
    this.spool = openInProcess({ folder, now })
    this.#record = openForReading(join(folder, 'spool.db'))
    this.#digest = new Digest({ folder, spool: this.#record, sizeLimits: SIZE_LIMITS, now, log: () => undefined })
    this.db = openForReading(indexPath(folder))
    this.db.prepare('ATTACH ? AS spool').run(join(folder, 'spool.db'))
  }

  /** @returns the sequence number. */
  receive(body: string, given: Partial<Submission> = {}): number {
    const [seq = 0] = this.receiveAll([{ body, given }])
    return seq
  }

  /** Receives in one commit. @returns the sequence numbers. */
  receiveAll(received: readonly { readonly body: string; readonly given: Partial<Submission> }[]): readonly number[] {
    return this.spool.writer.commit(() => received.map((one) => this.#append(one.body, one.given))).result
  }

  #append(body: string, given: Partial<Submission>): number {
    const bytes = new TextEncoder().encode(body)
    const framed = valueIn(parseRecord(given.endpoint ?? 'envelope', bytes))
    const quantities = framed.items.map(quantityOf)
    const appended = this.spool.writer.insertSubmission(submission({ ...given, body: bytes, quantities }))
    if (!('seq' in appended)) throw new Error('the disk budget is exceeded')
    return appended.seq
  }

  deliver(attempt: Attempt): Promise<void> {
    return this.spool.recordAttempt(attempt)
  }

  /** Digests everything that was received. */
  digest(): void {
    while (this.#digest.step().more);
  }

  /** Erases the rows of these records, as eviction does first. */
  eraseRows(seqs: readonly number[]): void {
    this.#digest.erase(seqs)
  }

  /** Evicts as the collector does: rows first, then the record. */
  async evict(seqs: readonly number[]): Promise<void> {
    this.#digest.erase(seqs)
    await this.spool.evictSettled(seqs)
  }

  /** Evicts the rows of all records up to this one; the records stay. */
  async evictRows(upTo: number): Promise<void> {
    const seqs = Array.from({ length: upTo }, (_, index) => index + 1)
    this.#digest.erase(seqs)
    await this.spool.noteRowsEvicted(seqs)
  }

  close(): void {
    this.db.close()
    this.#digest.close()
    this.#record.close()
    this.spool.close()
  }
}

interface Page {
  readonly next: string | null
}

/** Reads a list page by page until its end, and returns the pages. */
export function pagesOf<Read extends Page>(read: (cursor: string | null) => Read): readonly Read[] {
  const pages: Read[] = []
  for (let cursor: string | null = null; ; ) {
    const page = read(cursor)
    pages.push(page)
    if (page.next === null) return pages
    if (page.next === cursor) throw new Error(`the page at ${cursor} leads to itself`)
    cursor = page.next
  }
}
