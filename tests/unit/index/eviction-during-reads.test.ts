import type { Database } from 'better-sqlite3'
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest'
import { readSegments } from '../../../collector/index/lists/read-segments'
import { readOutcomes } from '../../../collector/spool/read/read-outcomes'
import { READ_BOUNDS } from '../../../lib/wire/fill-page'
import { NEWEST, readCursor } from '../../../lib/wire/list-paging'
import { removeFolders } from '../spool/in-process-spool'
import { RecordedFolder } from './recorded-folder'

afterAll(removeFolders)

const RECORDS = 6
const PAGE = { limit: 50 }

function transaction(n: number): string {
  const trace = { trace_id: 'a'.repeat(32), span_id: String(n).padStart(16, '0') }
  const payload = {
    transaction: `/${n}`,
    start_timestamp: 1_795_000_000,
    timestamp: 1_795_000_001,
    contexts: { trace },
  }
  return ['{}', '{"type":"transaction"}', JSON.stringify(payload)].join('\n')
}

let folder: RecordedFolder
beforeEach(() => {
  folder = new RecordedFolder()
  for (let n = 1; n <= RECORDS; n += 1)
    folder.receive(transaction(n), { deliveryStatus: { outcome: 'kept', reason: 'no_upstream' } })
  folder.digest()
})
afterEach(() => folder.close())

/** The same database with a callback before each statement is prepared. */
function before(sql: RegExp, happens: () => void): Database {
  const prepare = (text: string) => {
    if (sql.test(text)) happens()
    return folder.db.prepare(text)
  }
  const transaction = folder.db.transaction.bind(folder.db)
  return new Proxy(folder.db, {
    get: (_, name) => (name === 'prepare' ? prepare : name === 'transaction' ? transaction : undefined),
  })
}

/** Evicts records in one commit. */
const evict = (seqs: readonly number[]): void => void folder.spool.evictSettled(seqs)

describe('a record that is evicted while it is listed', () => {
  it('does not lose the position of a page of outcomes that ends early', () => {
    let prepared = 0
    const goesMeanwhile = {
      get reason(): undefined {
        prepared += 1
        // Once, before anything is read.
        if (prepared === 2) evict([1, 2, 3, 4])
        return undefined
      },
    }
    const { outcomes, next } = readOutcomes(folder.db, goesMeanwhile, NEWEST, PAGE, { ...READ_BOUNDS, entries: 3 })
    expect(outcomes.map(({ seq }) => seq)).toEqual([6, 5, 4])
    expect(next).not.toBeNull()
    expect(readOutcomes(folder.db, {}, readCursor(next) ?? NEWEST, PAGE)).toMatchObject({ outcomes: [], next: null })
  })

  it('does not change the positions of other segments', () => {
    const rows = folder.db.prepare('SELECT segment_id, list_position FROM segments ORDER BY segment_id').all()
    expect(rows).toHaveLength(RECORDS)
    const db = before(/digested_at/, () => {
      folder.eraseRows([5])
    })
    expect(readSegments(db, {}, NEWEST, PAGE).segments.map(({ name, journal, seq }) => [name, seq, journal])).toEqual(
      [6, 4, 3, 2, 1].map((seq) => [`/${seq}`, seq, journalOf(seq)]),
    )
  })
})

const journalOf = (seq: number): unknown =>
  folder.db.prepare('SELECT journal FROM spool.submissions WHERE seq = ?').pluck().get(seq)
