import { createHash } from 'node:crypto'
import { copyFileSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { inflateBody } from '../../collector/spool/record-body'
import { ledgerErrors } from './ledger-errors'

/** The content of spool.db, by the stamps that the clients sent. */
export interface RecordReading {
  readonly stored: ReadonlySet<string>
  readonly pending: ReadonlySet<string>
  readonly ledger: LedgerReading
}

export interface LedgerReading {
  /** Each a sentence; empty if the totals are right. */
  readonly errors: readonly string[]
  /** The quantity that SDKs discarded, according to the totals. */
  readonly discarded: number
}

/**
 * Reads the record of a killed collector from a copy: opening the file itself would recover what the next start must recover.
 * @param folder its data folder, not in use
 */
export function readRecord(folder: string): RecordReading {
  return withCopy(folder, (db) => {
    if (db.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'submissions'").get() === undefined)
      return { stored: new Set(), pending: new Set(), ledger: { errors: [], discarded: 0 } }
    const stamps = (sql: string): ReadonlySet<string> => new Set(db.prepare(sql).pluck().all() as string[])
    return {
      stored: stamps('SELECT stamp FROM submissions'),
      pending: stamps('SELECT stamp FROM submissions JOIN pending_deliveries USING (seq)'),
      ledger: readLedger(db),
    }
  })
}

/** Ledger totals, outcomes and rows of a collector that was stopped. */
export interface StoppedReading {
  /** SHA-256 of each stored body, by its stamp. */
  readonly bodies: ReadonlyMap<string, string>
  readonly submissions: number
  readonly undecided: number
  readonly ledger: LedgerReading
  /** Submissions that do not have exactly one row in the index. */
  readonly undigested: number
  /** Rows of submissions that are not in the record. */
  readonly orphanedRows: number
  /** Results of SQLite's integrity check of both files; each `ok` if it found nothing. */
  readonly integrity: readonly string[]
}

/** Leaves the folder like a process that ended right after it started a rebuild of the index; the next start continues. */
export function beginRebuild(folder: string): void {
  writeFileSync(join(folder, 'telemetry.next.db'), '')
}

export function readStopped(folder: string): StoppedReading {
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
      ledger: readLedger(db),
      undigested: number(
        `SELECT count(*) FROM submissions s WHERE (SELECT count(*) FROM rows.envelopes e WHERE e.seq = s.seq) <> 1`,
      ),
      orphanedRows: number('SELECT count(*) FROM rows.envelopes WHERE seq NOT IN (SELECT seq FROM submissions)'),
      integrity: ['main', 'rows'].flatMap((name) => db.prepare(`PRAGMA ${name}.quick_check`).pluck().all() as string[]),
    }
  })
}

const readLedger = (db: Database.Database): LedgerReading => ({
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

/** Whether the index of a running collector covers every submission. */
export function isDigested(folder: string): boolean {
  const last = numberIn(join(folder, 'spool.db'), "SELECT seq FROM sqlite_sequence WHERE name = 'submissions'")
  return numberIn(join(folder, 'telemetry.db'), 'SELECT seq FROM cursor') >= last
}

function numberIn(path: string, sql: string): number {
  const db = new Database(path, { readonly: true })
  try {
    return Number(db.prepare(sql).pluck().get() ?? 0)
  } finally {
    db.close()
  }
}
