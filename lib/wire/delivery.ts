import * as z from 'zod'
import { pageSchema } from './page-schema'

/**
 * How the posted bytes differ from the record. `cut`: without some items. `late`: with `sent_at` moved forward by its
 * wait. Only `received`: exactly the bytes of the record.
 */
const FORMS = ['received', 'cut', 'scrubbed', 'late'] as const

const leftOutSchema = z.object({
  item: z.number(),
  type: z.string(),
  category: z.string(),
  quantity: z.number(),
  /** `limited`, or `depends_on_limited`: it depends on an item that was not posted. */
  reason: z.string(),
})
export type LeftOut = z.infer<typeof leftOutSchema>

/** A match of scrubbing, without the value. */
export const removedSchema = z.object({
  rule: z.string(),
  /**
   * `0.request.headers.Authorization`; `1.header.filename` of an item's header, `header.trace.transaction` of the
   * envelope's.
   */
  path: z.string(),
})
export type Removed = z.infer<typeof removedSchema>

/** An attempt to deliver an envelope upstream, with its answer. */
export const deliverySchema = z.object({
  id: z.number(),
  journal: z.number(),
  seq: z.number(),
  attempt: z.number(),
  /** Host and project of the upstream, without its key. */
  upstream: z.string(),
  startedAt: z.number(),
  endedAt: z.number(),
  /** `null` without an answer: see `error`. */
  status: z.number().nullable(),
  error: z.string().nullable(),
  rateLimits: z.string().nullable(),
  retryAfter: z.string().nullable(),
  /** The body of upstream's answer, cut at 4 KiB. */
  answer: z.string().nullable(),
  form: z.array(z.enum(FORMS)),
  /** Hash of the posted bytes; empty when nothing was posted because the record is damaged. */
  sha256: z.string(),
  bytes: z.number(),
  /** True when the post may have arrived without an answer. */
  maybeDelivered: z.boolean(),
  leftOut: z.array(leftOutSchema),
  /** The first 200 matches of scrubbing, also when it only reports: `form` tells whether they were removed. */
  removed: z.array(removedSchema),
})
export type Delivery = z.infer<typeof deliverySchema>

export const deliveriesPageSchema = pageSchema({ deliveries: z.array(deliverySchema) })
export type DeliveriesPage = z.infer<typeof deliveriesPageSchema>

/** An envelope that upstream refused. It stays pending until a person sends it again or drops it. */
const deadLetterSchema = z.object({
  seq: z.number(),
  journal: z.number(),
  receivedAt: z.number(),
  at: z.number(),
  /** Host and project of the upstream that refused it. */
  upstream: z.string(),
  status: z.number(),
  answer: z.string().nullable(),
  attempts: z.number(),
  bytes: z.number(),
  items: z.array(z.object({ category: z.string(), quantity: z.number() })),
})
export type DeadLetter = z.infer<typeof deadLetterSchema>

/** `GET /query/dead-letters`: newest envelope first. */
export const deadLettersPageSchema = pageSchema({ deadLetters: z.array(deadLetterSchema) })
export type DeadLettersPage = z.infer<typeof deadLettersPageSchema>

/** `POST /control/dead-letters`: sequence numbers, or `all`. Skips envelopes that are no longer dead letters. */
export const deadLetterOrderSchema = z.object({
  do: z.enum(['send', 'drop']),
  which: z.union([z.literal('all'), z.array(z.number().int().positive()).min(1).max(1000)]),
})
export type DeadLetterOrder = z.infer<typeof deadLetterOrderSchema>

export const deadLettersDoneSchema = z.object({
  done: z.number(),
  /** Refused because they would lose items: by the category with the longest limit, in seconds, the longest first. */
  limited: z.array(z.object({ category: z.string(), seconds: z.number(), many: z.number() })),
})
export type DeadLettersDone = z.infer<typeof deadLettersDoneSchema>
