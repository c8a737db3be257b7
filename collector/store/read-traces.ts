import type { Database } from 'better-sqlite3'
import type { FateName } from '../../lib/protocol/outcome'
import { type Fate, worstFate } from '../../lib/wire/fate'
import type { TraceSummary, TracesPage } from '../../lib/wire/trace'
import { cutPage, type ListPlace, type PageRequest } from './page'
import { journalHead } from './read-journal'

type TraceRow = Omit<TraceSummary, 'services' | 'fate'> & { readonly services: string }

const TRACE = `trace_id AS traceId, journal, received_at AS receivedAt, last_seq AS lastSeq, start_us AS startUs,
  max(0, end_us - start_us) AS durationUs, name, op, status, segment_count AS segmentCount, span_count AS spanCount,
  error_count AS errorCount, services, environment, release, copy`

/** Traces, newest first: by the first submission that named them, so that a trace which grows stays where it is. */
export function readTraces(db: Database, place: ListPlace, page: PageRequest): TracesPage {
  const rows = db
    .prepare(
      `SELECT ${TRACE} FROM traces WHERE journal < @journal OR (journal = @journal AND trace_id > @id)
       ORDER BY journal DESC, trace_id LIMIT @limit`,
    )
    .all({ ...place, limit: page.limit + 1 }) as TraceRow[]
  const cut = cutPage(rows, page.limit, (row) => ({ journal: row.journal, id: row.traceId }))
  return { traces: toSummaries(db, cut.rows), next: cut.next, journal: journalHead(db) }
}

/** What the list says of one trace. */
export function readTraceSummary(db: Database, traceId: string): TraceSummary | null {
  const row = db.prepare(`SELECT ${TRACE} FROM traces WHERE trace_id = ?`).get(traceId) as TraceRow | undefined
  return (row === undefined ? undefined : toSummaries(db, [row])[0]) ?? null
}

function toSummaries(db: Database, rows: readonly TraceRow[]): TraceSummary[] {
  const fates = readTraceFates(
    db,
    rows.map((row) => row.traceId),
  )
  return rows.map((row) => ({
    ...row,
    status: row.status,
    services: JSON.parse(row.services) as string[],
    fate: fates.get(row.traceId) ?? { name: 'pending', reason: null },
  }))
}

interface TraceFateRow {
  readonly traceId: string
  readonly copy: number
  readonly outcome: FateName | null
  readonly reason: string | null
}

/** A trace's fate is the worst of its items' that were read into it. */
function readTraceFates(db: Database, traceIds: readonly string[]): Map<string, Fate> {
  const rows = db
    .prepare(
      `SELECT DISTINCT i.trace_id AS traceId, e.copy AS copy,
         coalesce(own.outcome, whole.outcome) AS outcome, coalesce(own.reason, whole.reason) AS reason
       FROM items i JOIN envelopes e USING (seq)
         LEFT JOIN spool.outcomes own ON own.seq = i.seq AND own.item = i.item
         LEFT JOIN spool.outcomes whole ON whole.seq = i.seq AND whole.item = -1
       WHERE i.trace_id IN (SELECT value FROM json_each(?)) AND i.type IN ('event', 'transaction', 'span')`,
    )
    .all(JSON.stringify(traceIds)) as TraceFateRow[]
  const found = new Map<string, Fate[]>()
  for (const row of rows) {
    const name: FateName = row.copy === 1 ? 'copy' : (row.outcome ?? 'pending')
    found.set(row.traceId, [...(found.get(row.traceId) ?? []), { name, reason: row.reason }])
  }
  return new Map([...found].map(([traceId, fates]) => [traceId, worstFate(fates)]))
}
