import { z } from 'zod'
import { OUTCOMES } from '../protocol/outcome'
import { envelopeSummarySchema } from './envelope'

export const limitSchema = z.object({
  /** Host and project of the upstream that limits. */
  upstream: z.string(),
  /** A data category, or `all`. */
  category: z.string(),
  /** ms since the epoch. */
  until: z.number(),
  toldAt: z.number(),
  reason: z.string().nullable(),
})
export type Limit = z.infer<typeof limitSchema>

export const upstreamStateSchema = z.object({
  /** Host and project, never the key. */
  label: z.string(),
  /** `backing_off`: the network failed, it resumes by itself at `retryAt`. */
  state: z.enum(['idle', 'relaying', 'backing_off']),
  owed: z.number(),
  open: z.number(),
  retryAt: z.number().nullable(),
  /** What the last answer, or the lack of one, was. */
  last: z.object({ at: z.number(), status: z.number().nullable(), error: z.string().nullable() }).nullable(),
  standIn: z.boolean(),
})
export type UpstreamState = z.infer<typeof upstreamStateSchema>

/** `GET /query/limits`: what upstreams limit just now. */
export const limitsNowSchema = z.object({ limits: z.array(limitSchema), now: z.number() })
export type LimitsNow = z.infer<typeof limitsNowSchema>

/** What happens right now: the home page's one answer. */
export const overviewSchema = z.object({
  now: z.number(),
  startedAt: z.number(),
  journal: z.number(),
  localDsn: z.string(),
  dataFolder: z.string(),
  counts: z.object({
    envelopes: z.number(),
    copies: z.number(),
    traces: z.number(),
    segments: z.number(),
    spans: z.number(),
    errors: z.number(),
    breadcrumbs: z.number(),
    refused: z.number(),
  }),
  /** What the door turned away, by its reason, the most frequent first: `counts.refused` is their sum. */
  refusals: z.array(z.object({ reason: z.string(), envelopes: z.number() })),
  /** Items by fate, copies left out: `received` is the sum of the others. */
  items: z.object({
    received: z.number(),
    pending: z.number(),
    outcomes: z.record(z.enum(OUTCOMES), z.number()),
  }),
  last: envelopeSummarySchema.nullable(),
  localOnly: z.boolean(),
  upstreams: z.array(upstreamStateSchema),
  limits: z.array(limitSchema),
  /** May what the lab causes go to an upstream that is not on this machine? */
  labRelay: z.boolean(),
})
export type Overview = z.infer<typeof overviewSchema>
