import * as z from 'zod'
import { LOST_BY } from './losses'

/** Figures cover this time; own telemetry of Waystation's app is left out of all but `own`. */
export const FIGURES_MINUTES = 15
/** Minutes that are counted in memory, the current one included. */
export const COUNTED_MINUTES = 60

/** Counts per minute: the first one is the oldest, the last one is the current minute. */
const seriesSchema = z.array(z.number())

const minutesSchema = z.object({
  /** Start of the first minute, ms since the epoch. */
  from: z.number(),
  envelopes: seriesSchema,
  /** Requests that intake refused. */
  refused: seriesSchema,
  /** Envelope items, as in `line`. */
  received: seriesSchema,
  accepted: seriesSchema,
  limited: seriesSchema,
  lost: seriesSchema,
  /** Quantities lost, each cause by itself, with those that SDKs reported, the largest first; at most 100. */
  losses: z.array(z.object({ by: z.enum(LOST_BY), reason: z.string(), category: z.string(), minutes: seriesSchema })),
  /** By the time of their first record; `errors` and `logs` are quantities. */
  traces: seriesSchema,
  errors: seriesSchema,
  logs: seriesSchema,
  /** Stored quantities by data category. */
  categories: z.record(z.string(), seriesSchema),
})
export type FigureMinutes = z.infer<typeof minutesSchema>

/** `GET /query/figures`: the figures of the navigation and of the status line; cheap enough to poll every second. */
export const figuresSchema = z.object({
  now: z.number(),
  /** Counts are of the minutes since then: the last 15, the current one included. */
  since: z.number(),
  navigation: z.object({
    traces: z.number(),
    errors: z.number(),
    /** Groups of errors whose first event is of the last hour, without muted ones; at most 1,000. */
    newGroups: z.number(),
    logs: z.number(),
    envelopes: z.number(),
    /** Envelopes that wait for delivery or for a person, at present; also those of upstreams that are no longer configured. */
    openDeliveries: z.number(),
    /** Quantities lost, with those that SDKs reported, the largest first; at most 10. */
    losses: z.array(
      z.object({
        category: z.string(),
        reason: z.string(),
        by: z.enum(LOST_BY),
        quantity: z.number(),
      }),
    ),
    /** Requests that intake refused: their items are unknown. */
    refused: z.number(),
    activeLimits: z.number(),
    /** Of the disk budget, or of the budget of a shared database if that is fuller, in percent. */
    storageUsed: z.number(),
    /** The last verdict on the whole record; `null` when none was made since the start. Never starts the judge. */
    contract: z
      .object({
        verdict: z.enum(['pass', 'fail', 'incomplete']),
        failed: z.number(),
        /** When it was requested. */
        at: z.number(),
        /** True when telemetry arrived since then. */
        isStale: z.boolean(),
      })
      .nullable(),
    /** Runs that are kept in the data folder. */
    runs: z.number(),
  }),
  /**
   * apps → received → stored → upstream. Counts are envelope items: a batch of logs is one, however many it has.
   * `pending` is at present, dead letters included. Refused requests are in `navigation`: their items are unknown.
   */
  line: z.object({
    /** Distinct senders: a project with the origin of a page or the user agent of a program. At most 1,000. */
    apps: z.number(),
    /** Every one of them is stored. */
    received: z.number(),
    accepted: z.number(),
    pending: z.number(),
    /** The part of `lost` that is rate limited. */
    limited: z.number(),
    /** Lost after they were received: here, by upstream or by a person. */
    lost: z.number(),
    /** Receipt of the last envelope, ms since the epoch; `null` when none came in the last hour. */
    lastEnvelope: z.number().nullable(),
    /** Quantities that the ledger lost track of, by category: empty while it balances. Over the life of the data folder. */
    unexplained: z.array(z.object({ category: z.string(), quantity: z.number() })),
  }),
  /** Projects of the newest 1,000 envelopes, own telemetry left out, the most frequent first; at most 100. */
  projects: z.array(z.string()),
  /** Envelopes of Waystation's own app, which the other figures leave out. */
  own: z.number(),
  /** True when there are more traces than the figures count. */
  isPart: z.boolean(),
  /** With `minutes=60`, else `null`. */
  minutes: minutesSchema.nullable(),
})
export type Figures = z.infer<typeof figuresSchema>
