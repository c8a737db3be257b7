import * as z from 'zod'

/** So many places are told of what was removed from a record: more may have been. */
export const MOST_REMOVED_TOLD = 200

/**
 * How the posted bytes differ from the record: `cut` whole items left out, `scrubbed` edited by rules, `late` with
 * `sent_at` moved forward by its wait. `received` alone: exactly the record's bytes.
 */
const FORMS = ['received', 'cut', 'scrubbed', 'late'] as const

/** An item that was cut whole. */
const leftOutSchema = z.object({
  item: z.number(),
  type: z.string(),
  category: z.string(),
  quantity: z.number(),
  /** `limited`, or `depends_on_limited`: what it belongs to was cut. */
  reason: z.string(),
})
export type LeftOut = z.infer<typeof leftOutSchema>

/** What scrubbing found, never the value. */
export const removedSchema = z.object({
  /** Name of the rule. */
  rule: z.string(),
  /**
   * Where: item number, then the way through its payload, e.g. `0.request.headers.Authorization`; `1.header.filename` in an
   * item's header line, `header.trace.transaction` in that of the envelope.
   */
  path: z.string(),
})
export type Removed = z.infer<typeof removedSchema>

/** One attempt to deliver an envelope upstream, and the answer. */
export const deliverySchema = z.object({
  id: z.number(),
  journal: z.number(),
  seq: z.number(),
  /** 1 for the first. */
  attempt: z.number(),
  /** Host and project of the upstream, never its key. */
  upstream: z.string(),
  startedAt: z.number(),
  endedAt: z.number(),
  /** `null` when no answer came: see `error`. */
  status: z.number().nullable(),
  error: z.string().nullable(),
  rateLimits: z.string().nullable(),
  retryAfter: z.string().nullable(),
  /** Upstream's words, cut at 4 KiB. */
  answer: z.string().nullable(),
  form: z.array(z.enum(FORMS)),
  /** Of the bytes that were posted; empty where none were: the record is damaged. */
  sha256: z.string(),
  bytes: z.number(),
  /** The post may have arrived although no answer came. */
  maybeDelivered: z.boolean(),
  leftOut: z.array(leftOutSchema),
  /** Also filled where scrubbing only reports: `form` says whether it was removed. The first 200 places. */
  removed: z.array(removedSchema),
})
export type Delivery = z.infer<typeof deliverySchema>

/** Did bytes go out? Of a record that cannot be read none do. */
export const wasPosted = ({ sha256 }: Pick<Delivery, 'sha256'>): boolean => sha256 !== ''

export const deliveriesPageSchema = z.object({
  deliveries: z.array(deliverySchema),
  next: z.string().nullable(),
  journal: z.number(),
})
export type DeliveriesPage = z.infer<typeof deliveriesPageSchema>

/** An envelope that upstream refused for what it is: it stays pending until a person sends it again or drops it. */
const deadLetterSchema = z.object({
  seq: z.number(),
  journal: z.number(),
  receivedAt: z.number(),
  /** When it was refused. */
  at: z.number(),
  /** Host and project of the upstream that refused it. */
  upstream: z.string(),
  status: z.number(),
  /** Upstream's words. */
  answer: z.string().nullable(),
  attempts: z.number(),
  bytes: z.number(),
  items: z.array(z.object({ category: z.string(), quantity: z.number() })),
})
export type DeadLetter = z.infer<typeof deadLetterSchema>

/** `GET /query/dead-letters`: the newest envelope first. */
export const deadLettersPageSchema = z.object({
  deadLetters: z.array(deadLetterSchema),
  next: z.string().nullable(),
  journal: z.number(),
})
export type DeadLettersPage = z.infer<typeof deadLettersPageSchema>

/** `POST /control/dead-letters`: these, or `all`. Who is no dead letter any more is passed over. */
export const deadLetterOrderSchema = z.object({
  do: z.enum(['send', 'drop']),
  which: z.union([z.literal('all'), z.array(z.number().int().positive()).min(1).max(1000)]),
})
export type DeadLetterOrder = z.infer<typeof deadLetterOrderSchema>

/** What came of an order. */
export const deadLettersDoneSchema = z.object({
  done: z.number(),
  /**
   * Not sent, and dead letters still: upstream limits a category of theirs for so many seconds more, and they would be
   * cut. An envelope counts once, under the category that is limited longest; what is limited longest comes first.
   */
  limited: z.array(z.object({ category: z.string(), seconds: z.number(), many: z.number() })),
})
export type DeadLettersDone = z.infer<typeof deadLettersDoneSchema>
