import Database from 'better-sqlite3'
import { expect, it } from 'vitest'
import { createTables } from '../../../collector/index/index-schema'
import {
  MAX_SPANS_DEDUPLICATED,
  TraceContribution,
  TraceRecords,
} from '../../../collector/index/traces/write-trace-records'

const TRACE = 'a'.repeat(32)

/** The span count of a trace when two records contain the same spans. */
function countTwice(count: number): number | undefined {
  const db = new Database(':memory:')
  try {
    createTables(db, { from: 0, goal: 0, limits: '', at: 0 })
    const records = new TraceRecords(db)
    for (const seq of [1, 2]) {
      const contribution = new TraceContribution(0)
      for (let n = 0; n < count; n += 1)
        contribution.addSpan({
          traceId: TRACE,
          spanId: n.toString(16).padStart(16, '0'),
          parentSpanId: null,
          segmentId: null,
          isSegment: false,
          name: 'span',
          op: null,
          status: null,
          origin: null,
          service: 'server',
          startUs: n,
          endUs: n,
          attributes: {},
          links: [],
        })
      records.add(
        TRACE,
        { seq, item: 0, journal: seq, receivedAt: seq, copy: false, stamp: null, own: 0, page: null, project: '1' },
        contribution,
      )
    }
    return records.totals(TRACE, null)?.spanCount
  } finally {
    db.close()
  }
}

it('spans that two records contain count once up to the limit', () => {
  expect(countTwice(MAX_SPANS_DEDUPLICATED / 2)).toBe(MAX_SPANS_DEDUPLICATED / 2)
})

it('spans that two records contain count twice in a trace above the limit', () => {
  expect(countTwice(MAX_SPANS_DEDUPLICATED / 2 + 1)).toBe(MAX_SPANS_DEDUPLICATED + 2)
})
