import * as z from 'zod'

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
