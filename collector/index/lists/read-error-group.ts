import type { Database } from 'better-sqlite3'
import { groupError } from '../../../lib/grouping/group-error'
import type { ReadLimits } from '../../../lib/protocol/items/signal'
import {
  type ErrorGroupDetail,
  type GroupingReason,
  LISTED_EVENTS,
  SAMPLED_EVENTS,
} from '../../../lib/wire/error-groups'
import { journalHead, readMarks } from '../../spool/local'
import {
  BY_HASH,
  hourEnd,
  MOST_GROUP_VALUES,
  mostFrequent,
  type StoredGroup,
  toErrorGroups,
  type ValueCount,
} from './read-error-groups'
import { readFromRecord } from './read-events'

/** Distinct messages that the page of a group lists. */
const LISTED_MESSAGES = 50
/** Tags of a group, and values of each. */
const LISTED_TAGS = 50
const LISTED_TAG_VALUES = 10
/** Records that are read for the tags of a group; one record may hold hundreds of its events. */
const MOST_SAMPLED_BYTES = 8 * 1024 * 1024

interface GroupEvent {
  readonly eventId: string
  readonly timestampUs: number
  readonly title: string
  readonly pattern: string
  readonly service: string
  readonly release: string | null
  readonly traceId: string | null
  readonly handled: number | null
  readonly seq: number
  readonly item: number
}

export const NEWEST_OF_GROUP = `SELECT event_id AS eventId, timestamp_us AS timestampUs, title, pattern, service, release,
    trace_id AS traceId, handled, seq, item
  FROM events WHERE group_hash = @hash ORDER BY timestamp_us DESC, event_id DESC LIMIT ${SAMPLED_EVENTS}`
export const PATTERNS = `SELECT value, count FROM error_group_values
  WHERE hash = @hash AND field = 'pattern' LIMIT ${MOST_GROUP_VALUES}`

/** One group with its newest events, and the reason for the group. @returns `null` when it has no stored event */
export function readErrorGroup(
  db: Database,
  sizeLimits: ReadLimits,
  hash: string,
  nowMs: number | null,
): ErrorGroupDetail | null {
  const row = db.prepare(BY_HASH).get({ hash }) as StoredGroup | undefined
  const now = hourEnd(db, nowMs)
  const [group] = row === undefined ? [] : toErrorGroups(db, [row], readMarks(db), now)
  const newest = row === undefined ? null : readFromRecord(db, sizeLimits, { ...row, eventId: row.newestEventId })
  if (group === undefined || newest === null) return null
  const { version, variant, explain } = groupError(newest)
  const events = db.prepare(NEWEST_OF_GROUP).all({ hash }) as GroupEvent[]
  const messages = mostFrequent(db.prepare(PATTERNS).all({ hash }) as ValueCount[], LISTED_MESSAGES)
  return {
    ...group,
    why: { version, variant, variants: explain() as GroupingReason['variants'] },
    messages: {
      ...messages,
      values: messages.values.map((one) => ({
        ...one,
        eventId: events.find(({ pattern }) => pattern === one.value)?.eventId ?? null,
      })),
    },
    wholeMessages: mostFrequent(countOf(events.map(({ title }) => title)), LISTED_MESSAGES),
    events: events.slice(0, LISTED_EVENTS).map(({ seq, item, handled, pattern, ...event }) => ({
      ...event,
      handled: handled === null ? null : handled === 1,
    })),
    ...readTags(db, sizeLimits, events),
    journal: journalHead(db),
    now,
  }
}

function readTags(
  db: Database,
  sizeLimits: ReadLimits,
  events: readonly GroupEvent[],
): Pick<ErrorGroupDetail, 'sampled' | 'tags'> {
  const bytesOf = db.prepare('SELECT bytes FROM items WHERE seq = @seq AND item = @item').pluck()
  const values = new Map<string, string[]>()
  let [sampled, bytes] = [0, 0]
  for (const event of events) {
    bytes += Number(bytesOf.get({ seq: event.seq, item: event.item }) ?? 0)
    if (sampled > 0 && bytes > MOST_SAMPLED_BYTES) break
    const read = readFromRecord(db, sizeLimits, event)
    if (read === null) continue
    sampled += 1
    for (const [key, value] of Object.entries(read.tags)) {
      const known = values.get(key)
      if (known === undefined) values.set(key, [value])
      else known.push(value)
    }
  }
  const tags = [...values].map(([key, all]) => ({
    key,
    count: all.length,
    values: mostFrequent(countOf(all), LISTED_TAG_VALUES),
  }))
  return { sampled, tags: tags.sort((one, other) => other.count - one.count).slice(0, LISTED_TAGS) }
}

function countOf(values: readonly string[]): readonly ValueCount[] {
  const counts = new Map<string, number>()
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1)
  return [...counts].map(([value, count]) => ({ value, count }))
}
