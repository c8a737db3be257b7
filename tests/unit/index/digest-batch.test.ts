import Database from 'better-sqlite3'
import { expect, it } from 'vitest'
import { digestBatch } from '../../../collector/index/digest-batch'
import { createTables } from '../../../collector/index/index-schema'
import { RowWriter } from '../../../collector/index/rows/write-rows'
import { SIZE_LIMITS } from '../../../lib/protocol/size-limits'
import { recordOf } from './random-records'

const event = (id: string) => `{}\n{"type":"event"}\n{"event_id":"${id.repeat(32)}","timestamp":1795000000}`

function opened() {
  const db = new Database(':memory:')
  createTables(db, { from: 0, goal: 0, limits: '', at: 0 })
  const writer = new RowWriter(db)
  return {
    db,
    digest: (records: Parameters<typeof digestBatch>[0], skipped: ReadonlySet<number> = new Set()) =>
      digestBatch(records, { db, writer, skipped }, () => 1, SIZE_LIMITS),
  }
}

it('a batch marks an unreadable record as undigested and digests the next one', () => {
  const { db, digest } = opened()
  const batch = digest([recordOf('no envelope', 1, 'tunnel'), recordOf(event('a'), 2, 'tunnel')])
  expect(batch).toEqual({
    upTo: 2,
    more: false,
    undigested: [{ seq: 1, reason: expect.stringContaining('not an envelope') }],
  })
  expect(db.prepare('SELECT seq, state FROM envelopes').all()).toEqual([
    { seq: 1, state: 'undigested' },
    { seq: 2, state: 'digested' },
  ])
})

it('a batch rolls back when the database fails, and succeeds when retried', () => {
  const { db, digest } = opened()
  const pages = Number(db.pragma('page_count', { simple: true }))
  db.pragma(`max_page_count = ${pages}`)
  const records = [recordOf(transaction('c', 2), 1, 'tunnel'), recordOf(transaction('a', 400), 2, 'tunnel')]
  expect(() => digest(records)).toThrow(/full/)
  expect(db.prepare('SELECT (SELECT count(*) FROM envelopes) + (SELECT count(*) FROM events) AS rows').get()).toEqual({
    rows: 0,
  })
  db.pragma('max_page_count = 100000')
  expect(digest(records)).toEqual({ upTo: 2, undigested: [], more: false })
  expect(db.prepare('SELECT span_count FROM traces ORDER BY trace_id').pluck().all()).toEqual([401, 3])
})

it('a batch skips records that are about to be evicted', () => {
  const { db, digest } = opened()
  expect(digest([recordOf(event('a'), 1, 'tunnel'), recordOf(event('b'), 2, 'tunnel')], new Set([2])).upTo).toBe(2)
  expect(db.prepare('SELECT seq FROM envelopes').pluck().all()).toEqual([1])
  expect(db.prepare('SELECT seq, done FROM cursor').get()).toEqual({ seq: 2, done: 1 })
})

function transaction(trace: string, children: number): string {
  const traceId = trace.repeat(32)
  const spans = Array.from({ length: children }, (_, index) => ({
    trace_id: traceId,
    span_id: String(index + 1).padStart(16, '0'),
    description: 'x'.repeat(200),
    start_timestamp: 1,
    timestamp: 2,
  }))
  const contexts = { trace: { trace_id: traceId, span_id: 'f'.repeat(16) } }
  const payload = { type: 'transaction', event_id: 'b'.repeat(32), start_timestamp: 1, timestamp: 2, contexts, spans }
  return ['{}', '{"type":"transaction"}', JSON.stringify(payload)].join('\n')
}
