import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { Digest } from '../../../collector/index/digest'
import { openForReading, openForWriting } from '../../../collector/runtime/database'
import type { SubmissionRow } from '../../../collector/spool/read/read-submissions'
import { migrate } from '../../../collector/spool/schema'
import { SIZE_LIMITS } from '../../../lib/protocol/size-limits'
import { randomRecords } from './random-records'
import { dump } from './rows-in-memory'

/** A data folder with a record that a test fills and a digest of it, in this process. */
export class Folder {
  readonly path: string
  readonly logged: string[] = []
  readonly #spool: Database.Database
  readonly #reading: Database.Database
  #digest: Digest

  /** @param path an existing folder. */
  constructor(path = mkdtempSync(join(tmpdir(), 'waystation-digest-'))) {
    this.path = path
    this.#spool = openForWriting(this.file('spool.db'), 'FULL')
    migrate(this.#spool)
    this.#reading = openForReading(this.file('spool.db'))
    this.#digest = this.#open()
  }

  get digest(): Digest {
    return this.#digest
  }

  file(name: string): string {
    return join(this.path, name)
  }

  receive(records: readonly SubmissionRow[]): void {
    const insert = this.#spool.prepare(
      `INSERT INTO submissions (seq, receipt, journal, received_at, endpoint, project, public_key, stamp, facts, quantities, bytes, deflated, body)
       VALUES (@seq, @seq, @journal, @received_at, @endpoint, @project, 'k', @stamp, @facts, '[]', @bytes, @deflated, @body)`,
    )
    this.#spool.transaction(() => {
      for (const record of records) {
        const { page, own } = record
        insert.run({ ...record, facts: JSON.stringify({ page, ...(own === 1 && { own: true }) }) })
      }
    })()
  }

  /** Receives and digests these records. */
  take(records: readonly SubmissionRow[]): void {
    this.receive(records)
    this.settle()
  }

  /** Receives and digests this many random records. */
  fill(count: number, seed: number): readonly SubmissionRow[] {
    const records = randomRecords(count, seed)
    this.take(records)
    return records
  }

  /** Replaces the stored body of a submission by garbage. */
  damageBody(seq: number): void {
    this.#spool.prepare("UPDATE submissions SET deflated = 1, body = x'ffffffffffff' WHERE seq = ?").run(seq)
  }

  /** Evicts as the collector does: rows first, then the record. */
  evict(seqs: readonly number[]): void {
    this.#digest.erase(seqs)
    this.forget(seqs)
  }

  /** Deletes records and leaves their rows. */
  forget(seqs: readonly number[]): void {
    const remove = this.#spool.prepare('DELETE FROM submissions WHERE seq = ?')
    for (const seq of seqs) remove.run(seq)
  }

  /** Evicts the rows of every record up to this one; the records stay. */
  evictRows(upTo: number): void {
    const seqs = this.#spool.prepare('SELECT seq FROM submissions WHERE seq <= ?').pluck().all(upTo) as number[]
    this.#digest.erase(seqs)
    this.#spool
      .prepare("INSERT INTO settings VALUES ('rows_from', ?) ON CONFLICT DO UPDATE SET value = excluded.value")
      .run(String(upTo))
  }

  /** Steps and switches files until there is nothing to do. */
  settle(): void {
    for (let step = this.#digest.step(); ; step = this.#digest.step()) {
      if (step.rebuildError !== null) throw step.rebuildError
      if (step.switchable) this.#digest.switchOver()
      else if (!step.more) return
    }
  }

  /** Closes the files and opens them again as another process would. @param meanwhile changes them in between. */
  reopen(meanwhile: (path: string) => unknown = () => undefined): void {
    this.#digest.close()
    meanwhile(this.file('telemetry.db'))
    this.#digest = this.#open()
  }

  rows(): ReturnType<typeof dump> {
    const db = new Database(this.file('telemetry.db'), { readonly: true })
    try {
      return dump(db)
    } finally {
      db.close()
    }
  }

  remove(): void {
    this.#digest.close()
    this.#reading.close()
    this.#spool.close()
    rmSync(this.path, { recursive: true, force: true })
  }

  #open(): Digest {
    return new Digest({
      folder: this.path,
      spool: this.#reading,
      sizeLimits: SIZE_LIMITS,
      now: () => 1,
      log: (message) => this.logged.push(message),
    })
  }
}
