import * as z from 'zod'

/** A lane of an upstream: one collector at a time delivers it. */
const laneSchema = z.object({
  /** The first characters of the public key. */
  key: z.string(),
  project: z.string(),
  lane: z.number(),
  /** Host and process of the collector that owns it; `null` while none does. */
  owner: z.string().nullable(),
  /** True when that is the collector that answers. */
  isOwn: z.boolean(),
  /** How long its lease lasts if it is not renewed, in ms; `null` without an owner. */
  leaseMs: z.number().nullable(),
  /** For how long no collector has owned it, in ms; `null` with an owner, and before the first. */
  freeMs: z.number().nullable(),
})
export type StoreLane = z.infer<typeof laneSchema>

const partitionSchema = z.object({
  /** The numbers of its facts. */
  first: z.number(),
  last: z.number(),
  /** Bytes on disk, with indexes. */
  bytes: z.number(),
  /** Receipt of its first record, and time of its last fact; `null` when it has none, or they were not read. */
  oldestAt: z.number().nullable(),
  newestAt: z.number().nullable(),
  /**
   * `newest`: has the newest number or later ones. `kept`: nothing asks for its space. `due`: too old, or first in a database
   * that reached 90 % of its budget, so housekeeping drops it. `held`: the same, but it has pending records or dead letters.
   * `dropping`: some of its tables are gone. `emptied`: its records were dropped, its facts not yet.
   */
  state: z.enum(['newest', 'kept', 'due', 'held', 'dropping', 'emptied']),
})
export type StorePartition = z.infer<typeof partitionSchema>

/** Sizes of the shared record, measured at most every 10 s. */
const storeUsageSchema = z.object({
  measuredAt: z.number(),
  /** Bytes of the whole database, as the budget counts them. */
  bytes: z.number(),
  /** `WAYSTATION_STORE_SIZE`; `null` without one. */
  budgetBytes: z.number().nullable(),
  /** Bytes at which the oldest partition is dropped; `null` without a budget. */
  dropsAt: z.number().nullable(),
  partitions: z.object({
    count: z.number(),
    /** The lowest and the highest number for which there are tables. */
    first: z.number(),
    last: z.number(),
    bytes: z.number(),
    /** Receipt of the oldest record; `null` without records. */
    oldestAt: z.number().nullable(),
    /** Those that are `due`, `held` or `dropping`. */
    waiting: z.number(),
    /** The oldest of them, oldest first. */
    oldest: z.array(partitionSchema),
  }),
  collectors: z.object({
    /** All that were seen within a day. */
    count: z.number(),
    /** The last seen, latest first. */
    list: z.array(
      z.object({
        /** Host and process. */
        name: z.string(),
        isOwn: z.boolean(),
        /** Time since its last sign of life, in ms. Collectors that run give one every 10 s. */
        seenMs: z.number(),
        /** Does the housekeeping of the record. */
        isHousekeeper: z.boolean(),
      }),
    ),
  }),
  /** Of each upstream, at most 200. */
  lanes: z.array(laneSchema),
})
export type StoreUsage = z.infer<typeof storeUsageSchema>

/** The copy of the record from which this collector answers queries. */
const mirrorSchema = z.object({
  /** Number of its newest fact. */
  head: z.number(),
  /** Facts of the store that it lacks; `null` while the store is away. */
  missing: z.number().nullable(),
  /** Time since the first fact that it lacks was stored, in ms; 0 when it lacks none, `null` while the store is away. */
  lagMs: z.number().nullable(),
})

/** A record that collectors share: the database, and how far this collector has copied it. */
export const storeStateSchema = z.object({
  /** Host, port and name of the database. */
  place: z.string(),
  /** Why PostgreSQL does not answer, as a sentence; `null` while it does. */
  away: z.string().nullable(),
  /** Absent at a collector that answers no queries. */
  mirror: mirrorSchema.optional(),
  /** Lanes of all upstreams by their owner; `null` until they were read. */
  lanes: z.object({ own: z.number(), others: z.number(), free: z.number() }).nullable(),
})
export type StoreState = z.infer<typeof storeStateSchema>

const connectionCountsSchema = z.object({ opened: z.number(), failed: z.number() })

/** Work of one collector at the shared record since its start. */
const storeCountsSchema = z.object({
  /** Batches that were committed, the writes in them, and batches that were sent again. */
  batches: z.number(),
  writes: z.number(),
  repeated: z.number(),
  /** By use. `failed`: attempts to connect that failed, and connections that were lost. */
  connections: z.record(z.string(), connectionCountsSchema),
})
export type StoreCounts = z.infer<typeof storeCountsSchema>

export const storeSchema = storeStateSchema.extend({
  /** The last sizes that were measured; `null` before the first. */
  usage: storeUsageSchema.nullable(),
  /** Why the last measurement failed, if PostgreSQL answered; `null` if it succeeded. */
  unmeasured: z.string().nullable(),
  counts: storeCountsSchema,
})
export type Store = z.infer<typeof storeSchema>
