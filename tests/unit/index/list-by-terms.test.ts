import { describe, expect, it } from 'vitest'
import {
  byTerms,
  inOrder,
  MAX_FACTS,
  MAX_FACTS_EXCLUDED,
  scanByTerms,
} from '../../../collector/index/lists/list-by-terms'
import { OF_TRACE, SEGMENTS_LISTED } from '../../../collector/index/lists/read-segments'
import { TRACES_LISTED } from '../../../collector/index/lists/read-traces'
import { isDamage } from '../../../collector/runtime/sqlite-errors'
import type { SubmissionRow } from '../../../collector/spool/read/read-submissions'
import { boundsFor, READ_BOUNDS } from '../../../lib/wire/fill-page'
import { NEWEST } from '../../../lib/wire/list-paging'
import { recordOf } from './random-records'
import { type RowsInMemory, rowsInMemory } from './rows-in-memory'

/** A transaction in its own trace, received with this journal number. */
function received(journal: number): SubmissionRow {
  const id = journal.toString(16).padStart(16, '0')
  const body = {
    type: 'transaction',
    transaction: '/cart',
    start_timestamp: 1_795_000_000,
    timestamp: 1_795_000_001,
    contexts: { trace: { trace_id: id.padStart(32, '0'), span_id: id, op: 'pageload' } },
  }
  return { ...recordOf(`{}\n{"type":"transaction"}\n${JSON.stringify(body)}`, journal, 'tunnel'), journal }
}

const scan = ({ db }: RowsInMemory, from = NEWEST) => [...scanByTerms(db, TRACES_LISTED, { op: 'pageload' }, from)]

const journals = (scanned: ReturnType<typeof scan>) =>
  scanned.map((one) => ('stoppedAt' in one ? `left at ${one.stoppedAt.journal}` : one.position.journal))

it('a scan by terms stops after `MAX_FACTS` facts and continues there', () => {
  const rows = rowsInMemory()
  rows.digest([5, 6, MAX_FACTS + 5, MAX_FACTS + 6].map(received))
  const scanned = scan(rows)
  expect(journals(scanned)).toEqual([MAX_FACTS + 6, MAX_FACTS + 5, 'left at 6'])
  const left = scanned.at(-1)
  if (left === undefined || !('stoppedAt' in left)) throw new Error('it was not left')
  expect(journals(scan(rows, left.stoppedAt))).toEqual([6, 5])
})

it('a scan with a negated value stops after `MAX_FACTS_EXCLUDED` facts, with a next page', () => {
  const rows = rowsInMemory()
  rows.digest([5, MAX_FACTS_EXCLUDED + 5].map(received))
  const scanned = [...scanByTerms(rows.db, TRACES_LISTED, { not: [{ op: 'another' }] }, NEWEST)]
  expect(journals(scanned)).toEqual([MAX_FACTS_EXCLUDED + 5, 'left at 5'])
})

it('compound filters have smaller bounds, and never larger ones than given', () => {
  expect(boundsFor({ op: 'a' })).toEqual(READ_BOUNDS)
  for (const filter of [{ any: [] }, { not: [] }, { starts: {} }])
    expect(boundsFor(filter)).toEqual({ rows: 1000, entries: 15_000, records: READ_BOUNDS.records })
  expect(boundsFor({ not: [] }, { rows: 3, entries: 4, records: 5 })).toEqual({ rows: 3, entries: 4, records: 5 })
})

it('a scan by terms reads to the end when fewer facts are left', () => {
  const rows = rowsInMemory()
  rows.digest([5, 6].map(received))
  expect(journals(scan(rows))).toEqual([6, 5])
})

it('a damaged table of terms throws SQLite’s error for damage', () => {
  const rows = rowsInMemory()
  rows.digest(Array.from({ length: 200 }, (_, index) => received(index + 1)))
  rows.db.unsafeMode().exec('UPDATE trace_terms_data SET block = zeroblob(length(block)) WHERE id > 10')
  expect(() => scan(rows)).toThrow(expect.toSatisfy(isDamage))
  expect(rows.db.prepare('PRAGMA main.quick_check(1)').pluck().get()).not.toBe('ok')
})

describe('the query plan', () => {
  const { db } = rowsInMemory()
  const planTrace = (sql: string): readonly string[] =>
    (
      db.prepare(`EXPLAIN QUERY PLAN ${sql}`).all({ match: '"x"', before: 1, floor: 0, traceId: '' }) as {
        detail: string
      }[]
    ).map(({ detail }) => detail)

  it.each([TRACES_LISTED, SEGMENTS_LISTED])(
    'the plan of $name by terms starts with the table of terms, in its order',
    (table) => {
      const [first, second, ...more] = planTrace(byTerms(table))
      // M is the match, < and > are the bounds.
      expect(first).toMatch(new RegExp(`^SCAN ${table.terms} VIRTUAL TABLE INDEX \\d+:M\\d+(?:<>|><)?$`))
      expect(second).toMatch(new RegExp(`^SEARCH ${table.name} USING (?:INTEGER PRIMARY KEY|INDEX segments_newest)`))
      expect(more).toEqual([])
    },
  )

  it.each([TRACES_LISTED, SEGMENTS_LISTED])('the plan of all $name uses the list position', (table) => {
    const [first, ...more] = planTrace(inOrder(table))
    expect(first).toMatch(new RegExp(`^SEARCH ${table.name} USING (?:INTEGER PRIMARY KEY|INDEX segments_newest)`))
    expect(more).toEqual([])
  })

  it('the plan of the segments of a trace reads only that trace', () => {
    expect(planTrace(OF_TRACE)[0]).toBe('SEARCH segments USING PRIMARY KEY (trace_id=?)')
  })
})
