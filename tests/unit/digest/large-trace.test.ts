import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openForReading } from '../../../collector/spool/open'
import { MOST_SEGMENTS, readTrace } from '../../../collector/store/read-traces'
import type { TraceDetail } from '../../../lib/wire/trace'
import { Folder } from './folder'
import { recordOf } from './made-records'
import { rowsInMemory } from './rows-in-memory'

const TRACE = 'a'.repeat(32)
const id = (n: number): string => (n + 1).toString(16).padStart(16, '0')

/** An envelope of segments, each with a span of its own beside its own. */
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

  function read(): TraceDetail | null {
    const db = openForReading(folder.file('telemetry.db'))
    try {
      db.prepare('ATTACH ? AS spool').run(folder.file('spool.db'))
      return readTrace(db, TRACE)
    } finally {
      db.close()
    }
  }

  it('is answered in time that grows no faster than it does, the earliest segments with the number of their spans', () => {
    folder.receive([recordOf(segments(2 * MOST_SEGMENTS), 1, 'envelope')])
    folder.settle()
    const began = performance.now()
    const trace = read()
    // A count of all spans for each segment takes a hundred times as long.
    expect(performance.now() - began).toBeLessThan(3000)
    expect(trace?.summary).toMatchObject({ segmentCount: 2 * MOST_SEGMENTS, spanCount: 4 * MOST_SEGMENTS })
    expect(trace?.truncated).toBe(true)
    expect(trace?.segments.map((segment) => segment.segmentId)).toEqual(
      Array.from({ length: MOST_SEGMENTS }, (_, n) => id(n)),
    )
    expect(new Set(trace?.segments.map((segment) => segment.spanCount))).toEqual(new Set([2]))
  })

  it('is answered whole where it is as large as an answer', () => {
    folder.receive([recordOf(segments(MOST_SEGMENTS), 1, 'envelope')])
    folder.settle()
    const trace = read()
    expect([trace?.segments.length, trace?.spans.length, trace?.truncated]).toEqual([5000, 10_000, false])
  })
})

describe('a trace of fifty thousand errors', () => {
  it('takes one more in no time, and counts it', () => {
    const { db, digest } = rowsInMemory()
    const header = '{}\n{"type":"event"}\n'
    const error = (n: number): string =>
      `${header}{"message":"${n}","platform":"node","timestamp":${1_795_000_000 - n},"contexts":{"trace":{"trace_id":"${TRACE}"}}}`
    const records = Array.from({ length: 50_000 }, (_, n) => recordOf(error(n), n + 1, 'envelope'))
    digest(records)
    const more = Array.from({ length: 20 }, (_, n) => recordOf(error(50_000 + n), 50_001 + n, 'envelope'))
    const took = more.map((record) => {
      const began = performance.now()
      digest([record])
      return performance.now() - began
    })
    // To read them all takes 70 ms each time. The fastest tells, for others use the machine too.
    expect(Math.min(...took)).toBeLessThan(35)
    expect(db.prepare('SELECT error_count, name, services FROM traces').all()).toEqual([
      { error_count: 50_020, name: '50019', services: '["server"]' },
    ])
    db.close()
  })
})
