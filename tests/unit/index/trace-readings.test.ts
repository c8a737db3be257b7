import type { Database } from 'better-sqlite3'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { MAX_READINGS, type TraceBytes, TraceReadings } from '../../../collector/index/traces/read-trace'
import { openForReading } from '../../../collector/runtime/database'
import { SIZE_LIMITS } from '../../../lib/protocol/size-limits'
import { Folder } from './folder'
import { recordOf } from './random-records'

const TRACE = 'a'.repeat(32)
const RECORDS = 5

function span(seq: number): string {
  const item = { trace_id: TRACE, span_id: String(seq).padStart(16, '0'), start_timestamp: 1_795_000_000 + seq }
  return `{}\n{"type":"span"}\n${JSON.stringify({ items: [item] })}`
}

let folder: Folder
let db: Database
beforeEach(() => {
  folder = new Folder()
  folder.take(Array.from({ length: RECORDS }, (_, n) => recordOf(span(n + 1), n + 1, 'tunnel')))
  db = openForReading(folder.file('telemetry.db'))
  db.prepare('ATTACH ? AS spool').run(folder.file('spool.db'))
})
afterEach(() => {
  db.close()
  folder.remove()
})

function opened(readings: TraceReadings): TraceBytes {
  const first = readings.open(db, TRACE, 100)
  if (first === null || first === 'busy') throw new Error(`the trace is ${first}`)
  return first
}

it('trace readings return a short trace in one piece and close', () => {
  const readings = new TraceReadings(SIZE_LIMITS, () => 0)
  const { bytes, reading } = opened(readings)
  expect(reading).toBeNull()
  expect(JSON.parse(new TextDecoder().decode(bytes)).spans).toHaveLength(RECORDS)
})

it('trace readings return pieces when reading takes long', () => {
  let clock = 0
  const readings = new TraceReadings(SIZE_LIMITS, () => {
    clock += 10
    return clock
  })
  const texts: string[] = []
  const take = ({ bytes, reading }: TraceBytes): number | null => {
    texts.push(new TextDecoder().decode(bytes))
    return reading
  }
  let reading = take(opened(readings))
  while (reading !== null) reading = take(readings.next(db, reading))
  expect(texts.length).toBeGreaterThan(RECORDS)
  expect(texts[0]).toContain('"summary"')
  expect(JSON.parse(texts.join('')).spans).toHaveLength(RECORDS)
})

it('trace readings are limited to 16 until one is closed, which cannot be continued', () => {
  let clock = 0
  const readings = new TraceReadings(SIZE_LIMITS, () => {
    clock += 10
    return clock
  })
  const open = Array.from({ length: MAX_READINGS }, () => opened(readings).reading ?? 0)
  expect(readings.open(db, TRACE, 100)).toBe('busy')
  readings.close(open[3] ?? 0)
  expect(() => readings.next(db, open[3] ?? 0)).toThrow(`under the number ${open[3]}`)
  expect(readings.open(db, 'b'.repeat(32), 100)).toBeNull()
  expect(opened(readings).reading).not.toBeNull()
})

it('trace readings close one that was idle for half a minute when all are in use', () => {
  let clock = 0
  const readings = new TraceReadings(SIZE_LIMITS, () => {
    clock += 10
    return clock
  })
  const open = Array.from({ length: MAX_READINGS }, () => opened(readings).reading ?? 0)
  clock += 28_000
  readings.next(db, open[0] ?? 0)
  expect(readings.open(db, TRACE, 100)).toBe('busy')
  clock += 3000
  opened(readings)
  expect(() => readings.next(db, open[1] ?? 0)).toThrow('no trace is being read')
  expect(() => readings.next(db, open[0] ?? 0)).not.toThrow()
})
