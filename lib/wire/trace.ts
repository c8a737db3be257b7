import * as z from 'zod'
import { deliveryStatusSchema } from './delivery-status'
import { breadcrumbSchema, eventSummarySchema } from './event'
import { attributesSchema, resourceSchema, scopeSchema } from './open-telemetry'
import { pageSchema } from './page-schema'

const traceSummarySchema = z.object({
  traceId: z.string(),
  /** Journal number of the first submission of this trace; the list is ordered by it, newest first. */
  journal: z.number(),
  receivedAt: z.number(),
  /** Sequence number of the newest submission of this trace. */
  lastSeq: z.number(),
  startUs: z.number(),
  durationUs: z.number(),
  /** Of the page load or navigation, else of the root segment, else the earliest one, else an error's title. */
  name: z.string(),
  op: z.string().nullable(),
  /** `ok`, `error`, or `null` when all segments are without a status or `unset`. */
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

export const tracesPageSchema = pageSchema({ traces: z.array(traceSummarySchema) })
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
  lifecycle: z.enum(['static', 'stream', 'otlp']),
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

/** A segment in a list, with the journal number of its shown submission, by which the list is ordered. */
const listedSegmentSchema = segmentSchema.extend({ journal: z.number() })
export type ListedSegment = z.infer<typeof listedSegmentSchema>

export const segmentsPageSchema = pageSchema({ segments: z.array(listedSegmentSchema) })
export type SegmentsPage = z.infer<typeof segmentsPageSchema>

export const segmentDetailSchema = z.object({ segment: listedSegmentSchema, journal: z.number() })
export type SegmentDetail = z.infer<typeof segmentDetailSchema>

/** `GET /query/segments/{trace}/{segment}/usual`: the durations of the newest other segments like one, the newest first. */
export const usualDurationsSchema = z.object({
  /** At most 200. */
  durationsUs: z.array(z.number()),
  /** True when there are older ones. */
  isCut: z.boolean(),
})
export type UsualDurations = z.infer<typeof usualDurationsSchema>

/** Fields of an OpenTelemetry span that spans of Sentry do not have; see `OpenTelemetryDetails`. */
const openTelemetrySchema = z.object({
  kind: z.string(),
  flags: z.number(),
  traceState: z.string().nullable(),
  startNanos: z.string(),
  endNanos: z.string(),
  statusMessage: z.string().nullable(),
  events: z.array(
    z.object({ name: z.string(), timeNanos: z.string(), attributes: attributesSchema, droppedAttributes: z.number() }),
  ),
  dropped: z.object({ attributes: z.number(), events: z.number(), links: z.number() }),
  resource: resourceSchema,
  scope: scopeSchema,
})
export type SpanOtel = z.infer<typeof openTelemetrySchema>

const spanSchema = z.object({
  spanId: z.string(),
  parentSpanId: z.string().nullable(),
  /** `null` when the sender does not name the segment. */
  segmentId: z.string().nullable(),
  isSegment: z.boolean(),
  name: z.string(),
  op: z.string().nullable(),
  /** As sent: `ok`, `error`, or a status of the static lifecycle such as `deadline_exceeded`. */
  status: z.string().nullable(),
  origin: z.string().nullable(),
  service: z.string(),
  startUs: z.number(),
  endUs: z.number(),
  attributes: attributesSchema,
  links: z.array(
    z.object({
      traceId: z.string(),
      spanId: z.string(),
      type: z.string().nullable(),
      attributes: attributesSchema.optional(),
      otel: z
        .object({ flags: z.number(), traceState: z.string().nullable(), droppedAttributes: z.number() })
        .optional(),
    }),
  ),
  /** Present for a span of OpenTelemetry. */
  otel: openTelemetrySchema.optional(),
  seq: z.number(),
  item: z.number(),
})
export type Span = z.infer<typeof spanSchema>

export const traceDetailSchema = z.object({
  summary: traceSummarySchema,
  segments: z.array(segmentSchema),
  /** By start, including those of segments; above 20,000 spans or 32 MiB in the order of their records. */
  spans: z.array(spanSchema),
  /** True when the trace has more spans than requested, or more than 5000 segments. */
  truncated: z.boolean(),
  errors: z.array(eventSummarySchema),
  breadcrumbs: z.array(breadcrumbSchema),
  journal: z.number(),
})
export type TraceDetail = z.infer<typeof traceDetailSchema>

/** A span outside its trace, with the fields that its trace or segment would show. */
const spanRowSchema = spanSchema.extend({
  traceId: z.string(),
  environment: z.string().nullable(),
  release: z.string().nullable(),
  /** Journal number and time of its submission; the list is ordered by it, newest first. */
  journal: z.number(),
  receivedAt: z.number(),
  deliveryStatus: deliveryStatusSchema,
})
export type SpanRow = z.infer<typeof spanRowSchema>

export const spansPageSchema = pageSchema({ spans: z.array(spanRowSchema) })
export type SpansPage = z.infer<typeof spansPageSchema>

export const spanDetailSchema = z.object({
  span: spanRowSchema,
  /** Attributes of the span whose names OpenTelemetry replaced, with the present name; `null` without one. */
  deprecated: z.record(z.string(), z.string().nullable()),
  journal: z.number(),
})
export type SpanDetail = z.infer<typeof spanDetailSchema>
