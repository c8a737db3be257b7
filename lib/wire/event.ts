import * as z from 'zod'
import { deliveryStatusSchema } from './delivery-status'
import { eventGroupSchema } from './error-groups'
import { pageSchema } from './page-schema'

export const breadcrumbSchema = z.object({
  eventId: z.string(),
  /** Index in the event's list, oldest first. */
  index: z.number(),
  timestampUs: z.number().nullable(),
  category: z.string().nullable(),
  type: z.string().nullable(),
  level: z.string().nullable(),
  message: z.string().nullable(),
  data: z.record(z.string(), z.unknown()).nullable(),
})
export type Breadcrumb = z.infer<typeof breadcrumbSchema>

export const breadcrumbsPageSchema = pageSchema({ breadcrumbs: z.array(breadcrumbSchema) })
export type BreadcrumbsPage = z.infer<typeof breadcrumbsPageSchema>

export const eventSummarySchema = z.object({
  eventId: z.string(),
  seq: z.number(),
  item: z.number(),
  journal: z.number(),
  traceId: z.string().nullable(),
  /** May match no span: an error outside an active span has a random id. */
  spanId: z.string().nullable(),
  timestampUs: z.number(),
  receivedAt: z.number(),
  level: z.string(),
  platform: z.string().nullable(),
  /** `browser`, `server`, or the SDK's platform. */
  service: z.string(),
  /** `TypeError: x is not a function`, or the message. */
  title: z.string(),
  handled: z.boolean().nullable(),
  mechanism: z.string().nullable(),
  transaction: z.string().nullable(),
  environment: z.string().nullable(),
  release: z.string().nullable(),
  /** The digest that Next shows to the user instead of a server error. */
  digest: z.string().nullable(),
  deliveryStatus: deliveryStatusSchema,
  /** Whether it also, or only, arrived as a second copy (Spotlight). */
  copy: z.enum(['no', 'also', 'only']),
})
export type EventSummary = z.infer<typeof eventSummarySchema>

export const eventsPageSchema = pageSchema({ events: z.array(eventSummarySchema) })
export type EventsPage = z.infer<typeof eventsPageSchema>

const stackFrameSchema = z.object({
  filename: z.string().nullable(),
  function: z.string().nullable(),
  line: z.number().nullable(),
  column: z.number().nullable(),
  inApp: z.boolean(),
  /** The executed line with at most ten lines on each side; empty when the SDK sends no source. */
  source: z.array(z.object({ line: z.number().nullable(), text: z.string(), ran: z.boolean() })),
  vars: z.record(z.string(), z.unknown()).nullable(),
})
export type StackFrame = z.infer<typeof stackFrameSchema>

export const eventDetailSchema = eventSummarySchema.extend({
  /** Outermost first; frames newest call first. */
  exceptions: z.array(
    z.object({ type: z.string().nullable(), value: z.string().nullable(), frames: z.array(stackFrameSchema) }),
  ),
  breadcrumbs: z.array(breadcrumbSchema),
  group: eventGroupSchema,
  tags: z.record(z.string(), z.string()),
  contexts: z.record(z.string(), z.unknown()),
  request: z.record(z.string(), z.unknown()).nullable(),
  payload: z.record(z.string(), z.unknown()),
})
export type EventDetail = z.infer<typeof eventDetailSchema>
