import type { Breadcrumb } from '../../protocol/items/event'
import type { JsonObject } from '../../protocol/json-value'
import type { StoredSubmission } from '../../protocol/submission'
import type { Segment, SegmentSpan } from '../../protocol/trace/segment'
import type { SignalWithService, TraversedEvent } from '../../protocol/traversal/rows'

export interface ItemPosition {
  readonly seq: number
  readonly item: number
}

interface Seen extends ItemPosition {
  readonly journal: number
  readonly receivedAt: number
  readonly stamp: string | null
  readonly page: string | null
  /** A Spotlight duplicate of what the SDK sends to its DSN: shown, never counted. */
  readonly copy: boolean
}

interface SeenEnvelope extends Omit<StoredSubmission, 'body'> {
  readonly header: Readonly<Record<string, unknown>>
  readonly sdk: string | null
  readonly bytes: number
  readonly copy: boolean
}

/** An item as framed in the envelope; its parsed content is in the lists by kind. */
export interface SeenItem extends Seen {
  readonly type: string
  readonly category: string
  readonly quantity: number
  readonly header: Readonly<Record<string, unknown>>
  readonly payload: Uint8Array
  readonly traceId: string | null
  readonly eventId: string | null
  /** Why parsing failed; the item is kept and relayed anyway. */
  readonly problem: string | null
}

export interface SeenEvent extends TraversedEvent, Seen {}

/** A transaction, or a segment of streamed spans. */
export interface SeenSegment extends Segment, Seen {
  readonly attributes: Readonly<Record<string, unknown>>
}

export interface SeenSpan extends SegmentSpan, Seen {}

export interface SeenBreadcrumb extends Breadcrumb, Seen {
  readonly eventId: string
  /** Index in the event's list, oldest first. */
  readonly index: number
}

/** A log, a metric, a session, one entry of a client report, or a similar small signal. */
export interface SeenSignal extends SignalWithService, Seen {
  readonly fields: JsonObject
}

/** Recorded telemetry, parsed by the same traversal as the index. In the order of arrival. */
export interface Evidence {
  readonly envelopes: readonly SeenEnvelope[]
  readonly items: readonly SeenItem[]
  readonly events: readonly SeenEvent[]
  readonly segments: readonly SeenSegment[]
  readonly spans: readonly SeenSpan[]
  readonly breadcrumbs: readonly SeenBreadcrumb[]
  readonly signals: readonly SeenSignal[]
}
