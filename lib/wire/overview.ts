import * as z from 'zod'
import { keyMark } from '../protocol/dsn'
import { OUTCOMES } from '../protocol/outcome'
import { envelopeSummarySchema } from './envelope'
import { limitSchema } from './limits'
import { storageSchema } from './storage'

const upstreamStateSchema = z.object({
  /** Host and project, never the key. */
  label: z.string(),
  /**
   * `backing_off`: the network failed, it resumes by itself at `retryAt`. `paused`: it refuses us by 401, 403, 404 or a
   * redirect, which speaks of the DSN and not of an envelope: one probe a minute, the next at `retryAt`.
   */
  state: z.enum(['idle', 'relaying', 'backing_off', 'paused']),
  pending: z.number(),
  open: z.number(),
  /** Refused for what they are: they wait for a person. */
  deadLetters: z.number(),
  /** Records deferred until a limit ends. */
  deferred: z.number(),
  retryAt: z.number().nullable(),
  /** Since when, by which answer, in upstream's words; `null` unless paused. */
  paused: z.object({ since: z.number(), status: z.number(), answer: z.string().nullable() }).nullable(),
  /** What the last answer, or the lack of one, was; while it backs off, the one that it is waited for. */
  last: z.object({ at: z.number(), status: z.number().nullable(), error: z.string().nullable() }).nullable(),
  standIn: z.boolean(),
})
export type UpstreamState = z.infer<typeof upstreamStateSchema>

/** `POST /control/probe`: so many upstreams were waited for, and are asked now. */
export const askedSchema = z.object({ asked: z.number() })

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
  /** What the endpoint turned away, by its reason, the most frequent first: `counts.refused` is their sum. */
  refusals: z.array(z.object({ reason: z.string(), envelopes: z.number() })),
  /** Items by status, copies left out: `received` is the sum of the others. */
  items: z.object({
    received: z.number(),
    pending: z.number(),
    outcomes: z.record(z.enum(OUTCOMES), z.number()),
  }),
  last: envelopeSummarySchema.nullable(),
  localOnly: z.boolean(),
  upstreams: z.array(upstreamStateSchema),
  /** Pending by a key and project that no configured DSN has: they wait until that DSN is back, or a person clears them. */
  stranded: z.array(z.object({ publicKey: z.string(), project: z.string(), records: z.number() })),
  /** What the stand-in is told to answer, in words; `null` where it answers 200 to everything, or there is none. */
  script: z.string().nullable(),
  limits: z.array(limitSchema),
  /** May what the lab causes go to an upstream that is not on this machine? */
  labRelay: z.boolean(),
})
export type Overview = z.infer<typeof overviewSchema>

/**
 * What is pending by a key that nobody has configured, and what can be done: upstream would refuse it by another key of the
 * same project, so that only its own DSN delivers it.
 */
export const strandedSentence = ({ publicKey, project, records }: Overview['stranded'][number]): string =>
  `${records === 1 ? '1 envelope is' : `${records} envelopes are`} pending to project ${project} by a key that no configured DSN has (${keyMark(publicKey)}): put the old DSN into WAYSTATION_DSNS beside the new one, or clear what is pending (which drops everything pending)`

/** `GET /query/status`: disk space and delivery, for the status banner on every page. One cheap query that counts nothing. */
export const statusSchema = z.object({
  now: z.number(),
  storage: storageSchema.pick({ state: true, trouble: true }),
  /** Errors wait until their limit ends; they are not cut. */
  holdErrors: z.boolean(),
  ...overviewSchema.pick({ upstreams: true, stranded: true, script: true, limits: true }).shape,
})
export type Status = z.infer<typeof statusSchema>

/** `GET /query/admission?key=K&project=P`: would an envelope with this key and project be let in? Nothing is sent or counted. */
export const admissionSchema = z.object({
  admitted: z.boolean(),
  /** Everybody is let in: there is no upstream whose key and project they would have to have. */
  localOnly: z.boolean(),
})
export type Admission = z.infer<typeof admissionSchema>
