/** The one noun: whatever lifecycle spoke, a trace is made of segments, and a segment of spans. Times in µs. */
export interface Segment {
  readonly traceId: string
  /** The id of the segment's own span. */
  readonly segmentId: string
  readonly parentSpanId: string | null
  readonly name: string
  readonly op: string | null
  readonly status: string | null
  readonly startUs: number
  readonly endUs: number
  readonly lifecycle: 'static' | 'stream'
  readonly service: string
  readonly environment: string | null
  readonly release: string | null
  readonly sdk: string | null
}

export interface SegmentSpan {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId: string | null
  /** `null` where the sender does not say. */
  readonly segmentId: string | null
  readonly isSegment: boolean
  readonly name: string
  readonly op: string | null
  readonly status: string | null
  readonly origin: string | null
  readonly service: string
  readonly startUs: number
  readonly endUs: number
  readonly attributes: Readonly<Record<string, unknown>>
  readonly links: readonly SpanLink[]
}

export interface SpanLink {
  readonly traceId: string
  readonly spanId: string
  /** `previous_trace`, where the SDK says so. */
  readonly type: string | null
}

/** Statuses that are no errors; everything else of the static lifecycle's words is. */
export const NO_ERRORS = ['ok', 'cancelled', 'unset'] as const
