import * as z from 'zod'

const fileUseSchema = z.object({
  /** Pages in use, in bytes: what counts towards the cap. A file keeps its size when pages become free. */
  used: z.number(),
  /** The file itself. */
  file: z.number(),
  /** Its log. */
  wal: z.number(),
})
export type FileUse = z.infer<typeof fileUseSchema>

/** A digest of the whole record into new rows, under way. The old rows are served meanwhile. */
const rebuildSchema = z.object({
  /** Submissions done and in all; `of` grows with what arrives meanwhile. */
  done: z.number(),
  of: z.number(),
  startedAt: z.number(),
})
export type Rebuild = z.infer<typeof rebuildSchema>

/** `GET` and `POST /control/redigest`. */
export const redigestSchema = z.object({
  rebuild: rebuildSchema.nullable(),
  /** The last one that was finished since the collector started. */
  last: z.object({ done: z.number(), startedAt: z.number(), endedAt: z.number() }).nullable(),
})
export type Redigest = z.infer<typeof redigestSchema>

/** `GET /query/storage`: how much is kept, how much may be, and what had to go. Bytes, and ms since the epoch. */
export const storageSchema = z.object({
  now: z.number(),
  /** `WAYSTATION_MAX_DISK`. */
  cap: z.number(),
  /** Of the cap: pages in use of both databases. */
  used: z.number(),
  /** The record. */
  spool: fileUseSchema,
  /** What is digested from it. */
  rows: fileUseSchema,
  /** Submissions whose record is kept. */
  records: z.number(),
  /** When the oldest record that is kept was received; `null` when there is none. */
  oldest: z.number().nullable(),
  pending: z.object({
    records: z.number(),
    /** As stored. */
    bytes: z.number(),
    /** Three quarters of the cap: beyond it what arrives is stored but not pending (`overflow`). */
    cap: z.number(),
    oldest: z.number().nullable(),
  }),
  /** Refused by upstream for what they are: they are not in the share of what is pending. */
  deadLetters: z.object({ records: z.number(), /** As stored. */ bytes: z.number() }),
  /** Ever, in all runs of this folder. */
  evicted: z.object({
    /** Records that pending nothing, with their rows. */
    records: z.number(),
    bytes: z.number(),
    /** Pending records that lost their rows and are still relayed. */
    rowsOnly: z.number(),
    /** Pending records older than 24 h of running time. */
    expired: z.number(),
    /** Dead letters that ended as `invalid` to make room. */
    deadLetters: z.number(),
  }),
  /** Submissions that were stored and not pending because the backlog had its share. */
  overflow: z.number(),
  /** Submissions that were refused with 429 because nothing could be evicted. */
  refused: z.number(),
  state: z.enum(['room', 'evicting', 'overflow', 'full']),
  /** In words what is not as it should be; `null` when all is well. */
  trouble: z.string().nullable(),
  ballast: z.object({ bytes: z.number(), released: z.boolean() }),
  rebuild: rebuildSchema.nullable(),
})
export type Storage = z.infer<typeof storageSchema>
