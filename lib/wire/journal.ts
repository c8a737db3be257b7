import * as z from 'zod'
import { ENDPOINTS } from '../protocol/request'

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

/** One submission as the record has it: the bytes that came, and the facts beside them. */
const recordedSchema = z.object({
  seq: z.number(),
  /** Journal number of its `received` fact: the cursor. */
  journal: z.number(),
  receivedAt: z.number(),
  endpoint: z.enum(ENDPOINTS),
  project: z.string(),
  publicKey: z.string(),
  stamp: z.string().nullable(),
  /** Random per page load, as its tunnel names it. */
  page: z.string().nullable(),
  userAgent: z.string().nullable(),
  origin: z.string().nullable(),
  /** The body after its content encoding, in base64. */
  body: z.string(),
})
export type Recorded = z.infer<typeof recordedSchema>

/**
 * `GET /query/recorded?after=N&wait=25`: submissions that came later, oldest first, as soon as they are on disk. A page
 * ends early where their bodies are many bytes; with a `stamp` those of that stamp, with `unstamped` those of nobody's.
 */
export const recordedPageSchema = z.object({
  recorded: z.array(recordedSchema),
  /** Numbers of submissions of these whose bytes cannot be read any more: they are on record, and no evidence. */
  damaged: z.array(z.number()),
  /** What to ask `after` next; never skips a submission. */
  next: z.number(),
  /** The head when this was read: with `next` there, nothing more was recorded by then. */
  journal: z.number(),
  /** The oldest submission that is kept, by its journal number; 0 when none is. What came before it has made room. */
  oldest: z.number(),
})
export type RecordedPage = z.infer<typeof recordedPageSchema>

/** What is asked for. All is optional. */
export interface RecordedOptions {
  /** Only what came after this journal number. */
  readonly after?: number
  /** Seconds, 60 at most, to wait for something. */
  readonly wait?: number
  /** 0 to 1000; 200 when left out. 0 asks where the record ends, and reads no submission. */
  readonly limit?: number
  readonly stamp?: string
  /** What has no stamp: alone, or beside that of `stamp`. */
  readonly unstamped?: boolean
  readonly signal?: AbortSignal
}

/** The same as the query of an address, with its question mark. */
export function recordedQuery({ after, wait, limit, stamp, unstamped }: RecordedOptions = {}): string {
  const given = Object.entries({ after, wait, limit, stamp }).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)]],
  )
  const query = new URLSearchParams(unstamped === true ? [...given, ['unstamped', '']] : given)
  return query.size === 0 ? '' : `?${query}`
}
