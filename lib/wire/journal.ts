import * as z from 'zod'
import { ENDPOINTS } from '../protocol/request'

/** Traces that one `digested` fact names. */
export const MAX_NAMED_TRACES = 200

/**
 * One number orders all facts. In a record that collectors share, a fact of one of them alone (`digested`, `evicted`)
 * repeats the newest number, and only the live stream carries it. `received`, `delivered`, `decided` and `pending` name a
 * submission; `digested` names the last one of its batch, `evicted` the last evicted one; the others name none.
 */
export const journalFactSchema = z.object({
  n: z.number(),
  at: z.number(),
  kind: z.enum(['received', 'digested', 'delivered', 'decided', 'refused', 'evicted', 'cleared', 'pending', 'changed']),
  seq: z.number().nullable(),
  /**
   * Of a `digested` fact on the live stream: the traces to which its batch added something, or `null` when they are more
   * than `MAX_NAMED_TRACES`. The stored journal does not keep them, so a fact without the field may concern any trace.
   */
  traces: z.array(z.string()).readonly().nullish(),
})
export type JournalFact = z.infer<typeof journalFactSchema>

/** `GET /query/journal?after=N&wait=25`: the facts after N; waits up to 25 s for the first. */
export const journalPageSchema = z.object({
  facts: z.array(journalFactSchema),
  /** The next value of `after`; never skips a fact. */
  next: z.number(),
  /** The oldest stored fact; 0 when there is none. A lower `after` misses facts that were trimmed. */
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
  /** Why it could not be parsed; it is stored and relayed nevertheless. */
  problem: z.string().nullable(),
})
export type Item = z.infer<typeof itemSchema>

/** `GET /query/items?after=N&wait=25&type=event`: digested items of submissions after N, oldest first. */
export const itemsPageSchema = z.object({
  items: z.array(itemSchema),
  /** The next value of `after`; never skips an item, and never splits a submission. */
  next: z.number(),
})
export type ItemsPage = z.infer<typeof itemsPageSchema>

const recordedSchema = z.object({
  seq: z.number(),
  /** Journal number of its `received` fact: the cursor. */
  journal: z.number(),
  receivedAt: z.number(),
  endpoint: z.enum(ENDPOINTS),
  project: z.string(),
  publicKey: z.string(),
  stamp: z.string().nullable(),
  /** The random id of the page load (`x-waystation-page`). */
  page: z.string().nullable(),
  userAgent: z.string().nullable(),
  origin: z.string().nullable(),
  /** Content-Type of the request. */
  contentType: z.string().nullish(),
  /** Ms in the lifeboat of the tunnel; absent if it was passed on at once. */
  keptMs: z.number().optional(),
  /** Of a check-in that is no envelope: the address that names its monitor. */
  target: z.string().nullish(),
  /** The body after content decoding, in base64. */
  body: z.string(),
})
export type Recorded = z.infer<typeof recordedSchema>

/**
 * `GET /query/recorded?after=N&wait=25`: submissions after N, oldest first, as soon as they are on disk. A page with
 * many bytes ends early. `stamp` selects those with that stamp, `unstamped` those without any.
 */
export const recordedPageSchema = z.object({
  recorded: z.array(recordedSchema),
  /** Sequence numbers of submissions in this range whose bytes are damaged and cannot be read. */
  damaged: z.array(z.number()),
  /** The next value of `after`; never skips a submission. */
  next: z.number(),
  /** The head of the journal at the time of reading: when `next` equals it, there was nothing more. */
  journal: z.number(),
  /** The journal number of the oldest stored submission; 0 when there is none. Older ones were evicted. */
  oldest: z.number(),
})
export type RecordedPage = z.infer<typeof recordedPageSchema>

export interface RecordedOptions {
  readonly after?: number
  /** Seconds to wait for a submission, at most 60. */
  readonly wait?: number
  /** 0 to 1000, by default 200. With 0 the answer only says where the record ends. */
  readonly limit?: number
  readonly stamp?: string
  /** Submissions without a stamp: alone, or in addition to those with `stamp`. */
  readonly unstamped?: boolean
  readonly signal?: AbortSignal
}
