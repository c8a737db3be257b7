import { LIMITS } from '../protocol/limits'
import type { Segment } from '../trace/segment'
import type { Rows } from '../walk/rows'
import { walkEnvelope } from '../walk/walk-envelope'
import type { Evidence, Submission } from './evidence'

type Growing = { -readonly [List in keyof Evidence]: Evidence[List][number][] }

/**
 * Reads submissions as the digest does. Pure: the same bytes are the same evidence, whoever asks.
 * @throws when one does not frame as an envelope: the door let nothing such in, so it is a bug.
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
  const copy = submission.door === 'stream'
  const { seq, journal, receivedAt, stamp, page, door } = submission
  const seenIn = (item: number) => ({ seq, item, journal, receivedAt, stamp, page, copy })
  /** A segment is told before its spans, and has no attributes of its own. */
  let told: { readonly segment: Segment; readonly item: number }[] = []
  const rows: Rows = {
    envelope: ({ sdk }, header) => evidence.envelopes.push({ ...facts, header, sdk, bytes: body.length, copy }),
    item: ({ item, type, category, quantity, traceId, eventId, problem }, { header, payload }) => {
      const read = { type, category, quantity, header, payload, traceId, eventId, problem }
      evidence.items.push({ ...seenIn(item), ...read })
    },
    segment: (segment, _place, { item }) => told.push({ segment, item }),
    span: (span, _place, { item }) => {
      const segment = span.isSegment ? told.find((one) => one.segment.segmentId === span.spanId) : undefined
      if (segment !== undefined) {
        told = told.filter((one) => one !== segment)
        evidence.segments.push({ ...segment.segment, ...seenIn(item), attributes: span.attributes })
      }
      evidence.spans.push({ ...span, ...seenIn(item) })
    },
    event: (event, _breadcrumbs, { item }) => {
      evidence.events.push({ ...event, ...seenIn(item) })
      for (const [index, crumb] of event.breadcrumbs.entries())
        evidence.breadcrumbs.push({ ...crumb, ...seenIn(item), eventId: event.eventId, index })
    },
    signal: (signal, _place, { item }) => evidence.signals.push({ ...signal, ...seenIn(item) }),
  }
  walkEnvelope({ seq, journal, receivedAt, door, copy, stamp, body }, rows, receivedAt, LIMITS)
}
