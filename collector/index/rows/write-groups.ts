import type { Database, Statement } from 'better-sqlite3'
import { prepareAll } from '../../runtime/database'
import type { BoundRow } from './write-contributions'
import type { Staged } from './write-staged'

/** The fields whose values are counted per group. `minute`: since the epoch, by the timestamp. */
export type CountedField = 'service' | 'release' | 'environment' | 'level' | 'handled' | 'pattern' | 'trace' | 'minute'

const US_OF_MINUTE = 60_000_000

export const minuteOf = (us: number): number => Math.floor(us / US_OF_MINUTE)

/** The stored text of `handled`: a column of an event, or a filter. */
export const handledValue = (handled: unknown): string => (handled === null ? 'unknown' : String(Boolean(handled)))

interface Change {
  readonly row: BoundRow
  /** 1 for an event that became visible, -1 for one that no longer is. */
  readonly change: 1 | -1
}

/**
 * The rows of error groups, written once per batch. They are a function of the visible events: a group loses its first
 * event with the record of that event.
 */
export class GroupTable implements Staged {
  readonly #sql: Readonly<Record<keyof typeof SQL, Statement>>
  #envelope: Change[] = []
  #batch: Change[] = []

  constructor(db: Database) {
    this.#sql = prepareAll(db, SQL)
  }

  /** @param row the columns of an event that became visible */
  add(row: BoundRow): void {
    this.#envelope.push({ row, change: 1 })
  }

  remove(row: BoundRow): void {
    this.#envelope.push({ row, change: -1 })
  }

  commitEnvelope(): void {
    this.#batch.push(...this.#envelope)
    this.#envelope = []
  }

  rollbackEnvelope(): void {
    this.#envelope = []
  }

  rollbackBatch(): void {
    this.#envelope = []
    this.#batch = []
  }

  finish(): void {
    const groups = new Map<string, GroupChange>()
    for (const { row, change } of this.#batch) {
      const hash = String(row.groupHash)
      const group = groups.get(hash) ?? new GroupChange()
      group.take(row, change)
      groups.set(hash, group)
    }
    this.#batch = []
    for (const [hash, change] of groups) this.#update(hash, change)
  }

  #update(hash: string, { count, values, newest, newestRemoved }: GroupChange): void {
    let traces = 0
    for (const { field, value, change } of values.values()) {
      if (change === 0) continue
      const after = this.#sql.countValue.pluck().get({ hash, field, value, change }) as number
      if (after === 0) this.#sql.removeValue.run({ hash, field, value })
      if (field === 'trace') traces += Number(after > 0) - Number(after - change > 0)
    }
    const bounds = this.#sql.bounds.get({ hash }) as Bounds
    if (bounds.firstUs === null) {
      this.#sql.remove.run(hash)
      return
    }
    const before = this.#sql.before.get(hash) as { journal: number } | undefined
    const last = Math.max(newest, before?.journal ?? 0)
    // Searches every event of the group; needed only when the last arrival is erased before earlier ones.
    const journal = newestRemoved >= last ? this.#sql.lastJournal.pluck().get(hash) : last
    this.#sql.write.run({ hash, journal, count, traces, ...bounds })
  }
}

interface Bounds {
  readonly firstUs: number | null
  readonly lastUs: number | null
  readonly newestEventId: string | null
}

interface ValueChange {
  readonly field: CountedField
  readonly value: string | number
  change: number
}

/** The changes of one group in a batch. */
class GroupChange {
  count = 0
  /** Journal numbers of events: the last that became visible, and the last that no longer is. */
  newest = 0
  newestRemoved = -1
  readonly values = new Map<string, ValueChange>()

  take(row: BoundRow, change: 1 | -1): void {
    this.count += change
    const journal = Number(row.journal)
    if (change === 1) this.newest = Math.max(this.newest, journal)
    else this.newestRemoved = Math.max(this.newestRemoved, journal)
    this.#count('service', row.service, change)
    this.#count('release', row.release, change)
    this.#count('environment', row.environment, change)
    this.#count('level', row.level, change)
    this.#count('handled', handledValue(row.handled), change)
    this.#count('pattern', row.pattern, change)
    this.#count('trace', row.traceId, change)
    this.#count('minute', BigInt(minuteOf(Number(row.timestampUs))), change)
  }

  #count(field: CountedField, value: unknown, change: 1 | -1): void {
    if (value === null || value === undefined) return
    const key = `${field} ${value}`
    const known = this.values.get(key)
    if (known === undefined) this.values.set(key, { field, value: value as string | number, change })
    else known.change += change
  }
}

const SQL = {
  countValue: `INSERT INTO error_group_values (hash, field, value, count) VALUES (@hash, @field, @value, @change)
    ON CONFLICT DO UPDATE SET count = count + @change RETURNING count`,
  removeValue: 'DELETE FROM error_group_values WHERE hash = @hash AND field = @field AND value = @value',
  bounds: `SELECT (SELECT timestamp_us FROM events WHERE group_hash = @hash ORDER BY timestamp_us LIMIT 1) AS firstUs, (SELECT timestamp_us FROM events
      WHERE group_hash = @hash ORDER BY timestamp_us DESC LIMIT 1) AS lastUs, (SELECT event_id FROM events
      WHERE group_hash = @hash ORDER BY timestamp_us DESC, event_id DESC LIMIT 1) AS newestEventId`,
  before: 'SELECT journal FROM error_groups WHERE hash = ?',
  lastJournal: 'SELECT max(journal) FROM events WHERE group_hash = ?',
  write: `INSERT INTO error_groups (hash, journal, count, traces, first_us, last_us, newest_event_id)
    VALUES (@hash, @journal, @count, @traces, @firstUs, @lastUs, @newestEventId)
    ON CONFLICT DO UPDATE SET journal = @journal, count = count + @count, traces = traces + @traces,
      first_us = @firstUs, last_us = @lastUs, newest_event_id = @newestEventId`,
  remove: 'DELETE FROM error_groups WHERE hash = ?',
} as const
