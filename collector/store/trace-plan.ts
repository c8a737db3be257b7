import type { Database } from 'better-sqlite3'
import { ID_BYTES, idsIn, repeatedIds } from './span-ids'
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
  const counts = new SegmentCounts()
  const records = rows.map(({ seq, segments, spans }) => {
    const repeated = tellers.size === 0 ? [] : idsIn(spans).filter((id) => tellers.has(id))
    counts.add(segments, repeated.length === 0 ? null : idsIn(spans), tellers)
    return { seq, spans: spans.length / ID_BYTES, repeated }
  })
  const repeats = [...tellers.values()].reduce((sum, times) => sum + times - 1, 0)
  return { records, tellers, spans: told - repeats, spansOfSegment: counts.all }
}

/** The number of spans of each segment of a trace. */
class SegmentCounts {
  readonly #counts = new Map<string, number>()
  readonly #seen = new Set<string>()

  get all(): ReadonlyMap<string, number> {
    return this.#counts
  }

  /** @param ids of the record's spans; `null` where none of them is told again. */
  add(segments: Buffer, ids: readonly string[] | null, tellers: ReadonlyMap<string, number>): void {
    let first = 0
    for (let at = 0; at < segments.length; at += ID_BYTES + 4) {
      const segmentId = segments.toString('hex', at, at + ID_BYTES)
      const count = segments.readUInt32BE(at + ID_BYTES)
      const again = ids?.slice(first, first + count).filter((id) => tellers.has(id) && this.#isAgain(segmentId, id))
      this.#counts.set(segmentId, (this.#counts.get(segmentId) ?? 0) + count - (again?.length ?? 0))
      first += count
    }
  }

  #isAgain(segmentId: string, spanId: string): boolean {
    const key = `${segmentId}/${spanId}`
    if (this.#seen.has(key)) return true
    this.#seen.add(key)
    return false
  }
}
