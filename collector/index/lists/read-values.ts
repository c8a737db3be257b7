import type { Database } from 'better-sqlite3'
import type { QueryList } from '../../../lib/filter/keys'
import type { SignalKind } from '../../../lib/protocol/items/signal'
import { levelOf } from '../../../lib/protocol/level'
import { statusOf } from '../../../lib/wire/list-filter'
import type { ValueCounts } from '../../../lib/wire/values'
import { journalHead } from '../../spool/local'
import type { CountedField } from '../rows/write-groups'
import { mostFrequent } from './read-error-groups'

/** Rows whose values are counted: the newest ones of the list. */
export const MAX_VALUE_ROWS = 1000
/** Values in one answer, the most frequent first. */
export const MAX_VALUES = 100

interface Source {
  /** The newest rows; `r` has their columns. */
  readonly newest: string
  /** 1 for own telemetry. */
  readonly own: string
  /** The value of each key, of a row `r`. */
  readonly keys: Readonly<Record<string, string>>
  /** Of a key with several values for each row: the table that is joined. */
  readonly joins?: Readonly<Record<string, string>>
}

const columns = (...names: readonly string[]): Record<string, string> =>
  Object.fromEntries(names.map((name) => [name, `r.${name}`]))

const OF_RECORD = '(SELECT e.# FROM envelopes e WHERE e.seq = r.seq)'
const ofRecord = (column: string): string => OF_RECORD.replace('#', column)
const SENDER = { stamp: ofRecord('stamp'), page: ofRecord('page'), project: ofRecord('project') }

const GROUP_FIELDS = ['service', 'release', 'environment', 'level', 'handled'] as const satisfies CountedField[]
const ofGroup = (text: (field: CountedField) => string): Record<string, string> =>
  Object.fromEntries(GROUP_FIELDS.map((field) => [field, text(field)]))

const SOURCES: Readonly<Record<QueryList, Source>> = {
  traces: {
    newest: 'traces ORDER BY list_position DESC',
    own: 'r.own',
    keys: { ...columns('op', 'name', 'environment', 'release'), service: 'j.value', status: 'j.value' },
    joins: {
      service: 'json_each(r.services) j',
      // As the filter: a trace with an error event matches its own status and `error`.
      status: `json_each(CASE WHEN r.error_count > 0 AND r.status IS NOT 'error' THEN json_array(r.status, 'error')
        ELSE json_array(r.status) END) j`,
    },
  },
  segments: {
    newest: 'segments INDEXED BY segments_newest ORDER BY list_position DESC',
    own: 'r.own',
    keys: columns('op', 'name', 'environment', 'release', 'service', 'status', 'lifecycle', 'stamp', 'page', 'project'),
  },
  events: {
    newest: 'events INDEXED BY events_newest ORDER BY journal DESC, event_id DESC',
    own: ofRecord('own'),
    keys: {
      ...columns('level', 'environment', 'release', 'service'),
      ...SENDER,
      name: 'r."transaction"',
      handled: "CASE r.handled WHEN 1 THEN 'true' WHEN 0 THEN 'false' ELSE 'unknown' END",
    },
  },
  // Groups with an event of the value.
  errors: {
    newest: 'error_groups ORDER BY journal DESC, hash DESC',
    own: '0',
    keys: ofGroup(() => 'j.value'),
    joins: ofGroup((field) => `error_group_values j ON j.hash = r.hash AND j.field = '${field}'`),
  },
  signals: {
    newest: 'signals INDEXED BY signals_newest WHERE kind = @kind ORDER BY journal DESC, key DESC',
    own: ofRecord('own'),
    keys: { ...columns('level', 'name', 'environment', 'release', 'service'), ...SENDER },
  },
  envelopes: {
    newest: 'envelopes ORDER BY seq DESC',
    own: 'r.own',
    keys: { ...columns('endpoint', 'environment', 'sdk', 'stamp', 'page', 'project'), type: 'j.type' },
    joins: { type: 'items j ON j.seq = r.seq' },
  },
  deliveries: {
    newest: 'deliveries ORDER BY id DESC',
    own: '0',
    keys: { upstream: 'r.upstream', status: "coalesce(r.status, 'none')" },
  },
}

/** Values of one key with their counts in the newest rows. @param own `undefined` counts own telemetry, too. */
export function readValues(
  db: Database,
  list: QueryList,
  key: string,
  { kind, own }: { readonly kind: SignalKind | null; readonly own: boolean | undefined },
): ValueCounts {
  const source = SOURCES[list]
  const value = source.keys[key]
  if (value === undefined) throw new TypeError(`the values of ${key} are not counted for ${list}`)
  const join = source.joins?.[key]
  const sql = `SELECT CAST(${value} AS TEXT) AS value, count(*) AS count
    FROM (SELECT * FROM ${source.newest} LIMIT ${MAX_VALUE_ROWS}) r ${join === undefined ? '' : `CROSS JOIN ${join}`}
    WHERE @own IS NULL OR coalesce(${source.own}, 0) = @own GROUP BY 1`
  const counted = `SELECT count(*) FROM (SELECT 1 FROM ${source.newest} LIMIT ${MAX_VALUE_ROWS})`
  const bound = { kind, own: own === undefined ? null : Number(own) }
  const found = db.prepare(sql).all(bound) as { value: string | null; count: number }[]
  const counts = new Map<string, number>()
  for (const one of found) {
    const normal = normalise(list, key, one.value)
    if (normal !== null) counts.set(normal, (counts.get(normal) ?? 0) + one.count)
  }
  const { values, distinct } = mostFrequent(
    [...counts].map(([text, count]) => ({ value: text, count })),
    MAX_VALUES,
  )
  return {
    list,
    key,
    values,
    isWhole: distinct <= MAX_VALUES,
    rows: Number(db.prepare(counted).pluck().get(bound)),
    journal: journalHead(db),
  }
}

/** As filters compare it. */
function normalise(list: QueryList, key: string, value: string | null): string | null {
  if (key === 'status' && list !== 'deliveries') return statusOf(value)
  return key === 'level' && value !== null ? levelOf(value) : value
}
