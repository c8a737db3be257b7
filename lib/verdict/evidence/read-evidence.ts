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

/** Parts of what was recorded as one, in the order in which it came to the collector, whichever was read first. */
export function inOrder(parts: readonly Evidence[]): Evidence {
  // The lists are sorted by what they share; the sort is stable, and most often there is nothing to move.
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

/** The same as it comes from a collector: its body in base64. */
export interface Base64Submission extends Omit<Submission, 'body'> {
  readonly body: string
}

/**
 * What a collector answers, as it is judged.
 * @param recorded one of `GET /query/recorded`, which was parsed as that: its body is base64.
 */
export function submissionOf(recorded: Base64Submission): Submission {
  const letters = atob(recorded.body)
  const body = new Uint8Array(letters.length)
  for (let at = 0; at < letters.length; at++) body[at] = letters.charCodeAt(at)
  return { ...recorded, body }
}

export interface GrowingEvidence {
  /** @param instead what was added before of the same submission goes, for this has it, too */
  readonly add: (part: Evidence, instead?: boolean) => void
  /** In the order in which it came to the collector, also what was added late. The same object until more is added. */
  readonly all: () => Evidence
}

/** Evidence that is read bit by bit. */
export function growingEvidence(): GrowingEvidence {
  let all = inOrder([])
  let added: Evidence[] = []
  let gone = new Set<number>()
  const merge = (): void => {
    if (added.length > 0) all = inOrder([gone.size === 0 ? all : without(all, gone), ...added])
    added = []
    gone = new Set()
  }
  return {
    add: (part, instead = false) => {
      if (instead) {
        merge()
        for (const { seq } of part.envelopes) gone.add(seq)
      }
      added.push(part)
    },
    all: () => {
      merge()
      return all
    },
  }
}

function without(evidence: Evidence, gone: ReadonlySet<number>): Evidence {
  const rest = <One extends { readonly seq: number }>(all: readonly One[]): readonly One[] =>
    all.filter(({ seq }) => !gone.has(seq))
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
