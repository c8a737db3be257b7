import Database from 'better-sqlite3'
import { expect, it } from 'vitest'
import * as records from '../../../collector/index/lists/list-by-terms'
import * as breadcrumbs from '../../../collector/index/lists/read-breadcrumbs'
import * as envelopes from '../../../collector/index/lists/read-envelopes'
import * as errorGroup from '../../../collector/index/lists/read-error-group'
import * as errorGroups from '../../../collector/index/lists/read-error-groups'
import * as events from '../../../collector/index/lists/read-events'
import * as items from '../../../collector/index/lists/read-items'
import * as programs from '../../../collector/index/lists/read-programs'
import * as signals from '../../../collector/index/lists/read-signals'
import * as slow from '../../../collector/index/lists/read-slow'
import * as deliveries from '../../../collector/spool/read/read-deliveries'
import * as numbers from '../../../collector/spool/read/read-numbers'
import * as outcomes from '../../../collector/spool/read/read-outcomes'
import { migrate } from '../../../collector/spool/schema'
import { rowsInMemory } from './rows-in-memory'

/** The tables of both files, as a reader opens them. */
function emptyStore(): Database.Database {
  const { db } = rowsInMemory()
  const spool = new Database(':memory:')
  migrate(spool)
  const made = spool
    .prepare("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%' ORDER BY rowid")
    .pluck()
    .all() as string[]
  db.exec("ATTACH ':memory:' AS spool")
  for (const sql of made) db.exec(sql.replace(/^CREATE (TABLE|INDEX|UNIQUE INDEX) /, 'CREATE $1 spool.'))
  return db
}

const db = emptyStore()

/** The query plan, with any parameters. */
function planOf(sql: string): readonly string[] {
  const names = [...sql.matchAll(/@(\w+)/g)].map(([, name = '']) => [name, 0])
  const many = [...sql.matchAll(/\?/g)].map(() => 0)
  const statement = db.prepare(`EXPLAIN QUERY PLAN ${sql}`)
  const rows = (names.length > 0 ? statement.all(Object.fromEntries(names)) : statement.all(...many)) as {
    detail: string
  }[]
  return rows.map(({ detail }) => detail)
}

const ways = (name: string, of: object): readonly (readonly [string, string])[] =>
  Object.entries(of)
    .filter(([, sql]) => typeof sql === 'string' && /^\s*SELECT/.test(sql))
    .map(([key, sql]) => [`${name} ${key}`, String(sql)])

const STATEMENTS = [
  ...ways('events', events),
  ...ways('error groups', errorGroups),
  ...ways('error group', errorGroup),
  ...ways('signals', signals),
  ...ways('slow', slow),
  ...ways('programs', programs),
  ...ways('breadcrumbs', breadcrumbs),
  ...ways('envelopes', envelopes),
  ...ways('numbers', numbers),
  ...ways('envelopes by row', envelopes.BY_ROW),
  ...ways('envelopes by stamp', envelopes.BY_STAMP),
  ...ways('envelopes by record', numbers.BY_RECORD),
  ...ways('deliveries by id', deliveries.BY_ID),
  ...ways('deliveries by answer', deliveries.BY_ANSWER),
  ...ways('deliveries by envelope', deliveries.BY_ENVELOPE),
  ...ways('outcomes by envelope', outcomes.BY_ENVELOPE),
  ...ways('outcomes by outcome', outcomes.BY_OUTCOME),
  ...ways('outcomes in order', outcomes.BY_SEQ),
  ...ways('items by journal', items.BY_JOURNAL),
  ...ways('items by stamp', items.BY_STAMP),
  ...ways('records', records),
]

/** An envelope keeps its last hundred attempts. */
const SORTS_A_FEW = ['deliveries by envelope entries', 'deliveries by envelope stoppedAt']

it.each(STATEMENTS)('the statements of lists use an index in the order of the list: %s', (name, sql) => {
  const plan = planOf(sql)
  // Only results of a search and the table of terms may be scanned.
  const scans = plan.filter((step) => /^SCAN (?!found|\(subquery|record_terms|CONSTANT)/.test(step))
  // A search by kind alone, or by nothing, reads the whole table.
  const wide = plan.filter((step) => /^SEARCH (?:signals|events) (?!.*(?:journal|group_hash|event_id=))/.test(step))
  // Duplicates are removed without a temporary table.
  const sorts = plan.filter((step) => /TEMP B-TREE(?! FOR (?:LAST TERM|DISTINCT))/.test(step))
  const expected = SORTS_A_FEW.includes(name) ? ['USE TEMP B-TREE FOR ORDER BY'] : []
  expect([plan, scans, wide, sorts]).toEqual([plan, [], [], expected])
})
