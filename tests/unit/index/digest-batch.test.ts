import Database from 'better-sqlite3'
import { expect, it } from 'vitest'
import { digestBatch } from '../../../collector/index/digest-batch'
import { createTables } from '../../../collector/index/index-schema'
import { RowWriter } from '../../../collector/index/rows/write-rows'
import { SIZE_LIMITS } from '../../../lib/protocol/size-limits'
import { MAX_NAMED_TRACES } from '../../../lib/wire/journal'
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
    traces: [],
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
  expect(digest(records)).toEqual({
    upTo: 2,
    undigested: [],
    traces: ['c'.repeat(32), 'a'.repeat(32)],
    more: false,
  })
  expect(db.prepare('SELECT span_count FROM traces ORDER BY trace_id').pluck().all()).toEqual([401, 3])
})

const log = (trace: string) =>
  `{}\n{"type":"log"}\n${JSON.stringify({ items: [{ timestamp: 1_795_000_000, trace_id: trace.repeat(32), level: 'info', body: 'x' }] })}`

it('a batch names the traces to which it added spans, errors or signals, each once, and not those of earlier batches', () => {
  const { digest } = opened()
  const error = `{}\n{"type":"event"}\n{"contexts":{"trace":{"trace_id":"${'d'.repeat(32)}"}}}`
  const bodies = [transaction('a', 1), transaction('a', 2), error, log('b'), event('e')]
  expect(digest(bodies.map((body, at) => recordOf(body, at + 1, 'tunnel'))).traces?.toSorted()).toEqual(
    ['a', 'b', 'd'].map((trace) => trace.repeat(32)),
  )
  expect(digest([recordOf(transaction('f', 1), 9, 'tunnel')]).traces).toEqual(['f'.repeat(32)])
})

it('a batch names 200 traces, and none when they are more', () => {
  const { digest } = opened()
  const span = (n: number) => ({
    trace_id: String(n).padStart(32, '0'),
    span_id: '1'.repeat(16),
    start_timestamp: 1_795_000_000,
  })
  const container = (count: number) =>
    `{}\n{"type":"span"}\n${JSON.stringify({ items: Array.from({ length: count }, (_, n) => span(n)) })}`
  expect(MAX_NAMED_TRACES).toBe(200)
  expect(digest([recordOf(container(200), 1, 'tunnel')]).traces).toHaveLength(200)
  expect(digest([recordOf(container(201), 2, 'tunnel')]).traces).toBeNull()
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
