import { cpSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterAll, expect, it } from 'vitest'
import { checkForDamage, openForWriting } from '../../../collector/runtime/database'
import { inflateBody } from '../../../collector/spool/record-body'
import { migrate } from '../../../collector/spool/schema'
import { ledgerErrors } from '../../faults/ledger-errors'
import { openInProcess, removeFolders, seqOf, submission, temporaryFolder } from './in-process-spool'

afterAll(removeFolders)

const FIXTURES = join(import.meta.dirname, '..', '..', 'fixtures')
const FOLDER = join(FIXTURES, 'data-folders', 'schema-5')

/** The names of today for tables and columns of schema 5. A name that is not here is unchanged. */
const TABLES: Readonly<Record<string, string>> = {
  owed: 'pending_deliveries',
  books: 'ledger_totals',
  stamp_books: 'stamp_ledger_totals',
  limit_spells: 'limit_periods',
  told_pages: 'page_limits',
}
const COLUMNS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  submissions: { door: 'endpoint' },
  limits: { told_at: 'received_at', told_by: 'source_seq' },
  limit_spells: { told_at: 'received_at', told_by: 'source_seq' },
  told_pages: { told_at: 'sent_at', told_with: 'sent_with', broke_seq: 'violated_seq', broke_at: 'violated_at' },
}
const VALUES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  journal: { owed: 'pending' },
  counters: { told_unnamed: 'sent_unnamed' },
}

/** Tables that schema 5 did not have. They begin empty. */
const ADDED: readonly string[] = ['unseen_answers', 'refused_paths']

type Row = Readonly<Record<string, unknown>>

const tablesOf = (db: Database.Database): readonly string[] =>
  db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name").pluck().all() as string[]

/** A table's rows as a set: WITHOUT ROWID tables have no order of insertion. Blobs are buffers, compared byte for byte. */
const rowsOf = (db: Database.Database, table: string): readonly Row[] =>
  sorted(db.prepare(`SELECT * FROM ${table}`).all() as Row[])

const sorted = (rows: readonly Row[]): readonly Row[] =>
  [...rows].sort((a, b) => (JSON.stringify(Object.values(a)) < JSON.stringify(Object.values(b)) ? -1 : 1))

/** A row of schema 5 with the names and columns of today. */
const renamed = (table: string, row: Row): Row =>
  Object.fromEntries(
    Object.entries(table === 'submissions' ? { ...row, checksum: null, visitor: null } : row).map(([column, value]) => [
      COLUMNS[table]?.[column] ?? column,
      VALUES[table]?.[String(value)] ?? value,
    ]),
  )

function migratedCopy(): { readonly folder: string; readonly db: Database.Database } {
  const folder = temporaryFolder()
  cpSync(FOLDER, folder, { recursive: true })
  const path = join(folder, 'spool.db')
  const db = openForWriting(path, 'FULL')
  checkForDamage(db, path)
  migrate(db)
  return { folder, db }
}

it('keeps every row of a schema 5 data folder, byte for byte, under the names of today', () => {
  const before = new Database(join(FOLDER, 'spool.db'), { readonly: true })
  const { db } = migratedCopy()
  expect(before.pragma('user_version', { simple: true })).toBe(5)
  expect(tablesOf(db)).toEqual([...tablesOf(before).map((table) => TABLES[table] ?? table), ...ADDED].sort())
  const copyBytes = before.prepare("SELECT sum(length(body)) FROM submissions WHERE door = 'stream'").pluck().get()
  for (const table of tablesOf(before)) {
    const added = table === 'counters' ? [{ name: 'copy_bytes', value: copyBytes }] : []
    const expected = [...rowsOf(before, table).map((row) => renamed(table, row)), ...added]
    expect(expected.length, `rows of ${table}`).toBeGreaterThan(0)
    expect(rowsOf(db, TABLES[table] ?? table), table).toEqual(sorted(expected))
  }
  expect(db.pragma('integrity_check', { simple: true })).toBe('ok')
  expect(ledgerErrors(db)).toEqual([])
  before.close()
  db.close()
})

it('reads the bodies of a schema 5 data folder as they were received', () => {
  const { db } = migratedCopy()
  const bodyOf = (seq: number): Uint8Array =>
    inflateBody(
      db.prepare('SELECT deflated, bytes, body FROM submissions WHERE seq = ?').get(seq) as Parameters<
        typeof inflateBody
      >[0],
    )
  const bodies: Readonly<Record<number, string>> = {
    1: 'browser-11.8-unhandled-error',
    4: 'node-8-error',
    5: 'browser-11.8-replay',
    6: 'cli-2.58-event',
    9: 'browser-11.8-error-with-attachments',
    12: 'browser-11.8-logs',
    13: 'browser-11.8-metrics',
  }
  for (const [seq, name] of Object.entries(bodies))
    expect(Buffer.from(bodyOf(Number(seq))), name).toEqual(
      readFileSync(join(FIXTURES, 'envelopes', `${name}.envelope`)),
    )
  db.close()
})

it('continues a schema 5 data folder: deliveries, dead letters, limits and new submissions', async () => {
  const { folder, db } = migratedCopy()
  db.close()
  const spool = openInProcess({ folder, now: () => 1_795_402_300_000 })
  expect(await spool.usage()).toMatchObject({ records: 13, pending: { records: 3 }, deadLetters: { records: 2 } })
  expect(await spool.pendingRecords(Number.MAX_SAFE_INTEGER)).toEqual([4, 12, 13])
  expect(await spool.requeueDeadLetters([5, 6])).toEqual([5, 6])
  expect(await spool.append(submission({ project: '42', publicKey: 'publickey' }))).toMatchObject({ seq: 14 })
  expect(ledgerErrors(spool.db)).toEqual([])
  spool.close()
})

it('keeps the sums and the pending deliveries of a schema 4 data folder, whose totals had no reasons', async () => {
  const folder = temporaryFolder()
  const old = openForWriting(join(folder, 'spool.db'), 'FULL')
  migrate(old, 4)
  const insert = old.prepare(
    `INSERT INTO submissions (receipt, journal, received_at, door, project, public_key, stamp, facts, quantities, bytes, deflated, body)
     VALUES (?, 1, 1, 'envelope', '1', 'key', 'told', '{}', ?, 1, 0, x'00')`,
  )
  insert.run('a', '[["error",1],["span",7]]')
  insert.run('b', '[["error",1]]')
  old.exec(`INSERT INTO owed (seq, public_key, project) VALUES (1, 'key', '1');
    INSERT INTO outcomes VALUES (2, -1, 'invalid', 'upstream_400', 1);
    INSERT INTO books VALUES ('error', 'received', 2, 2), ('error', 'invalid', 1, 1), ('span', 'received', 7, 1)`)
  old.close()

  const spool = openInProcess({ folder })
  const totals = () =>
    spool.db.prepare('SELECT category, entry, reason, quantity, items FROM ledger_totals WHERE items <> 0').raw().all()
  expect(totals()).toEqual([
    ['error', 'invalid', '', 1, 1],
    ['error', 'pending', '', 1, 1],
    ['error', 'received', '', 2, 2],
    ['span', 'pending', '', 7, 1],
    ['span', 'received', '', 7, 1],
  ])
  await spool.decideWithoutAttempt(1, [{ item: -1, outcome: 'accepted', reason: null }], [])
  expect([spool.quantityOf('pending'), spool.quantityOf('accepted'), spool.quantityOf('received')]).toEqual([0, 8, 9])
  // Totals per stamp begin with schema 5.
  expect(spool.db.prepare('SELECT count(*) FROM stamp_ledger_totals').pluck().get()).toBe(0)
  expect(await seqOf(spool.append(submission()))).toBe(3)
})

it('counts the copies of a schema 3 data folder, which had no counter for them', async () => {
  const folder = temporaryFolder()
  const old = openForWriting(join(folder, 'spool.db'), 'FULL')
  migrate(old, 3)
  const insert = old.prepare(
    `INSERT INTO submissions (receipt, journal, received_at, door, project, public_key, facts, quantities, bytes, deflated, body)
     VALUES (?, 1, 1, ?, '1', 'key', '{}', '[]', 1, 0, x'00')`,
  )
  for (const [n, endpoint] of ['stream', 'envelope', 'stream'].entries()) insert.run(`receipt-${n}`, endpoint)
  old.close()
  expect((await openInProcess({ folder }).usage()).copies).toBe(2)
})
