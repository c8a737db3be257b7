import * as z from 'zod'
import { reachSchema } from './reach'
import { storeSchema } from './store'

const fileUseSchema = z.object({
  /** Bytes of pages in use, which count towards the cap. A file keeps its size when pages become free. */
  used: z.number(),
  file: z.number(),
  wal: z.number(),
})
export type FileUse = z.infer<typeof fileUseSchema>

/** A running rebuild of all rows from the record. Until it ends, the old rows are served. */
const rebuildSchema = z.object({
  /** Submissions done, and in total; `of` grows with arriving submissions. */
  done: z.number(),
  of: z.number(),
  startedAt: z.number(),
})
export type Rebuild = z.infer<typeof rebuildSchema>

/** `GET` and `POST /control/redigest`. */
export const redigestSchema = z.object({
  rebuild: rebuildSchema.nullable(),
  /** The last rebuild that finished since the collector started. */
  last: z.object({ done: z.number(), startedAt: z.number(), endedAt: z.number() }).nullable(),
})
export type Redigest = z.infer<typeof redigestSchema>

/** `GET /query/storage`: disk use, disk budget and evictions. Sizes are bytes, times ms since the epoch. */
export const storageSchema = z.object({
  now: z.number(),
  cap: z.number(),
  /** Ms after which records without pending deliveries are deleted; `null` for never. */
  maxAgeMs: z.number().nullable(),
  /** Bytes of pages in use in both databases. */
  used: z.number(),
  spool: fileUseSchema,
  /** The rows digested from the record. */
  rows: fileUseSchema,
  records: z.number(),
  /** When the oldest stored record was received; `null` when there is none. */
  oldest: z.number().nullable(),
  pending: z.object({
    records: z.number(),
    bytes: z.number(),
    /** Three quarters of the cap: beyond it what would be pending is refused. */
    cap: z.number(),
    oldest: z.number().nullable(),
  }),
  /** Refused by upstream; `pending` excludes them. */
  deadLetters: z.object({ records: z.number(), /** Bytes as stored. */ bytes: z.number() }),
  /** Totals over all runs of this folder. */
  evicted: z.object({
    /** Records without pending deliveries, with their rows. */
    records: z.number(),
    bytes: z.number(),
    /** Records without pending deliveries that exceeded the maximum age. */
    byAge: z.number(),
    /** Pending records whose rows were evicted; they are still relayed. */
    rowsOnly: z.number(),
    /** Pending records older than 24 h of running time, or than the maximum age if that is longer. */
    expired: z.number(),
    /** Dead letters that were evicted; their outcome is `invalid`. */
    deadLetters: z.number(),
  }),
  /** Bytes in use at which eviction starts. */
  evictsAt: z.number(),
  /** The record that eviction takes first when it runs; `null` when nothing may be evicted. */
  next: z
    .object({
      /** `rows`: of a pending record or a dead letter, whose record stays. */
      what: z.enum(['settled', 'rows', 'dead_letter', 'expired']),
      seq: z.number(),
      receivedAt: z.number(),
    })
    .nullable(),
  /** Submissions that were refused with 503, because too much was pending or nothing could be evicted. */
  refused: z.number(),
  state: z.enum(['ok', 'evicting', 'backlog_full', 'full']),
  /** The current problem as text; `null` when there is none. */
  trouble: z.string().nullable(),
  ballast: z.object({ bytes: z.number(), released: z.boolean() }),
  rebuild: rebuildSchema.nullable(),
  /** The record that collectors share; all other sizes are then those of this collector's copy. Absent without one. */
  store: storeSchema.optional(),
  /** How far back this collector reaches, if it does not have all of a shared record; absent otherwise. */
  reach: reachSchema.optional(),
})
export type Storage = z.infer<typeof storageSchema>
