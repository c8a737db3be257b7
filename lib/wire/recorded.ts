import { z } from 'zod'
import { DOORS } from '../protocol/door'

/** One submission as the record has it: the bytes that came, and the facts beside them. */
export const recordedSchema = z.object({
  seq: z.number(),
  /** Journal number of its `received` fact: the cursor. */
  journal: z.number(),
  receivedAt: z.number(),
  door: z.enum(DOORS),
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

/** `GET /query/recorded?after=N&wait=25`: submissions that came later, oldest first, as soon as they are on disk. */
export const recordedPageSchema = z.object({
  recorded: z.array(recordedSchema),
  /** What to ask `after` next; never skips a submission. */
  next: z.number(),
  /** The head when this was read: with `next` there, nothing more was recorded by then. */
  journal: z.number(),
  /** The oldest submission that is kept, by its journal number; 0 when none is. What came before it has made room. */
  oldest: z.number(),
})
export type RecordedPage = z.infer<typeof recordedPageSchema>
