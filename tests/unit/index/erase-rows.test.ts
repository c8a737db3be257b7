import { expect, it } from 'vitest'
import { seededRandom } from '../protocol/seeded-random'
import { randomRecords } from './random-records'
import { dump, rowsInMemory, rowsOf } from './rows-in-memory'

const SEEDS = Array.from({ length: 40 }, (_, index) => index + 1)

it('the random records have visible rows of every kind, and hidden ones of each kind with an id, also of copies', () => {
  const { db } = rowsOf(SEEDS.flatMap((seed) => numbered(randomRecords(60, seed), seed * 60)))
  const empty = db.prepare('SELECT kind FROM row_counts WHERE count = 0').pluck().all()
  expect(empty).toEqual([])
  const hidden = db.prepare('SELECT DISTINCT kind FROM repeats WHERE is_copy = ? ORDER BY kind').pluck()
  const withId = ['check_in', 'event', 'feedback', 'profile', 'replay', 'segment', 'session']
  expect(hidden.all(0)).toEqual(withId)
  expect(hidden.all(1)).toEqual(withId)
})

/** The same records with other numbers. */
const numbered = (records: ReturnType<typeof randomRecords>, after: number) =>
  records.map((record) => ({ ...record, seq: record.seq + after, journal: record.journal + after * 10 }))

it.each(SEEDS)('rows after eviction equal those of a digest of the remaining records (seed %i)', (seed) => {
  const random = seededRandom(seed * 7919)
  const records = randomRecords(60, seed)
  const rows = rowsOf(records, 1 + Math.floor(random() * 20))
  const gone = records.filter(() => random() < 0.5)
  for (let at = 0; at < gone.length; at += 7) rows.erase(gone.slice(at, at + 7))
  const kept = records.filter((record) => !gone.includes(record))
  expect(dump(rows.db)).toEqual(dump(rowsOf(kept).db))
})

it.each(SEEDS)('rows after eviction are the same when digest and erase alternate (seed %i)', (seed) => {
  const random = seededRandom(seed * 104_729)
  const records = randomRecords(60, seed + 1000)
  const rows = rowsInMemory()
  let kept: typeof records = []
  for (let at = 0; at < records.length; at += 10) {
    const batch = records.slice(at, at + 10)
    rows.digest(batch)
    kept = [...kept, ...batch]
    const gone = kept.filter(() => random() < 0.3)
    rows.erase(gone)
    kept = kept.filter((record) => !gone.includes(record))
  }
  expect(dump(rows.db)).toEqual(dump(rowsOf(kept).db))
})

it('rows after eviction equal those of a new file when every record is evicted', () => {
  const records = randomRecords(80, 5)
  const rows = rowsOf(records)
  rows.erase(records)
  expect(dump(rows.db)).toEqual(dump(rowsInMemory().db))
})

it('rows after eviction do not change when a record is erased twice', () => {
  const records = randomRecords(60, 9)
  const rows = rowsOf(records)
  const gone = records.slice(0, 30)
  rows.erase(gone)
  const once = dump(rows.db)
  rows.erase(gone)
  expect(dump(rows.db)).toEqual(once)
})

it.each(SEEDS.slice(0, 10))('the size of a batch does not change the rows (seed %i)', (seed) => {
  const records = randomRecords(60, seed + 500)
  const one = dump(rowsOf(records, 1).db)
  expect(dump(rowsOf(records, 64).db)).toEqual(one)
  expect(dump(rowsOf(records, 7).db)).toEqual(one)
})
