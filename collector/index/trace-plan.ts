import type { Database } from 'better-sqlite3'
import { countDistinct, ID_BYTES, idsIn, repeatedIds } from './span-ids'
import { MOST_TOLD_APART } from './trace-records'

/** A record to read of a trace. */
export interface PlannedRecord {
  readonly seq: number
  /** How many spans of the trace it tells of. */
  readonly spans: number
  /** Those of them that other records tell of too. */
  readonly repeated: readonly string[]
}

/** What the rows know of a trace's spans before any of them is read. */
export interface TracePlan {
  /** The earliest first. */
  readonly records: readonly PlannedRecord[]
  /** How many records tell of a span, where it is more than one. */
  readonly tellers: ReadonlyMap<string, number>
  readonly spans: number
  /** Of each segment that a span names; one that several records tell of counts once. */
  readonly spansOfSegment: ReadonlyMap<string, number>
}

interface TraceRecordRow {
  readonly seq: number
  readonly segments: Buffer
  readonly spans: Buffer
}

/** @param spanCount of the trace's row: where the records tell of as many together, none is told twice. */
export function planOf(db: Database, traceId: string, spanCount: number): TracePlan {
  const rows = db
    .prepare(
      'SELECT seq, segments, spans FROM trace_records WHERE trace_id = ? AND span_count > 0 ORDER BY start_us, seq',
    )
    .all(traceId) as TraceRecordRow[]
  const told = rows.reduce((sum, row) => sum + row.spans.length / ID_BYTES, 0)
  const mayRepeat = told !== spanCount || told > MOST_TOLD_APART
  const tellers = mayRepeat ? repeatedIds(rows.map((row) => row.spans)) : new Map<string, number>()
  const records = rows.map(({ seq, spans }) => ({
    seq,
    spans: spans.length / ID_BYTES,
    repeated: tellers.size === 0 ? [] : idsIn(spans).filter((id) => tellers.has(id)),
  }))
  const repeats = [...tellers.values()].reduce((sum, times) => sum + times - 1, 0)
  return { records, tellers, spans: told - repeats, spansOfSegment: countSpans(rows) }
}

/**
 * How many spans segments of a trace have; one that several records tell of counts once.
 * @param wanted all segments where it is left out.
 */
function countSpans(
  rows: Iterable<Pick<TraceRecordRow, 'segments' | 'spans'>>,
  wanted?: ReadonlySet<string>,
): ReadonlyMap<string, number> {
  const lists = new Map<string, Uint8Array[]>()
  for (const { segments, spans } of rows) {
    let from = 0
    for (let at = 0; at < segments.length; at += ID_BYTES + 4) {
      const segmentId = segments.toString('hex', at, at + ID_BYTES)
      const to = from + segments.readUInt32BE(at + ID_BYTES) * ID_BYTES
      const list = spans.subarray(from, to)
      from = to
      if (wanted?.has(segmentId) === false) continue
      const known = lists.get(segmentId)
      if (known === undefined) lists.set(segmentId, [list])
      else known.push(list)
    }
  }
  return new Map([...lists].map(([segmentId, all]) => [segmentId, countDistinct(all)]))
}

/** How many spans these segments of a trace have. */
export function countSpansOf(
  db: Database,
  traceId: string,
  segmentIds: ReadonlySet<string>,
): ReadonlyMap<string, number> {
  const rows = db.prepare('SELECT segments, spans FROM trace_records WHERE trace_id = ? AND span_count > 0')
  return countSpans(rows.iterate(traceId) as IterableIterator<TraceRecordRow>, segmentIds)
}
