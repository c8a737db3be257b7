import * as z from 'zod'

/**
 * One number orders everything. `received`, `delivered` and `decided` name a submission; `digested` names the last one
 * of the batch it covers, `evicted` the last one that went to make room; `pending` names one that is pending again; `refused`,
 * `cleared` and `changed` (a script, a setting or a page that was told a limit) name none.
 */
export const journalFactSchema = z.object({
  n: z.number(),
  at: z.number(),
  kind: z.enum(['received', 'digested', 'delivered', 'decided', 'refused', 'evicted', 'cleared', 'pending', 'changed']),
  seq: z.number().nullable(),
})
export type JournalFact = z.infer<typeof journalFactSchema>

/** `GET /query/journal?after=N&wait=25`: the facts after N, as soon as there is one. */
export const journalPageSchema = z.object({
  facts: z.array(journalFactSchema),
  /** What to ask `after` next; never skips a fact. */
  next: z.number(),
  /** The oldest fact that is kept; 0 when none is. Who asks after less than its predecessor misses what was trimmed. */
  oldest: z.number(),
})
export type JournalPage = z.infer<typeof journalPageSchema>

const itemSchema = z.object({
  /** Journal number of the submission's `received` fact: the cursor. */
  journal: z.number(),
  seq: z.number(),
  index: z.number(),
  type: z.string(),
  traceId: z.string().nullable(),
  eventId: z.string().nullable(),
  stamp: z.string().nullable(),
  /** Why it could not be read; it is kept and relayed all the same. */
  problem: z.string().nullable(),
})
export type Item = z.infer<typeof itemSchema>

/** `GET /query/items?after=N&wait=25&type=event`: digested items of later submissions, oldest first. */
export const itemsPageSchema = z.object({
  items: z.array(itemSchema),
  /** What to ask `after` next; never skips an item, and never cuts a submission in two. */
  next: z.number(),
})
export type ItemsPage = z.infer<typeof itemsPageSchema>
