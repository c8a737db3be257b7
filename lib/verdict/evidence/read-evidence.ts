import { LIMITS } from '../../protocol/limits'
import type { Segment, SegmentSpan } from '../../protocol/trace/segment'
import type { RowVisitor } from '../../protocol/traversal/rows'
import { traverseEnvelope } from '../../protocol/traversal/traverse-envelope'
import type { Evidence, SeenSpan, Submission } from './evidence'

type Growing = { -readonly [List in keyof Evidence]: Evidence[List][number][] }

/**
 * Reads submissions as the digest does. Pure: the same bytes are the same evidence, whoever asks.
 * @throws when one does not frame as an envelope: the endpoint let nothing such in, so it is a bug.
 */
export function readEvidence(submissions: readonly Submission[]): Evidence {
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

function readInto(evidence: Growing, submission: Submission): void {
  const { body, ...facts } = submission
  const copy = submission.endpoint === 'stream'
  const { seq, journal, receivedAt, stamp, page, endpoint } = submission
  const seenIn = (item: number) => ({ seq, item, journal, receivedAt, stamp, page, copy })
  /** A segment is told before the spans of its item, in their order, and its attributes are those of its own span. */
  const told: Segment[] = []
  let seenSegments = 0
  const rows: RowVisitor = {
    envelope: ({ sdk }, header) => evidence.envelopes.push({ ...facts, header, sdk, bytes: body.length, copy }),
    item: ({ item, type, category, quantity, traceId, eventId, problem }, { header, payload }) => {
      const read = { type, category, quantity, header, payload, traceId, eventId, problem }
      evidence.items.push({ ...seenIn(item), ...read })
    },
    segment: (segment) => told.push(segment),
    span: (span, _place, { item }) => {
      const segment = span.isSegment ? told[seenSegments++] : undefined
      if (segment !== undefined) evidence.segments.push({ ...segment, ...seenIn(item), attributes: span.attributes })
      evidence.spans.push(seenSpan(span, submission, item, copy))
    },
    event: (event, _breadcrumbs, { item }) => {
      evidence.events.push({ ...event, ...seenIn(item) })
      const { eventId } = event
      for (const [index, crumb] of event.breadcrumbs.entries()) {
        const { timestampUs, category, type, level, message, data } = crumb
        // Written out: an object that is spread from two others takes seven times as long, and there are a hundred of an event.
        const told = {
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
        evidence.breadcrumbs.push(told)
      }
    },
    signal: (signal, _place, { item }) => evidence.signals.push({ ...signal, ...seenIn(item) }),
  }
  traverseEnvelope({ seq, journal, receivedAt, endpoint, copy, stamp, body }, rows, receivedAt, LIMITS)
}

/** Written out, as breadcrumbs are: most of what is recorded are spans. */
const seenSpan = (span: SegmentSpan, submission: Submission, item: number, copy: boolean): SeenSpan => ({
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
  seq: submission.seq,
  item,
  journal: submission.journal,
  receivedAt: submission.receivedAt,
  stamp: submission.stamp,
  page: submission.page,
  copy,
})
