import * as z from 'zod'
import { OUTCOMES } from '../protocol/outcome'
import { ROLES } from '../protocol/roles'
import { envelopeSummarySchema } from './envelope'
import { limitSchema } from './limits'
import { reachSchema } from './reach'
import { recordedRunSchema } from './run'
import { storageSchema } from './storage'
import { storeStateSchema } from './store'

const upstreamStateSchema = z.object({
  /** Host and project, without the key. */
  label: z.string(),
  /**
   * `backing_off`: the network failed; the relay resumes at `retryAt`. `paused`: upstream answered 401, 403, 404 or a
   * redirect: one probe a minute, the next at `retryAt`.
   */
  state: z.enum(['idle', 'relaying', 'backing_off', 'paused']),
  pending: z.number(),
  open: z.number(),
  /** Refused by upstream; they wait for a person. */
  deadLetters: z.number(),
  /** Records deferred until a limit ends. */
  deferred: z.number(),
  retryAt: z.number().nullable(),
  /** Since when, and the answer of upstream; `null` unless paused. */
  paused: z.object({ since: z.number(), status: z.number(), answer: z.string().nullable() }).nullable(),
  /** The last answer or network error; while backing off, the one that caused it. */
  last: z.object({ at: z.number(), status: z.number().nullable(), error: z.string().nullable() }).nullable(),
  standIn: z.boolean(),
  /** The collectors that relay its lanes, where several share one record; `null` when none does. Absent without others. */
  owner: z.string().nullable().optional(),
  /** For how long no collector has relayed one of its lanes, in ms. Absent while all have one. */
  unownedMs: z.number().optional(),
})
/** The part that its owner knows; other collectors show it. Numbers of pending records and dead letters are in the record. */
export const publishedStateSchema = upstreamStateSchema.pick({
  state: true,
  open: true,
  deferred: true,
  retryAt: true,
  paused: true,
  last: true,
})
export type PublishedState = z.infer<typeof publishedStateSchema>
export type UpstreamState = z.infer<typeof upstreamStateSchema>

/** `POST /control/probe`: the number of backing-off or paused upstreams that are probed now. */
export const probedSchema = z.object({ probed: z.number() })

/** `GET /query/overview`: the current state, for the home page. */
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
  /** Refused envelopes by reason, the most frequent first; `counts.refused` is the sum. */
  refusals: z.array(
    z.object({
      reason: z.string(),
      envelopes: z.number(),
      /** Method and path of requests to addresses that serve nothing; `other` for those beyond the first 50. */
      paths: z.array(z.object({ path: z.string(), envelopes: z.number() })).optional(),
    }),
  ),
  /** Documents that apps with a tunnel served, and pages that posted to it. */
  pages: z.object({ documents: z.number(), posted: z.number() }),
  /** Items by status, without copies; `received` is the sum of the others. */
  items: z.object({
    received: z.number(),
    pending: z.number(),
    outcomes: z.record(z.enum(OUTCOMES), z.number()),
  }),
  last: envelopeSummarySchema.nullable(),
  localOnly: z.boolean(),
  upstreams: z.array(upstreamStateSchema),
  /** Pending for a key and project without a configured DSN, until it is configured or a person clears them. */
  stranded: z.array(z.object({ publicKey: z.string(), project: z.string(), records: z.number() })),
  /** The stand-in's script as text; `null` when it answers 200 to everything, or there is no stand-in. */
  script: z.string().nullable(),
  limits: z.array(limitSchema),
  /** True when lab telemetry may be relayed to an upstream on another machine. */
  labRelay: z.boolean(),
  /** The run that was recorded in this folder; `null` for any other folder. */
  run: recordedRunSchema.nullable(),
  /** `waystation show`: a copy, which receives nothing and cannot change. */
  isShown: z.boolean(),
  /** The record that collectors share. Absent without one. */
  store: storeStateSchema.optional(),
  /** As in the storage. */
  reach: reachSchema.optional(),
})
export type Overview = z.infer<typeof overviewSchema>

/** `GET /query/status`: for the status banner of every page. A cheap query that counts no rows. */
export const statusSchema = z.object({
  now: z.number(),
  storage: storageSchema.pick({ state: true, trouble: true, reach: true }),
  /** True when errors wait until their limit ends instead of being dropped. */
  holdErrors: z.boolean(),
  /** `waystation show`: a sentence about the run, of which nothing can change; otherwise `null`. */
  shown: z.string().nullable(),
  /** `waystation show`: the name of the run, or its command; `null` for a copy of another folder, and otherwise. */
  run: z.string().nullable(),
  /** For the programs of the reader; `null` for a collector that receives nothing: `waystation show`, or without the role. */
  localDsn: z.string().nullable(),
  /** Absent from a collector that has all. */
  roles: z.array(z.enum(ROLES)).optional(),
  ...overviewSchema.pick({ upstreams: true, stranded: true, script: true, limits: true, store: true }).shape,
})
export type Status = z.infer<typeof statusSchema>

/** `GET /query/admission?key=K&project=P`: whether intake accepts this key and project. Sends and counts nothing. */
export const admissionSchema = z.object({
  admitted: z.boolean(),
  /** True without an upstream: every key and project is accepted. */
  localOnly: z.boolean(),
})
export type Admission = z.infer<typeof admissionSchema>
