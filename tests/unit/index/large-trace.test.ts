import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { MAX_SEGMENTS } from '../../../collector/index/traces/read-trace'
import { Folder } from './folder'
import { recordOf } from './random-records'
import { readWholeTrace } from './read-whole-trace'
import { rowsInMemory } from './rows-in-memory'

const TRACE = 'a'.repeat(32)
const id = (n: number): string => (n + 1).toString(16).padStart(16, '0')

/** An envelope of segments, each with one child span. */
function segments(count: number): string {
  const items = Array.from({ length: count }, (_, n) => {
    const attributes = { 'sentry.segment.id': { value: id(n), type: 'string' } }
    const both = { trace_id: TRACE, start_timestamp: 1_795_000_000 + n }
    return [
      { ...both, span_id: id(n), is_segment: true },
      { ...both, span_id: id(1_000_000 + n), parent_span_id: id(n), attributes },
    ]
  })
  return `{}\n{"type":"span"}\n${JSON.stringify({ items: items.flat() })}`
}

describe('a trace of thousands of segments', () => {
  let folder: Folder
  beforeEach(() => {
    folder = new Folder()
  })
  afterEach(() => folder.remove())

  // Counting all spans for each segment would take a hundred times as long and exceed the runner's timeout.
  it('returns the earliest 5000 segments with their span counts', () => {
    folder.take([recordOf(segments(2 * MAX_SEGMENTS), 1, 'envelope')])
    const trace = readWholeTrace(folder, TRACE)
    expect(trace?.summary).toMatchObject({ segmentCount: 2 * MAX_SEGMENTS, spanCount: 4 * MAX_SEGMENTS })
    expect(trace?.truncated).toBe(true)
    expect(trace?.segments.map((segment) => segment.segmentId)).toEqual(
      Array.from({ length: MAX_SEGMENTS }, (_, n) => id(n)),
    )
    expect(new Set(trace?.segments.map((segment) => segment.spanCount))).toEqual(new Set([2]))
  })

  it('returns exactly 5000 segments without truncation', () => {
    folder.take([recordOf(segments(MAX_SEGMENTS), 1, 'envelope')])
    const trace = readWholeTrace(folder, TRACE)
    expect([trace?.segments.length, trace?.spans.length, trace?.truncated]).toEqual([5000, 10_000, false])
  })
})

it('a trace of thousands of errors has correct totals after each new error', () => {
  const { db, digest } = rowsInMemory()
  const header = '{}\n{"type":"event"}\n'
  const error = (n: number): string =>
    `${header}{"message":"${n}","platform":"node","timestamp":${1_795_000_000 - n},"contexts":{"trace":{"trace_id":"${TRACE}"}}}`
  digest(Array.from({ length: 5000 }, (_, n) => recordOf(error(n), n + 1, 'envelope')))
  for (let n = 5000; n < 5020; n += 1) digest([recordOf(error(n), n + 1, 'envelope')])
  expect(db.prepare('SELECT error_count, name, services FROM traces').all()).toEqual([
    { error_count: 5020, name: '5019', services: '["server"]' },
  ])
  db.close()
})
