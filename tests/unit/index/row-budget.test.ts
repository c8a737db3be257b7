import { describe, expect, it } from 'vitest'
import { MOST_BREADCRUMBS } from '../../../lib/protocol/items/event'
import { MOST_VALUES } from '../../../lib/protocol/parse-json'
import { SIZE_LIMITS } from '../../../lib/protocol/size-limits'
import type { ItemRow, RowVisitor } from '../../../lib/protocol/traversal/rows'
import { MOST_ROWS, traverseEnvelope } from '../../../lib/protocol/traversal/traverse-envelope'

/** An item type and its payload. */
type Item = readonly [type: string, payload: string]

/** The number of rows from the items of one envelope, and the problem of each item. */
function digest(...sent: readonly Item[]): {
  readonly rows: number
  readonly events: number
  readonly problems: readonly (string | null)[]
} {
  const items: ItemRow[] = []
  let [rows, events] = [0, 0]
  const nothing = (): void => undefined
  const count = (): void => {
    rows += 1
  }
  const counting: RowVisitor = {
    envelope: nothing,
    segment: nothing,
    span: count,
    signal: count,
    event: (_event, breadcrumbs) => {
      events += 1
      rows += breadcrumbs.length
    },
    item: (row) => items.push(row),
  }
  const lines = sent.map(([type, payload]) => `\n{"type":"${type}"}\n${payload}`)
  const body = Buffer.from(`{"event_id":"${'a'.repeat(32)}"}${lines.join('')}`)
  const recorded = { seq: 1, journal: 1, receivedAt: 1, endpoint: 'envelope' as const, copy: false, stamp: null, body }
  traverseEnvelope(recorded, counting, 2, SIZE_LIMITS)
  return { rows, events, problems: items.map((item) => item.problem) }
}

const several = (entry: string, count: number): string => `[${Array.from({ length: count }, () => entry).join(',')}]`
const items = (count: number, entry = '{}'): string => `{"items":${several(entry, count)}}`
const SPAN = `{"trace_id":"${'a'.repeat(32)}","span_id":"${'b'.repeat(16)}","start_timestamp":1}`
const transaction = (children: number): string =>
  `{"contexts":{"trace":${SPAN}},"timestamp":1,"spans":${several(SPAN, children)}}`
const beyond = (count: number): string =>
  `its last ${count} entries are not listed: a record becomes at most 20000 rows`

describe('a record', () => {
  it.each<[string, string, (rows: number) => string]>([
    ['logs', 'log', items],
    ['metrics', 'trace_metric', items],
    ['streamed spans', 'span', (rows) => items(rows, SPAN)],
    ['counts of sessions', 'sessions', (rows) => `{"aggregates":${several('{}', rows)}}`],
    [
      'discarded events',
      'client_report',
      (rows) => `{"filtered_events":[{}],"discarded_events":${several('{}', rows - 1)}}`,
    ],
    ['reports of a policy', 'raw_security', (rows) => several('{"csp-report":{}}', rows)],
  ])('gets at most 20,000 rows of %s, and its item reports the rest', (_what, type, payloadOf) => {
    expect(digest([type, payloadOf(MOST_ROWS)])).toMatchObject({ rows: MOST_ROWS, problems: [null] })
    expect(digest([type, payloadOf(MOST_ROWS + 1)])).toMatchObject({ rows: MOST_ROWS, problems: [beyond(1)] })
  })

  it('gets at most 20,000 child spans of a transaction', () => {
    expect(digest(['transaction', transaction(MOST_ROWS)])).toMatchObject({ rows: MOST_ROWS + 1, problems: [null] })
    expect(digest(['transaction', transaction(MOST_ROWS + 5)])).toMatchObject({ problems: [beyond(5)] })
  })

  it('gets at most 20,000 rows from all items together, at least one from each', () => {
    const found = digest(
      ['log', items(MOST_ROWS - 1)],
      ['span', items(3, SPAN)],
      ['trace_metric', items(2)],
      ['session', '{"sid":"s"}'],
    )
    expect(found).toEqual({ rows: MOST_ROWS + 2, events: 0, problems: [null, beyond(2), beyond(1), null] })
  })

  it('keeps the last breadcrumbs of an event, and the event after any number of logs', () => {
    const event = `{"breadcrumbs":${several('{}', MOST_BREADCRUMBS + 1)}}`
    expect(digest(['event', event])).toMatchObject({ rows: MOST_BREADCRUMBS, events: 1 })
    expect(digest(['log', items(MOST_ROWS)], ['event', event])).toMatchObject({ rows: MOST_ROWS + 1, events: 1 })
  })

  it('is parsed up to a number of JSON values in all items; other payloads do not count', () => {
    const profile = `{"profile":{"samples":${several('{}', MOST_VALUES - 1000)}}}`
    const file: Item = ['attachment', ','.repeat(MOST_VALUES)]
    const tooMany = `the payload and those before it in its record hold more than ${MOST_VALUES} values`
    expect(digest(file, ['profile', profile], ['log', items(900)]).problems).toEqual([null, null, null])
    expect(digest(file, ['profile', profile], ['log', items(1100)]).problems).toEqual([null, null, tooMany])
    expect(digest(['profile', several('{}', MOST_VALUES)]).problems).toEqual([tooMany])
  })
})
