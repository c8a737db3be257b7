import type { Database } from 'better-sqlite3'
import { levelOf } from '../../../lib/protocol/level'
import { BAR_MINUTES, type ErrorGroup, type ErrorGroupsPage, type ValueCounts } from '../../../lib/wire/error-groups'
import { fillPage, READ_BOUNDS, type Scanned } from '../../../lib/wire/fill-page'
import { hasTexts, type ListFilter, matchesWhole, timeBounds } from '../../../lib/wire/list-filter'
import type { ListPosition, PageRequest } from '../../../lib/wire/list-paging'
import { journalHead, readDeliveryStatuses, readMarks, type StoredMark } from '../../spool/local'
import { type CountedField, handledValue, minuteOf } from '../rows/write-groups'

/** Values of a field in a list, the most frequent first. */
const SHOWN_VALUES = 5
/** Values that are read of a group: senders choose releases and environments freely. */
export const MOST_GROUP_VALUES = 5000

export interface GroupQuery {
  readonly sort: 'last' | 'count'
  /** The end of the last hour, in ms; `null`: the receipt of the newest envelope. */
  readonly nowMs: number | null
}

/** A group with its newest event. */
export interface StoredGroup {
  readonly hash: string
  readonly journal: number
  readonly count: number
  readonly traces: number
  readonly firstSeenUs: number
  readonly lastSeenUs: number
  readonly newestEventId: string
  readonly type: string | null
  readonly value: string | null
  readonly function: string | null
  readonly file: string | null
  readonly line: number | null
  readonly title: string
  readonly level: string
  readonly platform: string | null
  readonly transaction: string | null
  readonly seq: number
  readonly item: number
}

const GROUPS = `SELECT g.hash, g.journal, g.count, g.traces, g.first_us AS firstSeenUs, g.last_us AS lastSeenUs,
    g.newest_event_id AS newestEventId, e.type, e.value, e."function", e.file, e.line, e.pattern AS title, e.level,
    e.platform, e."transaction", e.seq, e.item
  FROM error_groups g CROSS JOIN events e ON e.event_id = g.newest_event_id`
export const BY_ARRIVAL = `${GROUPS} WHERE (g.journal, g.hash) < (@journal, @id) ORDER BY g.journal DESC, g.hash DESC`
export const BY_COUNT = `${GROUPS} WHERE (g.count, g.hash) < (@journal, @id) ORDER BY g.count DESC, g.hash DESC`
export const BY_HASH = `${GROUPS} WHERE g.hash = @hash`

/** A page of groups. With `sort: 'count'` the number of a position is a number of events. */
export function readErrorGroups(
  db: Database,
  filter: ListFilter,
  position: ListPosition,
  page: PageRequest,
  { sort, nowMs }: GroupQuery,
): ErrorGroupsPage {
  const marks = readMarks(db)
  const scan = db.prepare(sort === 'count' ? BY_COUNT : BY_ARRIVAL).iterate({ ...position })
  const found = fillPage(
    scanned(scan as IterableIterator<StoredGroup>, sort),
    page,
    matcher(db, filter, marks),
    READ_BOUNDS.rows,
  )
  const now = hourEnd(db, nowMs)
  const exists = db.prepare('SELECT 1 FROM error_groups WHERE hash = ?')
  return {
    groups: toErrorGroups(db, found.rows, marks, now),
    mutedCount: [...marks].filter(([hash, { muted }]) => muted && exists.get(hash) !== undefined).length,
    now,
    next: found.next,
    journal: journalHead(db),
  }
}

function* scanned(rows: IterableIterator<StoredGroup>, sort: GroupQuery['sort']): Generator<Scanned<StoredGroup>> {
  for (const row of rows) yield { position: { journal: sort === 'count' ? row.count : row.journal, id: row.hash }, row }
}

/** The number of new groups that are counted at most. */
export const MAX_NEW_GROUPS = 1000
export const NEW_GROUPS = 'SELECT hash FROM error_groups WHERE first_us >= ? ORDER BY first_us DESC LIMIT ?'

/** Groups whose first event is of this time or later, without muted ones. @param sinceMs ms since the epoch */
export function countNewGroups(db: Database, sinceMs: number): number {
  const marks = readMarks(db)
  const found = db
    .prepare(NEW_GROUPS)
    .pluck()
    .all(sinceMs * 1000, MAX_NEW_GROUPS) as string[]
  return found.filter((hash) => marks.get(hash)?.muted !== true).length
}

/** The end of the hour that bars show. */
export const hourEnd = (db: Database, nowMs: number | null): number =>
  nowMs ?? Number(db.prepare('SELECT received_at FROM envelopes ORDER BY seq DESC LIMIT 1').pluck().get() ?? 0)

function matcher(
  db: Database,
  filter: ListFilter,
  marks: ReadonlyMap<string, StoredMark>,
): (row: StoredGroup) => boolean {
  const hasValue = db.prepare(HAS_VALUE)
  const hasEvent = db.prepare(HAS_EVENT_BETWEEN)
  const hasStart = db.prepare(HAS_START)
  const isMuted = ({ hash }: StoredGroup): boolean => marks.get(hash)?.muted ?? false
  const muted = mutedIn(filter) ?? 'no'
  const matches = matchesWhole<StoredGroup>(filter, (row, part) => {
    const { hash } = row
    const { level, handled, starts = {} } = part
    const values: readonly (readonly [CountedField, string | undefined])[] = [
      ['service', part.service],
      ['release', part.release],
      ['environment', part.environment],
      ['level', level === undefined ? undefined : levelOf(level)],
      ['handled', handled === undefined ? undefined : handledValue(handled)],
    ]
    const isTimed = part.sinceUs !== undefined || part.untilUs !== undefined
    return (
      (part.muted === undefined || part.muted === 'all' || isMuted(row) === (part.muted === 'only')) &&
      values.every(([field, value]) => value === undefined || hasValue.get({ hash, field, value }) !== undefined) &&
      Object.entries(starts).every(([field, start]) => hasStart.get({ hash, field, start }) !== undefined) &&
      hasTexts(part, () => [row.type, row.value ?? row.title, row.function, row.file]) &&
      (!isTimed || hasEvent.get({ hash, ...timeBounds(part) }) !== undefined)
    )
  })
  return (row) => (muted !== 'no' || !isMuted(row)) && matches(row)
}

/** Muted groups are hidden unless the filter mentions them. */
const mutedIn = ({ muted, any = [], not = [] }: ListFilter): ListFilter['muted'] =>
  muted ?? [...any.flat(), ...not].find((part) => part.muted !== undefined)?.muted

export const HAS_VALUE = 'SELECT 1 FROM error_group_values WHERE hash = @hash AND field = @field AND value = @value'
export const HAS_START = `SELECT 1 FROM error_group_values WHERE hash = @hash AND field = @field
  AND substr(value, 1, length(@start)) = @start LIMIT 1`
export const HAS_EVENT_BETWEEN = `SELECT 1 FROM events INDEXED BY events_by_group
  WHERE group_hash = @hash AND timestamp_us >= @sinceUs AND timestamp_us < @untilUs LIMIT 1`

/** Completes groups with their counts, marks and delivery status. @param nowMs the end of the last hour */
export function toErrorGroups(
  db: Database,
  rows: readonly StoredGroup[],
  marks: ReadonlyMap<string, StoredMark>,
  nowMs: number,
): ErrorGroup[] {
  const deliveryStatuses = readDeliveryStatuses(
    db,
    rows.map(({ seq }) => seq),
  )
  const bars = db.prepare(BARS)
  const hourStartUs = (nowMs - BAR_MINUTES * 60_000) * 1000
  const lastMinute = minuteOf(nowMs * 1000)
  return rows.map(({ journal, seq, item, ...row }) => {
    const counts = readGroupValues(db, row.hash)
    const handledCount = (handled: boolean) =>
      counts('handled').find(({ value }) => value === String(handled))?.count ?? 0
    const firstMinute = lastMinute - BAR_MINUTES + 1
    const perMinute = Array.from({ length: BAR_MINUTES }, () => 0)
    for (const bar of bars.all({ hash: row.hash, after: firstMinute - 1, upTo: lastMinute }) as Bar[])
      perMinute[bar.minute - firstMinute] = bar.count
    return {
      ...row,
      lastJournal: journal,
      handled: handledCount(true),
      unhandled: handledCount(false),
      bars: perMinute,
      services: mostFrequent(counts('service')),
      releases: mostFrequent(counts('release')),
      environments: mostFrequent(counts('environment')),
      isNew: row.firstSeenUs >= hourStartUs,
      muted: marks.get(row.hash)?.muted ?? false,
      note: marks.get(row.hash)?.note ?? null,
      deliveryStatus: deliveryStatuses(seq).of(item),
    }
  })
}

interface Bar {
  readonly minute: number
  readonly count: number
}

export const BARS = `SELECT value AS minute, count FROM error_group_values
  WHERE hash = @hash AND field = 'minute' AND value > @after AND value <= @upTo`
export const VALUES = `SELECT field, value, count FROM error_group_values
  WHERE hash = @hash AND field IN ('environment', 'handled', 'release', 'service') LIMIT ${MOST_GROUP_VALUES}`

export interface ValueCount {
  readonly value: string
  readonly count: number
}

/** @returns the counted values of a field, of the first 5000 values of all fields */
export function readGroupValues(db: Database, hash: string): (field: CountedField) => readonly ValueCount[] {
  const rows = db.prepare(VALUES).all({ hash }) as (ValueCount & { readonly field: string })[]
  return (field) => rows.filter((row) => row.field === field).map(({ value, count }) => ({ value, count }))
}

/** The first values by count, then by name. */
export const mostFrequent = (counts: readonly ValueCount[], shown = SHOWN_VALUES): ValueCounts => ({
  values: [...counts]
    .sort((one, other) => other.count - one.count || (one.value < other.value ? -1 : 1))
    .slice(0, shown),
  distinct: counts.length,
})
