import type { Database } from 'better-sqlite3'
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest'
import { COLUMN_LIMITS, type ColumnLimits } from '../../../collector/index/traces/read-columns'
import { TraceReading } from '../../../collector/index/traces/read-trace'
import { openForReading } from '../../../collector/runtime/database'
import { SIZE_LIMITS } from '../../../lib/protocol/size-limits'
import type { Span } from '../../../lib/wire/trace'
import { SPANS_PER_PIECE, TraceDecoder, type TracePiece, type TraceSpan } from '../../../lib/wire/trace-columns'
import { removeFolders } from '../spool/in-process-spool'
import { Folder } from './folder'
import { recordOf } from './random-records'
import { readWholeTrace } from './read-whole-trace'
import { RecordedFolder } from './recorded-folder'
import { container, id, TRACE } from './span-records'

let folder: Folder
beforeEach(() => {
  folder = new Folder()
})
afterEach(() => folder.remove())
afterAll(removeFolders)

const WHOLE = { after: 0, segmentId: null }

/** Reads the lines in as many pieces as possible. */
function readColumns(
  part = WHOLE as { after: number; segmentId: string | null },
  limits: ColumnLimits = COLUMN_LIMITS,
) {
  const db = openForReading(folder.file('telemetry.db'))
  try {
    db.prepare('ATTACH ? AS spool').run(folder.file('spool.db'))
    return readFrom(db, part, limits)
  } finally {
    db.close()
  }
}

function readFrom(db: Database, part = WHOLE as { after: number; segmentId: string | null }, limits = COLUMN_LIMITS) {
  const reading = TraceReading.openColumns(db, TRACE, part, SIZE_LIMITS, limits)
  if (reading === null) return null
  let text = ''
  for (let done = false; !done; ) {
    const next = reading.next(db, () => true)
    text += next.text
    done = next.done
  }
  const decoder = new TraceDecoder()
  const pieces = text
    .trimEnd()
    .split('\n')
    .map((line) => decoder.decode(line))
  return inParts(pieces)
}

function inParts(pieces: readonly TracePiece[]) {
  const lists = pieces.flatMap((piece) => (piece.kind === 'head' || piece.kind === 'lists' ? [piece.lists] : []))
  const [head, last] = [pieces[0], pieces.at(-1)]
  if (head?.kind !== 'head' || last?.kind !== 'end') throw new Error('the lines begin with a head and end with an end')
  return {
    summary: head.summary,
    segments: lists.flatMap(({ segments = [] }) => segments),
    submissions: lists.flatMap(({ submissions = [] }) => submissions),
    errors: lists.flatMap(({ errors = [] }) => errors),
    breadcrumbs: lists.flatMap(({ breadcrumbs = [] }) => breadcrumbs),
    lengths: pieces.flatMap((piece) => (piece.kind === 'spans' ? [piece.spans.length] : [])),
    spans: pieces.flatMap((piece) => (piece.kind === 'spans' ? piece.spans : [])),
    end: last.end,
  }
}

const byStart = (one: TraceSpan, other: TraceSpan): number =>
  one.startUs - other.startUs || (one.spanId < other.spanId ? -1 : 1)

const inColumns = ({ spanId, parentSpanId, segmentId, isSegment, startUs, endUs, ...of }: Span): TraceSpan => ({
  ...{ spanId, parentSpanId, segmentId, isSegment, startUs, endUs },
  ...{ service: of.service, op: of.op, name: of.name, status: of.status, httpStatus: null, seq: of.seq, item: of.item },
})

const segmentOf = (n: number): string => (n + 1).toString(16).padStart(16, '0')

/** Segments, each with children whose ids differ from all others. */
function segments(count: number, children: number, from = 0): string {
  const items = Array.from({ length: count }, (_, of) => {
    const n = of + from
    const attributes = { 'sentry.segment.id': { value: segmentOf(n), type: 'string' } }
    const both = { trace_id: TRACE, start_timestamp: 1_795_000_000 + n, end_timestamp: 1_795_000_001 + n }
    return [
      { ...both, span_id: segmentOf(n), is_segment: true },
      ...Array.from({ length: children }, (_child, at) => ({
        ...both,
        span_id: segmentOf(1_000_000 + n * children + at),
        parent_span_id: segmentOf(n),
        attributes,
      })),
    ]
  })
  return `{}\n{"type":"span"}\n${JSON.stringify({ items: items.flat() })}`
}

describe('the columns of a trace', () => {
  it('have the same rows and spans as its document, also of spans that several records contain', () => {
    folder.take([
      container(1, [
        { span: 1, to: 2 },
        { span: 2, to: 4 },
      ]),
      container(2, [{ span: 1, to: 9 }], 'stream'),
      container(3, [
        { span: 1, to: 3 },
        { span: 3, to: 1 },
      ]),
      recordOf(segments(3, 4), 4, 'envelope'),
      recordOf(error('e'), 5, 'envelope'),
    ])
    const [columns, document] = [readColumns(), readWholeTrace(folder, TRACE)]
    expect(columns?.summary).toEqual(document?.summary)
    expect(columns?.segments).toEqual(document?.segments)
    expect(columns?.errors).toEqual(document?.errors)
    expect(columns?.breadcrumbs).toEqual(document?.breadcrumbs)
    const unmarked = columns?.spans.map(({ isRepeated: _, isOpen: _end, ...span }) => span) ?? []
    expect(unmarked.sort(byStart)).toEqual(document?.spans.map(inColumns).sort(byStart))
    expect(columns?.end).toMatchObject({ gaps: [], spans: 15 })
  })

  it('mark spans that were sent again, but not for a copy, and spans without an end', () => {
    const open = { trace_id: TRACE, span_id: segmentOf(70), start_timestamp: 1_795_000_000 }
    folder.take([
      container(1, [
        { span: 1, to: 2 },
        { span: 2, to: 4 },
        { span: 3, to: 5 },
      ]),
      container(2, [{ span: 1, to: 9 }], 'stream'),
      container(3, [{ span: 2, to: 3 }]),
      container(4, [
        { span: 4, to: 3 },
        { span: 4, to: 5 },
      ]),
      recordOf(`{}\n{"type":"span"}\n${JSON.stringify({ items: [open] })}`, 5, 'envelope'),
    ])
    const spans = [...(readColumns()?.spans ?? [])].sort((a, b) => (a.spanId < b.spanId ? -1 : 1))
    expect(spans.map(({ isRepeated, isOpen }) => [isRepeated ?? false, isOpen ?? false])).toEqual([
      [false, false],
      [true, false],
      [false, false],
      [true, false],
      [false, true],
    ])
  })

  it('have the size of a result', () => {
    const span = { trace_id: TRACE, span_id: segmentOf(1), start_timestamp: 1, end_timestamp: 2 }
    const attributes = { 'db.response.returned_rows': { value: 12, type: 'integer' } }
    folder.take([
      recordOf(`{}\n{"type":"span"}\n${JSON.stringify({ items: [{ ...span, attributes }] })}`, 1, 'envelope'),
    ])
    expect(readColumns()?.spans[0]?.pill).toBe('12 rows')
  })

  it('name every submission of the trace with its delivery, the newest first', () => {
    const records = [container(1, [{ span: 1, to: 2 }]), container(2, [{ span: 1, to: 9.5 }], 'stream')]
    folder.take(records)
    const { journal } = readColumns()?.end ?? {}
    const submissions = readColumns()?.submissions ?? []
    expect(submissions.map(({ seq, copy, deliveryStatus }) => [seq, copy, deliveryStatus.name])).toEqual([
      [2, true, 'copy'],
      [1, false, 'pending'],
    ])
    expect(submissions[0]?.journal).toBe(journal)
    expect(submissions.map(({ bytes }) => bytes)).toEqual(records.map(({ bytes }) => bytes).reverse())
  })

  it('have a short first piece, then pieces of 5,000 spans', () => {
    folder.take([recordOf(segments(1, 13_000), 1, 'envelope')])
    expect(readColumns()?.lengths).toEqual([1000, SPANS_PER_PIECE, SPANS_PER_PIECE, 2001])
  })

  it('after a journal number have the spans of later submissions only, and all rows', () => {
    folder.take([recordOf(segments(2, 1), 1, 'envelope')])
    const before = readColumns()
    const after = { after: before?.end.journal ?? 0, segmentId: null }
    expect(readColumns(after)).toMatchObject({ spans: [], segments: before?.segments, end: { journal: after.after } })
    folder.take([recordOf(segments(1, 2, 7), 2, 'envelope')])
    const news = readColumns(after)
    expect(news?.spans.map(({ seq }) => seq)).toEqual([2, 2, 2])
    expect(news?.segments.map(({ segmentId }) => segmentId)).toEqual([0, 1, 7].map(segmentOf))
    expect(news?.end.journal).toBeGreaterThan(after.after)
  })

  it('of a segment have its spans only', () => {
    folder.take([recordOf(segments(3, 2), 1, 'envelope'), recordOf(segments(1, 3, 9), 2, 'envelope')])
    const found = readColumns({ after: 0, segmentId: segmentOf(1) })
    expect(found?.spans.map(({ segmentId }) => segmentId)).toEqual(Array.from({ length: 3 }, () => segmentOf(1)))
    expect(found).toMatchObject({ segments: [], submissions: [], end: { gaps: [] } })
    expect(readColumns({ after: 0, segmentId: id(77) })?.spans).toEqual([])
  })

  it('say what a limit leaves out', () => {
    folder.take([recordOf(segments(3, 9), 1, 'envelope'), recordOf(segments(3, 9, 5), 2, 'envelope')])
    const limits = { spans: 40, spansOfSegment: 4, segments: 5, submissions: 1 }
    const found = readColumns(WHOLE, limits)
    expect([found?.spans.length, found?.segments.length, found?.submissions.map(({ seq }) => seq)]).toEqual([
      40,
      5,
      [2],
    ])
    expect(found?.end.gaps).toEqual([
      { of: 'spans', missing: 20, limit: 40 },
      { of: 'segments', missing: 1, limit: 5 },
      { of: 'submissions', missing: 1, limit: 1 },
    ])
    const segment = readColumns({ after: 0, segmentId: segmentOf(1) }, limits)
    expect(segment?.end.gaps).toEqual([{ of: 'spans', missing: 6, limit: 4 }])
    expect(readColumns(WHOLE, { ...limits, spans: 60, segments: 6, submissions: 2 })?.end.gaps).toEqual([])
  })

  it('have 100,000 spans, 1,000,000 of a segment, 100,000 segments and 5,000 submissions at most', () => {
    expect(COLUMN_LIMITS).toEqual({ spans: 100_000, spansOfSegment: 1_000_000, segments: 100_000, submissions: 5000 })
  })

  it('continue lists of more than 1,000 entries in further lines', () => {
    folder.take([recordOf(segments(2500, 0), 1, 'envelope')])
    expect(readColumns()?.segments.map(({ segmentId }) => segmentId)).toEqual(
      Array.from({ length: 2500 }, (_, n) => segmentOf(n)),
    )
  })

  it('name the receipt of the oldest stored submission once older ones were evicted', async () => {
    const recorded = new RecordedFolder()
    const [first = 0] = [1, 2].map((n) =>
      recorded.receive(segments(1, 0, n), {
        receivedAt: n * 1000,
        deliveryStatus: { outcome: 'kept', reason: 'no_upstream' },
      }),
    )
    recorded.digest()
    expect(readFrom(recorded.db)?.end).not.toHaveProperty('evictedBefore')
    await recorded.evict([first])
    expect(readFrom(recorded.db)?.end.evictedBefore).toBe(2000)
    recorded.close()
  })

  it('name the earliest trace whose page links to this one', () => {
    const page = (digit: string, start: number) => {
      const link = { trace_id: TRACE, span_id: id(1), attributes: { 'sentry.link.type': { value: 'previous_trace' } } }
      const times = { start_timestamp: start, end_timestamp: start + 1 }
      const span = { trace_id: digit.repeat(32), span_id: id(9), is_segment: true, ...times, links: [link] }
      return `{}\n{"type":"span"}\n${JSON.stringify({ items: [span] })}`
    }
    folder.take([container(1, [{ span: 1, segment: 1 }])])
    expect(readColumns()?.end).not.toHaveProperty('next')
    folder.take([recordOf(page('b', 1_795_000_020), 2, 'envelope'), recordOf(page('c', 1_795_000_010), 3, 'envelope')])
    expect(readColumns()?.end.next).toEqual({ traceId: 'c'.repeat(32), spanId: id(9) })
    // The answer about one segment adds its spans to a trace that is shown.
    expect(readColumns({ after: 0, segmentId: id(1) })?.end).not.toHaveProperty('next')
  })

  it('are null for a trace that is not stored', () => {
    folder.take([])
    expect(readColumns()).toBeNull()
  })
})

const error = (event: string): string => {
  const contexts = { trace: { trace_id: TRACE, span_id: segmentOf(0) } }
  const breadcrumbs = [{ timestamp: 1_795_000_000, message: 'before' }]
  const payload = { event_id: event.repeat(32), timestamp: 1_795_000_001, contexts, breadcrumbs }
  return `{}\n{"type":"event"}\n${JSON.stringify(payload)}`
}
