import { afterAll, describe, expect, it } from 'vitest'
import type { ListFilter } from '../../../collector/index/list-filter'
import { readSegments } from '../../../collector/index/read-segments'
import { readSpans } from '../../../collector/index/read-spans'
import { readTraces } from '../../../collector/index/read-traces'
import { LIMITS } from '../../../lib/protocol/limits'
import { NEWEST } from '../../../lib/wire/list-paging'
import { removeFolders } from '../spool/in-process-spool'
import { RecordedFolder } from './recorded-folder'

afterAll(removeFolders)

const BEGINNING = '0001-01-01T00:00:00Z'
const NOW = '2026-11-20T10:00:00Z'
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
    readSpans(folder.db, { limits: LIMITS, now: () => 0 }, filter, NEWEST, page).spans.map(({ name }) => name),
  ]

  it.each<[string, ListFilter, readonly string[]]>([
    ['a duration of at least a second', { minDurationUs: 1_000_000 }, ['/1']],
    ['a duration of at least a year', { minDurationUs: 365 * 86_400 * 1_000_000 }, ['/1']],
    ['a duration of at most an hour', { maxDurationUs: 3600 * 1_000_000 }, ['/3', '/2']],
    ['a time before today', { untilUs: Date.parse('2026-11-20') * 1000 }, ['/2', '/1']],
    ['a time since the epoch', { sinceUs: 0 }, ['/3']],
  ])('is found by %s, in each list', (_what, filter, names) => {
    expect(found(filter)).toEqual([names, names, names])
  })

  it('is found by its trace id', () => {
    const { trace_id: trace } = ids(2)
    const reading = { limits: LIMITS, now: () => 0 }
    expect(readSpans(folder.db, reading, { trace }, NEWEST, page).spans.map(({ name }) => name)).toEqual(['/2'])
    expect(readSpans(folder.db, reading, { trace, untilUs: 0 }, NEWEST, page).spans).toHaveLength(1)
  })
})
