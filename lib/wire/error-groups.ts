import * as z from 'zod'
import { deliveryStatusSchema } from './delivery-status'
import { pageSchema } from './page-schema'

/** Minutes that the bars of a group show, one count each. */
export const BAR_MINUTES = 60
/** The newest events of a group that its page lists, and those whose tags and messages are counted. */
export const LISTED_EVENTS = 50
export const SAMPLED_EVENTS = 200
/** Groups with a mute or a note, and characters of a note. */
export const MOST_MARKED_GROUPS = 1000
export const MOST_NOTE_CHARACTERS = 2000

export const isGroupHash = (text: string): boolean => /^[0-9a-f]{32}$/.test(text)

/** The values of one field with their number of events, most frequent first. */
const valueCountsSchema = z.object({
  /** The first few. */
  values: z.array(z.object({ value: z.string(), count: z.number() })),
  /** Number of distinct values. */
  distinct: z.number(),
})
export type ValueCounts = z.infer<typeof valueCountsSchema>

export const errorGroupSchema = z.object({
  /** 32 hex digits. */
  hash: z.string(),
  /** Type, value and position of the newest event. */
  type: z.string().nullable(),
  value: z.string().nullable(),
  function: z.string().nullable(),
  file: z.string().nullable(),
  line: z.number().nullable(),
  /** As `title` of the newest event; its parameters, such as numbers and ids, are replaced: `Error: order <int> failed`. */
  title: z.string(),
  /** Level and platform of the newest event. */
  level: z.string(),
  platform: z.string().nullable(),
  /** The transaction in which the newest event happened. */
  transaction: z.string().nullable(),
  /** Stored events; the others of `count` do not say whether they were handled. */
  count: z.number(),
  handled: z.number(),
  unhandled: z.number(),
  /** Timestamps of the first and the last stored event. */
  firstSeenUs: z.number(),
  lastSeenUs: z.number(),
  /** Events per minute of the last hour, oldest first; the last minute is the one of `now`. */
  bars: z.array(z.number()).length(BAR_MINUTES),
  services: valueCountsSchema,
  releases: valueCountsSchema,
  environments: valueCountsSchema,
  /** Distinct traces that contain one of its events. */
  traces: z.number(),
  /** The first event was seen in the last hour, before `now`. */
  isNew: z.boolean(),
  muted: z.boolean(),
  note: z.string().nullable(),
  newestEventId: z.string(),
  /** Journal number of its last event to arrive, by which the list is ordered. */
  lastJournal: z.number(),
  /** Of the newest event. */
  deliveryStatus: deliveryStatusSchema,
})
export type ErrorGroup = z.infer<typeof errorGroupSchema>

/** `GET /query/errors`, by last arrival or, with `sort=count`, by number of events. */
export const errorGroupsPageSchema = pageSchema({
  groups: z.array(errorGroupSchema),
  /** Muted groups with stored events, whatever the filter. */
  mutedCount: z.number(),
  /** The end of the last hour, in ms: the time of the answer; in a saved run, the receipt of its newest envelope. */
  now: z.number(),
})
export type ErrorGroupsPage = z.infer<typeof errorGroupsPageSchema>

const groupingPartSchema = z.object({
  kind: z.enum(['checksum', 'fingerprint', 'type', 'value', 'frame', 'message']),
  /** The exception of the part, outermost first, as in an event; `null` when it belongs to none. */
  exception: z.number().nullable(),
  /** The value that counts, for example `cart › pay › charge(order)`. */
  text: z.string(),
  counts: z.boolean(),
  /** Why it does not count, or what was changed; `null` when there is nothing to say. */
  hint: z.string().nullable(),
})
export type GroupingPart = z.infer<typeof groupingPartSchema>

/** `app`: frames of the app. `system`: all frames. The others have no frames that count. */
export const GROUPING_VARIANTS = [
  'checksum',
  'fingerprint',
  'built_in',
  'app',
  'system',
  'exception',
  'message',
  'none',
] as const

export const groupingSchema = z.object({
  /** Version of the rules. */
  version: z.number(),
  /** The variant whose hash is the group. */
  variant: z.enum(GROUPING_VARIANTS),
  variants: z.array(
    z.object({
      variant: z.enum(GROUPING_VARIANTS),
      /** `null` when the variant has no part that counts. */
      hash: z.string().nullable(),
      hint: z.string().nullable(),
      parts: z.array(groupingPartSchema),
    }),
  ),
})
export type GroupingReason = z.infer<typeof groupingSchema>

/** `GET /query/errors/{hash}`. */
export const errorGroupDetailSchema = errorGroupSchema.extend({
  /** Why the newest event is in this group. */
  why: groupingSchema,
  /** Distinct messages with parameters replaced, most frequent first; at most 50. */
  messages: valueCountsSchema.extend({
    values: z.array(
      z.object({
        value: z.string(),
        count: z.number(),
        /** The newest event with it; `null` when it is none of the newest 200. */
        eventId: z.string().nullable(),
      }),
    ),
  }),
  /** Distinct whole messages of the newest 200 events. */
  wholeMessages: valueCountsSchema,
  /** The newest 50, by time. */
  events: z.array(
    z.object({
      eventId: z.string(),
      timestampUs: z.number(),
      title: z.string(),
      service: z.string(),
      release: z.string().nullable(),
      traceId: z.string().nullable(),
      handled: z.boolean().nullable(),
    }),
  ),
  /** Tags of the newest events: `sampled` of them were read, 200 at most. A share is a count of `sampled`. */
  sampled: z.number(),
  tags: z.array(z.object({ key: z.string(), count: z.number(), values: valueCountsSchema })),
  journal: z.number(),
  now: z.number(),
})
export type ErrorGroupDetail = z.infer<typeof errorGroupDetailSchema>

/** The group of an event, with its neighbours by time; `null` at either end. */
export const eventGroupSchema = z.object({
  hash: z.string(),
  older: z.string().nullable(),
  newer: z.string().nullable(),
})
export type EventGroup = z.infer<typeof eventGroupSchema>

/** `POST /control/errors`: mutes a group or writes its note; an empty note deletes it. Fields left out do not change. */
export const groupMarkOrderSchema = z.strictObject({
  hash: z.string().refine(isGroupHash),
  muted: z.boolean().optional(),
  note: z.string().max(MOST_NOTE_CHARACTERS).optional(),
})
export type GroupMarkOrder = z.infer<typeof groupMarkOrderSchema>

/** The answer: the state of the group now. */
export const groupMarkSchema = z.object({ hash: z.string(), muted: z.boolean(), note: z.string().nullable() })
export type GroupMark = z.infer<typeof groupMarkSchema>
