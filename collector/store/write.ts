import type { Database, Statement } from 'better-sqlite3'
import type { Signal } from '../../lib/items/signal'
import { isErrorStatus, type Segment, type SegmentSpan } from '../../lib/trace/segment'
import type { BreadcrumbRow, EnvelopeRow, EventRow, ItemRow, Rows, Source } from './rows'
import { SQL } from './write-sql'

/**
 * Writes rows. Late, repeated and out-of-order arrival end in the same rows: what came on the path replaces what came
 * as a copy, and a copy of something that is here is only a mark on it.
 */
export class RowWriter implements Rows {
  readonly #sql: Readonly<Record<keyof typeof SQL, Statement>>
  /** Traces that the envelope at hand touched; they count only once it is through. */
  #staged: { readonly traceId: string; readonly source: Source; readonly spans: number }[] = []
  /** Traces that this batch touched: summed up once at its end. */
  readonly #touched = new Map<string, { spans: number; first: Source; lastSeq: number }>()

  constructor(db: Database) {
    this.#sql = Object.fromEntries(
      (Object.keys(SQL) as (keyof typeof SQL)[]).map((name) => [name, db.prepare(SQL[name])]),
    ) as Record<keyof typeof SQL, Statement>
  }

  envelope(row: EnvelopeRow): void {
    this.#sql.envelope.run({ ...row, copy: row.copy ? 1 : 0 })
  }

  item(row: ItemRow): void {
    this.#sql.item.run(row)
  }

  segment(segment: Segment, source: Source): void {
    const { copy, ...from } = source
    this.#upsert('Segment', { ...segment, seq: from.seq, item: from.item }, copy)
    this.#touch(segment.traceId, source, 0)
  }

  /** @param place of the span in its item. */
  span(span: SegmentSpan, place: number, source: Source): void {
    const isNew = this.#upsert(
      'Span',
      {
        ...span,
        isSegment: span.isSegment ? 1 : 0,
        attributes: JSON.stringify(span.attributes),
        links: JSON.stringify(span.links),
        place,
        seq: source.seq,
        item: source.item,
      },
      source.copy,
    )
    this.#touch(span.traceId, source, isNew ? 1 : 0)
  }

  event(event: EventRow, breadcrumbs: readonly BreadcrumbRow[], source: Source): void {
    const { copy, ...from } = source
    const handled = event.handled === null ? null : Number(event.handled)
    this.#upsert('Event', { ...event, ...from, handled }, copy)
    for (const [place, crumb] of breadcrumbs.entries()) {
      const data = crumb.data === null ? null : JSON.stringify(crumb.data)
      this.#sql.breadcrumb.run({ ...crumb, data, eventId: event.eventId, place })
    }
    if (event.traceId !== null) this.#touch(event.traceId, source, 0)
  }

  signal(signal: Signal, place: number, source: Source): void {
    const { copy, ...from } = source
    const key = signal.key ?? `${source.seq}.${source.item}.${place}`
    const timestampUs = signal.timestampUs ?? source.receivedAt * 1000
    const fields = JSON.stringify(signal.fields)
    this.#sql.signal.run({
      ...signal,
      ...from,
      key,
      place,
      timestampUs,
      fields,
      copy: copy ? 'only' : 'no',
      service: null,
    })
  }

  /** Sums up the traces of this batch and moves the cursor; belongs to the same transaction as the rows. */
  finish(upTo: number): void {
    for (const [traceId, touched] of this.#touched) this.#sumUp(traceId, touched.spans, touched.first, touched.lastSeq)
    this.#touched.clear()
    this.#sql.moveCursor.run(upTo)
  }

  /** The envelope at hand is through: what it touched belongs to the batch. */
  keepEnvelope(): void {
    for (const { traceId, source, spans } of this.#staged.splice(0)) {
      const known = this.#touched.get(traceId)
      this.#touched.set(traceId, {
        spans: (known?.spans ?? 0) + spans,
        first: known?.first ?? source,
        lastSeq: source.seq,
      })
    }
  }

  /** The envelope at hand threw, and its rows are rolled back: it touched nothing. */
  dropEnvelope(): void {
    this.#staged = []
  }

  /** Forgets what a batch that failed had touched. */
  abandon(): void {
    this.#staged = []
    this.#touched.clear()
  }

  /** @returns true when the row is new. */
  #upsert(kind: 'Segment' | 'Span' | 'Event', row: Record<string, unknown>, copy: boolean): boolean {
    if (this.#sql[`insert${kind}`].run({ ...row, copy: copy ? 'only' : 'no' }).changes === 1) return true
    if (copy) this.#sql[`mark${kind}`].run(row)
    else this.#sql[`replace${kind}`].run(row)
    return false
  }

  #touch(traceId: string, source: Source, spans: number): void {
    this.#staged.push({ traceId, source, spans })
  }

  #sumUp(traceId: string, newSpans: number, source: Source, lastSeq: number): void {
    const segments = this.#sql.segmentsOf.all(traceId) as {
      name: string
      op: string | null
      status: string | null
      start_us: number
      end_us: number
      service: string
      environment: string | null
      release: string | null
      parent_span_id: string | null
      copy: string
    }[]
    const events = this.#sql.eventsOf.all(traceId) as {
      title: string
      timestamp_us: number
      service: string
      environment: string | null
      release: string | null
      copy: string
    }[]
    const first = nameGiver(segments)
    const event = events[0]
    const loose = this.#sql.boundsOf.get(traceId) as {
      start_us: number | null
      end_us: number | null
      name: string | null
    }
    const alone = event?.timestamp_us ?? source.receivedAt * 1000
    const bounds =
      segments.length > 0 ? segments : [{ start_us: loose.start_us ?? alone, end_us: loose.end_us ?? alone }]
    const copies = [...segments, ...events].map((one) => one.copy)
    this.#sql.upsertTrace.run({
      traceId,
      journal: source.journal,
      receivedAt: source.receivedAt,
      lastSeq,
      startUs: Math.min(...bounds.map((one) => one.start_us)),
      endUs: Math.max(...bounds.map((one) => one.end_us)),
      name: first?.name ?? event?.title ?? loose.name ?? '(unnamed)',
      op: first?.op ?? null,
      status: statusOf(segments),
      segmentCount: segments.length,
      newSpans,
      errorCount: events.length,
      services: JSON.stringify([...new Set([...segments, ...events].map((one) => one.service))].sort()),
      environment: first?.environment ?? event?.environment ?? null,
      release: first?.release ?? event?.release ?? null,
      copy: copyOf(copies.length === 0 ? [source.copy ? 'only' : 'no'] : copies),
    })
  }
}

/**
 * The segment that a trace is named after: what a person did (a page load or navigation, though the server that rendered
 * the page may come before it), else the root, else the earliest.
 */
function nameGiver<Segment extends { readonly op: string | null; readonly parent_span_id: string | null }>(
  segments: readonly Segment[],
): Segment | undefined {
  const byPerson = segments.find(({ op }) => op === 'pageload' || op === 'navigation')
  return byPerson ?? segments.find((segment) => segment.parent_span_id === null) ?? segments[0]
}

/** `only` when nothing of it came on the path, `also` when some of it came twice or beside it. */
function copyOf(copies: readonly string[]): 'no' | 'also' | 'only' {
  if (copies.every((copy) => copy === 'only')) return 'only'
  return copies.every((copy) => copy === 'no') ? 'no' : 'also'
}

function statusOf(segments: readonly { readonly status: string | null }[]): 'ok' | 'error' | null {
  if (segments.some((segment) => isErrorStatus(segment.status))) return 'error'
  return segments.some((segment) => segment.status !== null) ? 'ok' : null
}
