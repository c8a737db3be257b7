import { expect, it } from 'vitest'
import type { SubmissionRow } from '../../../collector/spool/read/read-submissions'
import { seededRandom } from '../protocol/seeded-random'
import { randomRecords, recordOf } from './random-records'
import { dump, rowsInMemory, rowsOf } from './rows-in-memory'

/** Columns that depend on the order of arrival. The key of a log is one, because logs have no id. */
const OF_ARRIVAL = new Set(['digested_at', 'journal', 'received_at', 'seq', 'last_seq', 'key', 'list_position'])

const textOf = (record: SubmissionRow): string => new TextDecoder().decode(record.body)

/** The same bodies at the same endpoints, received in another order. */
function shuffled(records: readonly SubmissionRow[], random: () => number): readonly SubmissionRow[] {
  const order = records
    .map((record) => ({ record, at: random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ record }) => record)
  return order.map((record, index) => ({
    ...recordOf(textOf(record), index + 1, record.endpoint),
    stamp: record.stamp,
  }))
}

/** `repeats` has such columns inside its JSON; a table of terms has them as row ids. */
function contents(records: readonly SubmissionRow[], batch: number): Readonly<Record<string, readonly string[]>> {
  const { repeats, trace_records: _told, ...tables } = dump(rowsOf(records, batch).db, OF_ARRIVAL)
  const waiting = (repeats ?? []).map((row) =>
    row.replace(/\\"(?:seq|journal|receivedAt|key|listPosition)\\":[^,}]+/g, ''),
  )
  const terms = ['trace_terms', 'segment_terms', 'record_terms'].map((index) => [
    index,
    (tables[index] ?? []).map((answer) => answer.replace(/ \d+$/, '')).sort(),
  ])
  return { ...tables, ...Object.fromEntries(terms), repeats: waiting.sort() }
}

it.each(Array.from({ length: 25 }, (_, index) => index + 1))(
  'arrival order does not change the rows (seed %i)',
  (seed) => {
    const random = seededRandom(seed)
    const records = randomRecords(50, seed, false)
    const straight = contents(records, 64)
    for (const batch of [64, 5]) expect(contents(shuffled(records, random), batch)).toEqual(straight)
  },
)

it('arrival order shows the later of two contributions with the same timestamp', () => {
  const event = (message: string) =>
    `{}\n{"type":"event"}\n{"event_id":"${'a'.repeat(32)}","timestamp":1795000000,"message":"${message}"}`
  const rows = rowsOf([recordOf(event('first'), 1, 'tunnel'), recordOf(event('second'), 2, 'tunnel')])
  expect(rows.db.prepare('SELECT title FROM events').pluck().all()).toEqual(['second'])
})

it('arrival order shows a relayed record instead of a copy, whichever came last', () => {
  const event = (message: string, at: number) =>
    `{}\n{"type":"event"}\n{"event_id":"${'a'.repeat(32)}","timestamp":${at},"message":"${message}"}`
  const path = recordOf(event('path', 1_795_000_000), 1, 'tunnel')
  const copy = recordOf(event('copy', 1_795_000_009), 2, 'stream')
  const rows = rowsInMemory()
  const shown = () => rows.db.prepare('SELECT title, copy FROM events').all()
  rows.digest([path, copy])
  expect(shown()).toEqual([{ title: 'path', copy: 'also' }])
  rows.erase([path])
  expect(shown()).toEqual([{ title: 'copy', copy: 'only' }])
})

it('arrival order keeps only the breadcrumbs of the visible event', () => {
  const event = (at: number, steps: readonly string[]) =>
    [
      '{}',
      '{"type":"event"}',
      JSON.stringify({ event_id: 'a'.repeat(32), timestamp: at, breadcrumbs: steps.map((message) => ({ message })) }),
    ].join('\n')
  const long = recordOf(event(1_795_000_000, ['one', 'two', 'three']), 1, 'tunnel')
  const short = recordOf(event(1_795_000_001, ['four']), 2, 'tunnel')
  const rows = rowsInMemory()
  const steps = () => rows.db.prepare('SELECT message FROM breadcrumbs ORDER BY position').pluck().all()
  rows.digest([long, short])
  expect(steps()).toEqual(['four'])
  rows.erase([short])
  expect(steps()).toEqual(['one', 'two', 'three'])
})
