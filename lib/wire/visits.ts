import * as z from 'zod'
import { deliveryStatusSchema } from './delivery-status'

/** Visits are of this time. */
export const VISITS_MINUTES = 60
/** Visits in one answer. */
export const MOST_VISITS = 1000

/** Of the key of a visit: the page header, `session.id`, the replay, links between traces, or a trace alone. */
const VISIT_KEYS = ['page', 'session', 'replay', 'trace'] as const

/** Items that an SDK counted as discarded, in client reports of the page. */
const reportedSchema = z.object({ category: z.string(), reason: z.string(), quantity: z.number() })

/** A page load or navigation; in the traces apart from visits, a root segment. */
const visitPageSchema = z.object({
  traceId: z.string(),
  segmentId: z.string(),
  name: z.string(),
  op: z.string().nullable(),
  service: z.string(),
  startUs: z.number(),
  endUs: z.number(),
  /** True when its status is an error. */
  failed: z.boolean(),
  /** In the list, of its trace; in a detail, of the page. */
  errorCount: z.number(),
})
export type VisitPage = z.infer<typeof visitPageSchema>

export const visitSchema = z.object({
  /** Kind and key, as `page:3f…`; `trace:` is the first trace of linked ones. */
  id: z.string(),
  by: z.enum(VISIT_KEYS),
  startUs: z.number(),
  endUs: z.number(),
  /** Journal number of its newest submission; visits are ordered by it. */
  journal: z.number(),
  /** Receipt of its newest submission, ms since the epoch. */
  receivedAt: z.number(),
  /** Name and main version of the browser, as `Chrome 142`. */
  browser: z.string().nullable(),
  sdk: z.string().nullable(),
  release: z.string().nullable(),
  /** By start; the newest 20. */
  pages: z.array(visitPageSchema),
  pageCount: z.number(),
  traceCount: z.number(),
  errorCount: z.number(),
  /** The worst of its submissions. */
  deliveryStatus: deliveryStatusSchema,
  /** The client reports of its page; only with the page header. */
  reported: z.array(reportedSchema),
})
export type Visit = z.infer<typeof visitSchema>

/** `GET /query/visits?limit=N`: the visits of the last hour, the newest activity first. */
export const visitsSchema = z.object({
  now: z.number(),
  journal: z.number(),
  visits: z.array(visitSchema),
  /** All visits of the time, with those beyond the limit. */
  visitCount: z.number(),
  /** Traces without a browser. */
  apart: z.object({ traceCount: z.number(), errorCount: z.number(), newest: z.number().nullable() }),
  /** True when only the newest segments of the time were read. */
  isPart: z.boolean(),
})
export type Visits = z.infer<typeof visitsSchema>

const visitRowSchema = z.object({
  /** `server`: a segment of another service; `lost`: what a client report of the page counted. */
  kind: z.enum(['request', 'server', 'log', 'error', 'lost']),
  /** 1 below the page, 2 below a request. */
  depth: z.number(),
  /** Unique within the page. */
  key: z.string(),
  traceId: z.string().nullable(),
  /** Of a request or segment. */
  spanId: z.string().nullable(),
  /** Of an error. */
  eventId: z.string().nullable(),
  name: z.string(),
  op: z.string().nullable(),
  service: z.string().nullable(),
  /** `null` for what has no time. */
  startUs: z.number().nullable(),
  /** Equal to the start for a moment. */
  endUs: z.number().nullable(),
  failed: z.boolean(),
  /** Level of a log or an error. */
  level: z.string().nullable(),
  /** Requests, segments or lost items that the row stands for. */
  count: z.number(),
  /** Of several, the longest duration. */
  slowestUs: z.number(),
  /** Spans below a segment of a server. */
  spanCount: z.number(),
  /** HTTP status of a request, when it is known. */
  httpStatus: z.number().nullable(),
  /** Of an error: first seen in the last hour. */
  isNew: z.boolean(),
  handled: z.boolean().nullable(),
  deliveryStatus: deliveryStatusSchema.nullable(),
})
export type VisitRow = z.infer<typeof visitRowSchema>

/** `GET /query/visits/ID`: the pages of one visit with what happened in each; the id `apart` has the traces without a browser. */
export const visitDetailSchema = z.object({
  journal: z.number(),
  /** The newest 20 by start; the rows of a page by time, at most 50. */
  pages: z.array(
    visitPageSchema.extend({
      deliveryStatus: deliveryStatusSchema,
      /** Traces without a browser whose first segments are alike, of which the page is the newest that failed, else the newest. */
      count: z.number(),
      /** Of several, the longest duration. */
      slowestUs: z.number(),
      rows: z.array(visitRowSchema),
      /** Rows beyond the limit. */
      hiddenRows: z.number(),
      /** True when more spans arrived than are read for one page: requests may be missing. */
      isPart: z.boolean(),
    }),
  ),
  /** With those that a page stands for. */
  pageCount: z.number(),
  /** Rows that belong to no page: errors without a trace, counts of client reports. */
  rest: z.array(visitRowSchema),
})
export type VisitDetail = z.infer<typeof visitDetailSchema>
