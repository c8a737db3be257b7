import type { Breadcrumb } from '../../protocol/items/event'
import type { JsonObject } from '../../protocol/json'
import type { Endpoint } from '../../protocol/request'
import type { Segment, SegmentSpan } from '../../protocol/trace/segment'
import type { SignalWithService, TraversedEvent } from '../../protocol/traversal/rows'

/** One received body with the facts beside it, as it is judged. */
export interface Submission {
  readonly seq: number
  /** Journal number of its `received` fact. */
  readonly journal: number
  /** ms since the epoch. */
  readonly receivedAt: number
  readonly endpoint: Endpoint
  readonly project: string
  readonly publicKey: string
  readonly stamp: string | null
  /** Random per page load; `null` where the sender names none. */
  readonly page: string | null
  readonly userAgent: string | null
  readonly origin: string | null
  readonly body: Uint8Array
}

/** Where something stands: the submission, and the item in it. */
export interface Place {
  readonly seq: number
  readonly item: number
}

interface Seen extends Place {
  readonly journal: number
  readonly receivedAt: number
  readonly stamp: string | null
  readonly page: string | null
  /** A second copy beside what the SDK sends to its own DSN: seen, never counted. */
  readonly copy: boolean
}

/** A submission that was read. */
export interface SeenEnvelope extends Omit<Submission, 'body'> {
  readonly header: Readonly<Record<string, unknown>>
  /** Name and version of what sent it, where it says so. */
  readonly sdk: string | null
  readonly bytes: number
  readonly copy: boolean
}

/** An item as it was framed; what it tells of stands in the lists by kind. */
export interface SeenItem extends Seen {
  readonly type: string
  readonly category: string
  readonly quantity: number
  readonly header: Readonly<Record<string, unknown>>
  readonly payload: Uint8Array
  readonly traceId: string | null
  readonly eventId: string | null
  /** Why it could not be read; it is kept and relayed all the same. */
  readonly problem: string | null
}

/** An error event. */
export interface SeenEvent extends TraversedEvent, Seen {}

/** A transaction, or a segment of streamed spans. */
export interface SeenSegment extends Segment, Seen {
  /** Of the segment's own span. */
  readonly attributes: Readonly<Record<string, unknown>>
}

export interface SeenSpan extends SegmentSpan, Seen {}

/** A breadcrumb, with the event that carries it. */
export interface SeenBreadcrumb extends Breadcrumb, Seen {
  readonly eventId: string
  /** Position in its event's list, oldest first. */
  readonly index: number
}

/** A log, a metric, a session, one line of a client report and the like. */
export interface SeenSignal extends SignalWithService, Seen {
  readonly fields: JsonObject
}

/** What was recorded, read by the walk that makes the rows. In the order in which it came. */
export interface Evidence {
  readonly envelopes: readonly SeenEnvelope[]
  readonly items: readonly SeenItem[]
  readonly events: readonly SeenEvent[]
  readonly segments: readonly SeenSegment[]
  readonly spans: readonly SeenSpan[]
  readonly breadcrumbs: readonly SeenBreadcrumb[]
  readonly signals: readonly SeenSignal[]
}
