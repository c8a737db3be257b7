import type { Envelope, EnvelopeItemFrame } from '../envelope'
import type { EventItem } from '../items/event'
import type { Signal } from '../items/signal'
import type { Endpoint } from '../request'
import type { Segment, SegmentSpan } from '../trace/segment'

/** The origin of a row: the record and the item in it. `copy` is true for a second copy (Spotlight). */
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
  /** The time of receipt when the event names none. */
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
  /** The digest that Next shows to the user instead of a server error. */
  readonly digest: string | null
}

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
  /** True when only the header names the trace, and no item belongs to one. */
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
  /** Spans inside of a transaction, its own included; 0 for every other item. */
  readonly innerSpans: number
  readonly traceId: string | null
  readonly eventId: string | null
  readonly problem: string | null
}

/** A signal with the service that sent it; `null` when nothing in the envelope names it. */
export interface SignalWithService extends Signal {
  readonly service: string | null
}

/** Receives the rows of one record. The same traversal serves the digest, the verdict and reads of a record. */
export interface RowVisitor {
  readonly envelope: (row: EnvelopeRow, header: Envelope['header']) => void
  /** Called after the calls for the contents of the item. */
  readonly item: (row: ItemRow, frame: EnvelopeItemFrame, source: Pick<Source, 'copy'>) => void
  readonly segment: (segment: Segment, index: number, source: Source) => void
  readonly span: (span: SegmentSpan, index: number, source: Source) => void
  readonly event: (event: TraversedEvent, breadcrumbs: readonly BreadcrumbRow[], source: Source) => void
  readonly signal: (signal: SignalWithService, index: number, source: Source) => void
}
