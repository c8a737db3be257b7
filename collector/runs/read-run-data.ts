import { join } from 'node:path'
import type { Database } from 'better-sqlite3'
import { SIZE_LIMITS } from '../../lib/protocol/size-limits'
import { countErrors, countSpans } from '../../lib/verdict/compare/count-spans'
import type { Amount, RunData, TraceCounts } from '../../lib/verdict/compare/run-data'
import type { Span } from '../../lib/wire/trace'
import { indexPath, planTrace, serializeSpan, TraceSpans } from '../index/files'
import { openForReading } from '../runtime/database'
import type { OpenRun } from './open-run'

/** Reads from index and record of an opened run, as the boards do. Copies of spotlight streams are left out. */
export function readRunData(label: string, { folder, manifest, verdict }: OpenRun): RunData {
  const db = openForReading(indexPath(folder))
  try {
    db.prepare('ATTACH ? AS spool').run(join(folder, 'spool.db'))
    return {
      label,
      facts: manifest,
      traces: readTraces(db),
      errors: readErrors(db),
      checks: (verdict?.report.judged ?? []).map(({ id, severity, verdict: { verdict: ended } }) => ({
        ...{ id, severity, verdict: ended },
      })),
      amounts: db
        .prepare(
          `SELECT category, sum(quantity) AS items, sum(items.bytes) AS bytes FROM items JOIN envelopes USING (seq)
            WHERE envelopes.copy = 0 GROUP BY category ORDER BY category`,
        )
        .all() as Amount[],
    }
  } finally {
    db.close()
  }
}

function readTraces(db: Database): readonly TraceCounts[] {
  const traces = db
    .prepare("SELECT trace_id AS traceId, span_count AS spanCount FROM traces WHERE span_count > 0 AND copy <> 'only'")
    .all() as { readonly traceId: string; readonly spanCount: number }[]
  return traces.flatMap(({ traceId, spanCount }) => {
    const reading = new TraceSpans(traceId, planTrace(db, traceId, spanCount), SIZE_LIMITS, serializeSpan)
    const spans: Span[] = []
    // Written by `wireSpan`, in this process.
    while (!reading.isDone) for (const { text } of reading.next(db)) spans.push(JSON.parse(text) as Span)
    return countSpans(spans)
  })
}

function readErrors(db: Database): ReadonlyMap<string, number> {
  const rows = db
    .prepare("SELECT service, title FROM events WHERE level IN ('error', 'fatal') AND copy <> 'only'")
    .all() as { readonly service: string; readonly title: string }[]
  return countErrors(rows)
}
