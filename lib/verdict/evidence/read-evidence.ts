import { traverseRecorded } from '../../otlp/traverse-otlp'
import { SIZE_LIMITS } from '../../protocol/size-limits'
import type { StoredSubmission } from '../../protocol/submission'
import type { Segment, SegmentSpan } from '../../protocol/trace/segment'
import type { RowVisitor } from '../../protocol/traversal/rows'
import type { Evidence, SeenSpan } from './evidence'

type Growing = { -readonly [List in keyof Evidence]: Evidence[List][number][] }

/** Pure. @throws if a body is no envelope. The endpoint refuses such bodies, so this is a bug. */
export function readEvidence(submissions: readonly StoredSubmission[]): Evidence {
  const evidence: Growing = {
    envelopes: [],
    items: [],
    events: [],
    segments: [],
    spans: [],
    breadcrumbs: [],
    signals: [],
  }
  for (const submission of submissions) readInto(evidence, submission)
  return evidence
}

function readInto(evidence: Growing, submission: StoredSubmission): void {
  const { body, ...facts } = submission
  const copy = submission.endpoint === 'stream'
  const { seq, journal, receivedAt, stamp, page, endpoint, contentType, target } = submission
  const seenIn = (item: number) => ({ seq, item, journal, receivedAt, stamp, page, copy })
  /** The traversal reports segments before the spans of their item; a segment takes its attributes from its span. */
  const segments: Segment[] = []
  let nextSegment = 0
  const rows: RowVisitor = {
    envelope: ({ sdk }, header) => evidence.envelopes.push({ ...facts, header, sdk, bytes: body.length, copy }),
    item: ({ item, type, category, quantity, traceId, eventId, problem }, { header, payload }) => {
      const read = { type, category, quantity, header, payload, traceId, eventId, problem }
      evidence.items.push({ ...seenIn(item), ...read })
    },
    segment: (segment) => segments.push(segment),
    span: (span, _place, { item }) => {
      const segment = span.isSegment ? segments[nextSegment++] : undefined
      if (segment !== undefined) evidence.segments.push({ ...segment, ...seenIn(item), attributes: span.attributes })
      evidence.spans.push(seenSpan(span, submission, item, copy))
    },
    event: (event, _breadcrumbs, { item }) => {
      evidence.events.push({ ...event, ...seenIn(item) })
      const { eventId } = event
      for (const [index, crumb] of event.breadcrumbs.entries()) {
        const { timestampUs, category, type, level, message, data } = crumb
        // Written out: spreading two objects takes seven times as long, and an event has up to 100 breadcrumbs.
        const breadcrumb = {
          timestampUs,
          category,
          type,
          level,
          message,
          data,
          eventId,
          index,
          seq,
          item,
          journal,
          receivedAt,
          stamp,
          page,
          copy,
        }
        evidence.breadcrumbs.push(breadcrumb)
      }
    },
    signal: (signal, _place, { item }) => evidence.signals.push({ ...signal, ...seenIn(item) }),
  }
  const recorded = { seq, journal, receivedAt, endpoint, copy, stamp, contentType, target, body }
  traverseRecorded(recorded, rows, receivedAt, SIZE_LIMITS)
}

/** Written out for speed, as for breadcrumbs: most entries are spans. */
const seenSpan = (span: SegmentSpan, submission: StoredSubmission, item: number, copy: boolean): SeenSpan => ({
  traceId: span.traceId,
  spanId: span.spanId,
  parentSpanId: span.parentSpanId,
  segmentId: span.segmentId,
  isSegment: span.isSegment,
  name: span.name,
  op: span.op,
  status: span.status,
  origin: span.origin,
  service: span.service,
  startUs: span.startUs,
  endUs: span.endUs,
  attributes: span.attributes,
  links: span.links,
  ...(span.otel !== undefined && { otel: span.otel }),
  seq: submission.seq,
  item,
  journal: submission.journal,
  receivedAt: submission.receivedAt,
  stamp: submission.stamp,
  page: submission.page,
  copy,
})

/** Merges evidence and sorts it by arrival at the collector. */
export function mergeEvidence(parts: readonly Evidence[]): Evidence {
  // The sort is stable, and the lists are nearly always sorted already.
  const merged = <One extends { readonly journal: number }>(
    listOf: (part: Evidence) => readonly One[],
  ): readonly One[] => parts.flatMap(listOf).sort((one, other) => one.journal - other.journal)
  return {
    envelopes: merged(({ envelopes }) => envelopes),
    items: merged(({ items }) => items),
    events: merged(({ events }) => events),
    segments: merged(({ segments }) => segments),
    spans: merged(({ spans }) => spans),
    breadcrumbs: merged(({ breadcrumbs }) => breadcrumbs),
    signals: merged(({ signals }) => signals),
  }
}

/** A submission from `GET /query/recorded`: its body is base64. */
interface Base64Submission extends Omit<StoredSubmission, 'body'> {
  readonly body: string
}

export function decodeSubmission(recorded: Base64Submission): StoredSubmission {
  const letters = atob(recorded.body)
  const body = new Uint8Array(letters.length)
  for (let at = 0; at < letters.length; at++) body[at] = letters.charCodeAt(at)
  return { ...recorded, body }
}

interface EvidenceAccumulator {
  /** @param replaces removes what was added before from the same submissions: `part` contains it */
  readonly add: (part: Evidence, replaces?: boolean) => void
  /** Sorted by arrival at the collector. Returns the same object until more is added. */
  readonly all: () => Evidence
}

/** Evidence that grows while a recording is open. */
export function accumulateEvidence(): EvidenceAccumulator {
  let all = mergeEvidence([])
  let added: Evidence[] = []
  let replaced = new Set<number>()
  const merge = (): void => {
    if (added.length > 0) all = mergeEvidence([replaced.size === 0 ? all : without(all, replaced), ...added])
    added = []
    replaced = new Set()
  }
  return {
    add: (part, replaces = false) => {
      if (replaces) {
        merge()
        for (const { seq } of part.envelopes) replaced.add(seq)
      }
      added.push(part)
    },
    all: () => {
      merge()
      return all
    },
  }
}

function without(evidence: Evidence, replaced: ReadonlySet<number>): Evidence {
  const rest = <One extends { readonly seq: number }>(all: readonly One[]): readonly One[] =>
    all.filter(({ seq }) => !replaced.has(seq))
  return {
    envelopes: rest(evidence.envelopes),
    items: rest(evidence.items),
    events: rest(evidence.events),
    segments: rest(evidence.segments),
    spans: rest(evidence.spans),
    breadcrumbs: rest(evidence.breadcrumbs),
    signals: rest(evidence.signals),
  }
}
