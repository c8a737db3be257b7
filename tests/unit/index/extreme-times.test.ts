import { afterAll, describe, expect, it } from 'vitest'
import { readSegments } from '../../../collector/index/lists/read-segments'
import { readTraces } from '../../../collector/index/lists/read-traces'
import { readSpans } from '../../../collector/index/traces/read-spans'
import { SIZE_LIMITS } from '../../../lib/protocol/size-limits'
import type { ListFilter } from '../../../lib/wire/list-filter'
import { NEWEST } from '../../../lib/wire/list-paging'
import { removeFolders } from '../spool/in-process-spool'
import { RecordedFolder } from './recorded-folder'

afterAll(removeFolders)

const BEGINNING = '0001-01-01T00:00:00Z'
const NOW = '2026-11-20T10:00:00Z'
const LATER = '2026-11-20T10:00:01.5Z'
const ids = (n: number) => ({ trace_id: String(n).padStart(32, '0'), span_id: String(n).padStart(16, '0') })
const transaction = (n: number, start_timestamp: string, timestamp: string): string =>
  [
    '{}',
    '{"type":"transaction"}',
    JSON.stringify({ transaction: `/${n}`, start_timestamp, timestamp, contexts: { trace: ids(n) } }),
  ].join('\n')

describe('telemetry from a clock that was never set', () => {
  const folder = new RecordedFolder()
  folder.receive(transaction(1, BEGINNING, NOW))
  folder.receive(transaction(2, BEGINNING, BEGINNING))
  folder.receive(transaction(3, NOW, NOW))
  folder.digest()
  afterAll(() => folder.close())

  const page = { limit: 50 }
  const found = (filter: ListFilter): readonly (readonly string[])[] => [
    readTraces(folder.db, filter, NEWEST, page).traces.map(({ name }) => name),
    readSegments(folder.db, filter, NEWEST, page).segments.map(({ name }) => name),
    readSpans(folder.db, { sizeLimits: SIZE_LIMITS, now: () => 0 }, filter, NEWEST, page).spans.map(({ name }) => name),
  ]

  // The start of a trace leaves out a start before 2000; segments and spans are listed as they were sent.
  it.each<[string, ListFilter, readonly string[], readonly string[]]>([
    ['a duration of at least a second', { minDurationUs: 1_000_000 }, [], ['/1']],
    ['a duration of at least a year', { minDurationUs: 365 * 86_400 * 1_000_000 }, [], ['/1']],
    ['a duration of at most an hour', { maxDurationUs: 3600 * 1_000_000 }, ['/3', '/2', '/1'], ['/3', '/2']],
    ['a time before today', { untilUs: Date.parse('2026-11-20') * 1000 }, ['/2'], ['/2', '/1']],
    ['a time since the epoch', { sinceUs: 0 }, ['/3', '/1'], ['/3']],
  ])('is found by %s, in each list', (_what, filter, traces, names) => {
    expect(found(filter)).toEqual([traces, names, names])
  })

  const TODAY = [NOW, LATER] as const
  const EPOCH = ['1970-01-01T00:00:00Z', '1970-01-01T00:00:02Z'] as const
  it.each<[string, readonly (readonly [string, string])[], number]>([
    ['a segment of 1970 and one of today', [EPOCH, TODAY], 1_500_000],
    ['a segment from 1970 until today', [['1970-01-01T13:49:17Z', NOW], TODAY], 1_500_000],
    ['a segment of 1970 alone', [EPOCH], 2_000_000],
  ])('does not stretch the duration of a trace: %s', (_what, times, durationUs) => {
    const other = new RecordedFolder()
    for (const [index, [start, end]] of times.entries())
      other.receive(transaction(index + 1, start, end).replace(/"trace_id":"\d+"/, `"trace_id":"${'a'.repeat(32)}"`))
    other.digest()
    expect(readTraces(other.db, {}, NEWEST, page).traces.map((trace) => trace.durationUs)).toEqual([durationUs])
    other.close()
  })

  it('is found by its trace id', () => {
    const { trace_id: trace } = ids(2)
    const reading = { sizeLimits: SIZE_LIMITS, now: () => 0 }
    expect(readSpans(folder.db, reading, { trace }, NEWEST, page).spans.map(({ name }) => name)).toEqual(['/2'])
    expect(readSpans(folder.db, reading, { trace, untilUs: 0 }, NEWEST, page).spans).toHaveLength(1)
  })
})
