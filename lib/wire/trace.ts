import * as z from 'zod'
import { deliveryStatusSchema } from './delivery-status'
import { breadcrumbSchema, eventSummarySchema } from './event'

const traceSummarySchema = z.object({
  traceId: z.string(),
  /** Journal number of the first submission that named this trace: the list is ordered by it, newest first. */
  journal: z.number(),
  receivedAt: z.number(),
  /** Sequence number of the newest submission that added to it; grows as the trace grows. */
  lastSeq: z.number(),
  startUs: z.number(),
  durationUs: z.number(),
  /** Of the page load or navigation, else of the root segment, else of the earliest; errors alone take the error's title. */
  name: z.string(),
  op: z.string().nullable(),
  /** `ok`, `error`, or `null` when no segment says, or none says anything but `unset`. */
  status: z.enum(['ok', 'error']).nullable(),
  segmentCount: z.number(),
  spanCount: z.number(),
  errorCount: z.number(),
  services: z.array(z.string()),
  environment: z.string().nullable(),
  release: z.string().nullable(),
  deliveryStatus: deliveryStatusSchema,
  copy: z.enum(['no', 'also', 'only']),
})
export type TraceSummary = z.infer<typeof traceSummarySchema>

/** Newest first. Also a page with fewer traces than were asked for may have a `next`: then there was much to look through. */
export const tracesPageSchema = z.object({
  traces: z.array(traceSummarySchema),
  next: z.string().nullable(),
  journal: z.number(),
})
export type TracesPage = z.infer<typeof tracesPageSchema>

const segmentSchema = z.object({
  traceId: z.string(),
  /** The span id of the segment's own span. */
  segmentId: z.string(),
  parentSpanId: z.string().nullable(),
  name: z.string(),
  op: z.string().nullable(),
  status: z.string().nullable(),
  startUs: z.number(),
  endUs: z.number(),
  lifecycle: z.enum(['static', 'stream']),
  /** `browser`, `server`, or the SDK's platform. */
  service: z.string(),
  environment: z.string().nullable(),
  release: z.string().nullable(),
  sdk: z.string().nullable(),
  spanCount: z.number(),
  seq: z.number(),
  item: z.number(),
  receivedAt: z.number(),
  digestedAt: z.number(),
  relayedAt: z.number().nullable(),
  deliveryStatus: deliveryStatusSchema,
  copy: z.enum(['no', 'also', 'only']),
})
export type Segment = z.infer<typeof segmentSchema>

/** A segment beside others, with the journal number of the submission that is shown of it: the list is ordered by it. */
const listedSegmentSchema = segmentSchema.extend({ journal: z.number() })
export type ListedSegment = z.infer<typeof listedSegmentSchema>

/** Newest first. Also a page with fewer segments than were asked for may have a `next`: then there was much to look through. */
export const segmentsPageSchema = z.object({
  segments: z.array(listedSegmentSchema),
  next: z.string().nullable(),
  journal: z.number(),
})
export type SegmentsPage = z.infer<typeof segmentsPageSchema>

export const segmentDetailSchema = z.object({ segment: listedSegmentSchema, journal: z.number() })
export type SegmentDetail = z.infer<typeof segmentDetailSchema>

const spanSchema = z.object({
  spanId: z.string(),
  parentSpanId: z.string().nullable(),
  /** `null` where the sender does not say which segment it belongs to. */
  segmentId: z.string().nullable(),
  isSegment: z.boolean(),
  name: z.string(),
  op: z.string().nullable(),
  /** As sent: `ok`, `error`, or one of the static lifecycle's words such as `deadline_exceeded`. */
  status: z.string().nullable(),
  origin: z.string().nullable(),
  service: z.string(),
  startUs: z.number(),
  endUs: z.number(),
  attributes: z.record(z.string(), z.unknown()),
  links: z.array(z.object({ traceId: z.string(), spanId: z.string(), type: z.string().nullable() })),
  seq: z.number(),
  item: z.number(),
})
export type Span = z.infer<typeof spanSchema>

/** Spans that a board asks for, and the first of them by start. */
export const SHOWN_SPANS = 20_000

export const traceDetailSchema = z.object({
  summary: traceSummarySchema,
  segments: z.array(segmentSchema),
  /** Spans of the trace, segments' own included: by start; of more than 20,000 record by record, of more than 32 MiB so much at a time. */
  spans: z.array(spanSchema),
  /** True when the trace holds more spans than were asked for, or more segments than 5000. */
  truncated: z.boolean(),
  errors: z.array(eventSummarySchema),
  breadcrumbs: z.array(breadcrumbSchema),
  journal: z.number(),
})
export type TraceDetail = z.infer<typeof traceDetailSchema>

/** A span on its own, with what its trace or its segment says of it elsewhere. */
const spanRowSchema = spanSchema.extend({
  traceId: z.string(),
  environment: z.string().nullable(),
  release: z.string().nullable(),
  /** Journal number and time of the submission that is read: the list is ordered by it, newest first. */
  journal: z.number(),
  receivedAt: z.number(),
  /** Of the item that told of it. */
  deliveryStatus: deliveryStatusSchema,
})
export type SpanRow = z.infer<typeof spanRowSchema>

export const spansPageSchema = z.object({
  spans: z.array(spanRowSchema),
  /** Also where a page has fewer spans than were asked for: then there was much to look through, and this goes on. */
  next: z.string().nullable(),
  journal: z.number(),
})
export type SpansPage = z.infer<typeof spansPageSchema>

export const spanDetailSchema = z.object({ span: spanRowSchema, journal: z.number() })
export type SpanDetail = z.infer<typeof spanDetailSchema>
