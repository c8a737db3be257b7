import { createHash } from 'node:crypto'
import { copyFileSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { inflateBody } from '../../collector/spool/record-body'
import { ledgerErrors } from './ledger-errors'

/** What is in the record at one moment, by the stamps that the clients gave. */
export interface Found {
  readonly stored: ReadonlySet<string>
  readonly pending: ReadonlySet<string>
  readonly books: FoundBooks
}

export interface FoundBooks {
  /** What is wrong about them, each a sentence. */
  readonly errors: readonly string[]
  /** What they say that SDKs discarded, all together. */
  readonly discarded: number
}

/**
 * Reads a dead collector's record from a copy: opening the file itself would mend what the next start has to mend.
 * @param folder its data folder; nobody may be using it
 */
export function readRecord(folder: string): Found {
  return withCopy(folder, (db) => {
    if (db.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'submissions'").get() === undefined)
      return { stored: new Set(), pending: new Set(), books: { errors: [], discarded: 0 } }
    const stamps = (sql: string): ReadonlySet<string> => new Set(db.prepare(sql).pluck().all() as string[])
    return {
      stored: stamps('SELECT stamp FROM submissions'),
      pending: stamps('SELECT stamp FROM submissions JOIN pending_deliveries USING (seq)'),
      books: readBooks(db),
    }
  })
}

/** What the books, the outcomes and the rows of a collector that has stopped have to say. */
export interface Closed {
  /** SHA-256 of each body as it can be read again, by its stamp. */
  readonly bodies: ReadonlyMap<string, string>
  readonly submissions: number
  readonly undecided: number
  readonly books: FoundBooks
  /** Submissions without exactly one row of their own among what was digested. */
  readonly undigested: number
  /** Rows of submissions that are not on record. */
  readonly outliving: number
  /** What SQLite's own check of both files says; `ok` twice when all is well. */
  readonly integrity: readonly string[]
}

/** Leaves the folder as a process does that ended when it had just begun to make rows anew; the next start goes on. */
export function beginRebuild(folder: string): void {
  writeFileSync(join(folder, 'telemetry.next.db'), '')
}

export function readClosed(folder: string): Closed {
  return withCopy(folder, (db) => {
    db.prepare('ATTACH ? AS rows').run(join(folder, 'telemetry.db'))
    const number = (sql: string): number => Number(db.prepare(sql).pluck().get())
    const bodies = new Map<string, string>()
    const all = db.prepare('SELECT stamp, bytes, deflated, body FROM submissions').iterate() as IterableIterator<{
      stamp: string
      bytes: number
      deflated: number
      body: Uint8Array
    }>
    for (const row of all) bodies.set(row.stamp, createHash('sha256').update(inflateBody(row)).digest('hex'))
    return {
      bodies,
      submissions: number('SELECT count(*) FROM submissions'),
      undecided: number(
        'SELECT count(*) FROM submissions WHERE seq IN (SELECT seq FROM pending_deliveries) OR seq NOT IN (SELECT seq FROM outcomes)',
      ),
      books: readBooks(db),
      undigested: number(
        `SELECT count(*) FROM submissions s WHERE (SELECT count(*) FROM rows.envelopes e WHERE e.seq = s.seq) <> 1`,
      ),
      outliving: number('SELECT count(*) FROM rows.envelopes WHERE seq NOT IN (SELECT seq FROM submissions)'),
      integrity: ['main', 'rows'].flatMap((name) => db.prepare(`PRAGMA ${name}.quick_check`).pluck().all() as string[]),
    }
  })
}

const readBooks = (db: Database.Database): FoundBooks => ({
  errors: ledgerErrors(db),
  discarded: Number(
    db.prepare("SELECT coalesce(sum(quantity), 0) FROM ledger_totals WHERE entry = 'client_discard'").pluck().get(),
  ),
})

function withCopy<Value>(folder: string, read: (db: Database.Database) => Value): Value {
  const copy = mkdtempSync(join(tmpdir(), 'waystation-record-'))
  try {
    for (const name of ['spool.db', 'spool.db-wal'])
      if (existsSync(join(folder, name))) copyFileSync(join(folder, name), join(copy, name))
    const db = new Database(join(copy, 'spool.db'))
    try {
      return read(db)
    } finally {
      db.close()
    }
  } finally {
    rmSync(copy, { recursive: true, force: true })
  }
}
