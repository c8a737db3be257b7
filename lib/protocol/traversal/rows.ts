import type { Envelope, EnvelopeItemFrame } from '../envelope'
import type { EventItem } from '../items/event'
import type { Signal } from '../items/signal'
import type { Endpoint } from '../request'
import type { Segment, SegmentSpan } from '../trace/segment'

/** Where a row comes from: the record and the item in it, and whether it came beside the path. */
export interface Source {
  readonly seq: number
  readonly item: number
  readonly journal: number
  readonly receivedAt: number
  readonly copy: boolean
  readonly stamp: string | null
}

export interface EventRow {
  readonly eventId: string
  readonly traceId: string | null
  readonly spanId: string | null
  /** Of its arrival where it names none. */
  readonly timestampUs: number
  readonly level: string
  readonly platform: string | null
  /** `browser`, `server`, or the SDK's platform. */
  readonly service: string
  readonly title: string
  readonly handled: boolean | null
  readonly mechanism: string | null
  readonly transaction: string | null
  readonly environment: string | null
  readonly release: string | null
  /** What Next shows to the user in place of a server error. */
  readonly digest: string | null
}

/** An error event as the walk tells of it: with all that was read. */
export interface TraversedEvent extends Omit<EventItem, 'timestampUs'>, EventRow {}

export interface BreadcrumbRow {
  readonly timestampUs: number | null
  readonly category: string | null
  readonly type: string | null
  readonly level: string | null
  readonly message: string | null
  readonly data: unknown
}

export interface EnvelopeRow {
  readonly seq: number
  readonly journal: number
  readonly receivedAt: number
  readonly endpoint: Endpoint
  readonly digestedAt: number
  readonly state: 'digested' | 'undigested'
  readonly copy: boolean
  readonly eventId: string | null
  readonly traceId: string | null
  /** Only the header names the trace: no item tells of one. */
  readonly traceOfHeader: boolean
  readonly sdk: string | null
  readonly environment: string | null
  readonly stamp: string | null
}

export interface ItemRow {
  readonly seq: number
  readonly item: number
  readonly journal: number
  readonly type: string
  readonly category: string
  readonly quantity: number
  readonly bytes: number
  readonly traceId: string | null
  readonly eventId: string | null
  readonly problem: string | null
}

/** A signal with what only the digest can tell: who spoke. `null` where nothing in the envelope says it. */
export interface SignalWithService extends Signal {
  readonly service: string | null
}

/**
 * What a record turns into. One walk over a record serves both ends of its life: the writer makes its rows, the eraser
 * takes the same rows away.
 */
export interface RowVisitor {
  readonly envelope: (row: EnvelopeRow, header: Envelope['header']) => void
  /** Comes after what the item tells of. */
  readonly item: (row: ItemRow, frame: EnvelopeItemFrame) => void
  /** @param place of the segment in its item. */
  readonly segment: (segment: Segment, place: number, source: Source) => void
  /** @param place of the span in its item. */
  readonly span: (span: SegmentSpan, place: number, source: Source) => void
  readonly event: (event: TraversedEvent, breadcrumbs: readonly BreadcrumbRow[], source: Source) => void
  /** @param place of the signal in its item. */
  readonly signal: (signal: SignalWithService, place: number, source: Source) => void
}
