import Database from 'better-sqlite3'
import { afterAll, afterEach, beforeEach, expect, it } from 'vitest'
import { countNewGroups, MAX_NEW_GROUPS } from '../../../collector/index/lists/read-error-groups'
import { MAX_ENVELOPES_COUNTED, MAX_OWN_COUNTED, readLeftOut } from '../../../collector/index/lists/read-left-out'
import { MAX_COUNTED_DISCARDS, readDiscards } from '../../../collector/index/lists/read-signals'
import { MAX_COUNTED_TRACES, readTraceMinutes } from '../../../collector/index/lists/read-trace-minutes'
import { MAX_VALUE_ROWS, readValues } from '../../../collector/index/lists/read-values'
import { errorEnvelope, transactionEnvelope } from '../../flow/envelopes'
import { removeFolders, submission } from '../spool/in-process-spool'
import { RecordedFolder } from './recorded-folder'

const NOW = 1_795_000_000_000
const DSN = 'http://key@127.0.0.1:8969/1'
const { facts } = submission()

afterAll(removeFolders)

let folder: RecordedFolder
beforeEach(() => {
  folder = new RecordedFolder(() => NOW)
})
afterEach(() => folder.close())

/** Repeats the only row of a table of the index. @param changes SQL by column; `n` counts from 1 */
function repeatRow(table: string, times: number, changes: Readonly<Record<string, string>>): void {
  const db = new Database(folder.db.name)
  const names = db.prepare('SELECT name FROM pragma_table_info(?)').pluck().all(table) as string[]
  const values = names.map((name) => changes[name] ?? `r.${name}`)
  db.prepare(
    `WITH RECURSIVE counter (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM counter WHERE n < ?)
     INSERT INTO ${table} SELECT ${values.join(', ')} FROM counter, (SELECT * FROM ${table} LIMIT 1) r`,
  ).run(times)
  db.close()
}

it(`envelopes are counted up to ${MAX_ENVELOPES_COUNTED}, own ones up to ${MAX_OWN_COUNTED}`, () => {
  folder.receive(errorEnvelope(DSN).body, { facts: { ...facts, own: true } })
  folder.digest()
  const leftOut = () => readLeftOut(folder.db, 'envelopes', null)
  repeatRow('envelopes', MAX_OWN_COUNTED - 1, { seq: 'r.seq + n' })
  expect(leftOut()).toMatchObject({ own: 1000, ownIsAtLeast: false, stored: 1000 })
  repeatRow('envelopes', 5000, { seq: 'r.seq + 2000 + n' })
  expect(leftOut()).toMatchObject({ own: 1000, ownIsAtLeast: true, stored: 5000 })
})

it(`values are those of the newest ${MAX_VALUE_ROWS} rows`, () => {
  folder.receive(errorEnvelope(DSN).body)
  folder.digest()
  repeatRow('envelopes', 1000, { seq: 'r.seq + n', project: "'2'" })
  expect(readValues(folder.db, 'envelopes', 'project', { kind: null, own: false })).toMatchObject({
    values: [{ value: '2', count: 1000 }],
    rows: 1000,
  })
})

it(`new groups are counted up to ${MAX_NEW_GROUPS}`, () => {
  folder.receive(errorEnvelope(DSN).body)
  folder.digest()
  repeatRow('error_groups', 999, { hash: "printf('%032x', n)", first_us: `${NOW}000` })
  const newest = () => countNewGroups(folder.db, 0)
  expect(newest()).toBe(1000)
  repeatRow('error_groups', 1, { hash: "'f'" })
  expect(newest()).toBe(1000)
})

it(`one answer counts the newest ${MAX_COUNTED_TRACES} traces, and says that there are more`, () => {
  folder.receive(transactionEnvelope(DSN).body, { receivedAt: NOW })
  folder.digest()
  const counted = () => {
    const { minutes, isPart } = readTraceMinutes(folder.db, null, NOW - 60_000)
    return [minutes.reduce((sum, { traces }) => sum + traces, 0), isPart]
  }
  repeatRow('traces', 19_999, { list_position: 'r.list_position + n' })
  expect(counted()).toEqual([20_000, false])
  repeatRow('traces', 1, { list_position: 'r.list_position + 20000 + n' })
  expect(counted()).toEqual([20_000, true])
})

it(`discards that SDKs reported are those of the newest ${MAX_COUNTED_DISCARDS} rows, up to a record`, () => {
  const report = { discarded_events: [{ reason: 'queue_overflow', category: 'span', quantity: 4 }] }
  folder.receive(`{}\n{"type":"client_report"}\n${JSON.stringify(report)}`, { receivedAt: NOW })
  folder.digest()
  const [found] = readDiscards(folder.db, 1000, NOW - 60_000)
  expect(found).toEqual({ at: NOW, category: 'span', reason: 'queue_overflow', quantity: 4 })
  expect(readDiscards(folder.db, 0, NOW - 60_000)).toEqual([])
  expect(readDiscards(folder.db, 1000, NOW + 1)).toEqual([])
  repeatRow('signals', 1, { key: "'cut'", fields: `'{"reason":"x","category"'` })
  expect(readDiscards(folder.db, 1000, 0)).toHaveLength(1)
  repeatRow('signals', 1000, { key: "'n' || n", journal: 'r.journal' })
  expect(readDiscards(folder.db, 1000, 0).length).toBeLessThanOrEqual(1000)
  expect(readDiscards(folder.db, 1000, 0).length).toBeGreaterThan(900)
})
