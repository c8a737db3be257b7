import * as z from 'zod'
import { ENDPOINTS } from '../protocol/request'

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
