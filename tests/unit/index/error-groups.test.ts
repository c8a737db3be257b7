import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest'
import { readErrorGroup } from '../../../collector/index/lists/read-error-group'
import {
  countNewGroups,
  MOST_GROUP_VALUES,
  readErrorGroups,
  readGroupValues,
} from '../../../collector/index/lists/read-error-groups'
import { readEvent } from '../../../collector/index/lists/read-events'
import { readValues } from '../../../collector/index/lists/read-values'
import { markSetting } from '../../../collector/spool/spool'
import { readQuery } from '../../../lib/filter/query'
import { SIZE_LIMITS } from '../../../lib/protocol/size-limits'
import { type ErrorGroup, errorGroupDetailSchema, errorGroupsPageSchema } from '../../../lib/wire/error-groups'
import type { ListFilter } from '../../../lib/wire/list-filter'
import { NEWEST, readCursor } from '../../../lib/wire/list-paging'
import { removeFolders } from '../spool/in-process-spool'
import { pagesOf, RecordedFolder } from './recorded-folder'
import { rowsInMemory } from './rows-in-memory'

const NOW = 1_795_000_000_000
const SECOND = NOW / 1000

afterAll(removeFolders)

let folder: RecordedFolder
beforeEach(() => {
  folder = new RecordedFolder(() => NOW)
})
afterEach(() => folder.close())

interface Sent {
  readonly id: number
  readonly type?: string
  readonly value?: string
  readonly at?: number
  readonly fields?: object
}

const idOf = (id: number): string => id.toString(16).padStart(32, '0')

function receive(...sent: readonly Sent[]): readonly number[] {
  const seqs = folder.receiveAll(
    sent.map(({ id, type = 'TypeError', value = 'order 17 failed', at = SECOND, fields = {} }) => {
      const exception = { values: [{ type, value, mechanism: { type: 'generic', handled: false } }] }
      const event = { event_id: idOf(id), timestamp: at, platform: 'javascript', exception, ...fields }
      return {
        body: [{}, { type: 'event' }, event].map((line) => JSON.stringify(line)).join('\n'),
        given: { receivedAt: NOW },
      }
    }),
  )
  folder.digest()
  return seqs
}

const list = (filter: ListFilter = {}, sort: 'last' | 'count' = 'last', limit = 50) =>
  errorGroupsPageSchema.parse(readErrorGroups(folder.db, filter, NEWEST, { limit }, { sort, nowMs: NOW }))
const titles = (filter: ListFilter = {}, sort: 'last' | 'count' = 'last'): readonly string[] =>
  list(filter, sort).groups.map(({ title }) => title)
const only = (): ErrorGroup => {
  const [group, ...others] = list().groups
  if (group === undefined || others.length > 0) throw new Error(`${others.length + 1} groups instead of one`)
  return group
}
const detail = (hash: string) => {
  const found = readErrorGroup(folder.db, SIZE_LIMITS, hash, NOW)
  return found === null ? null : errorGroupDetailSchema.parse(found)
}
const mark = (hash: string, muted: boolean, note: string | null = null): void => {
  folder.spool.writer.commit(() => folder.spool.writer.saveSetting(markSetting(hash), JSON.stringify({ muted, note })))
}

it('groups are new by their first event, unless they are muted', () => {
  receive({ id: 1, at: SECOND - 7200 }, { id: 2, at: SECOND }, { id: 3, type: 'RangeError' }, { id: 4, type: 'Error' })
  const since = NOW - 3_600_000
  expect(countNewGroups(folder.db, since)).toBe(2)
  mark(list().groups[0]?.hash ?? '', true)
  expect(countNewGroups(folder.db, since)).toBe(1)
})

describe('a group of errors', () => {
  it('counts its events by minute, service, release, environment, trace and whether they were handled', () => {
    const inTrace = (trace: string, release: string) => ({
      release,
      environment: 'production',
      contexts: { trace: { trace_id: trace.repeat(32), span_id: 'b'.repeat(16) } },
    })
    receive(
      { id: 1, at: SECOND - 7200, fields: inTrace('a', '1.0') },
      { id: 2, value: 'order 18 failed', at: SECOND - 61, fields: inTrace('a', '1.1') },
      { id: 3, value: 'order 19 failed', at: SECOND, fields: { ...inTrace('c', '1.1'), level: 'fatal' } },
    )
    const group = only()
    expect(group).toMatchObject({
      type: 'TypeError',
      value: 'order 19 failed',
      title: 'TypeError: order <int> failed',
      level: 'fatal',
      count: 3,
      handled: 0,
      unhandled: 3,
      firstSeenUs: (SECOND - 7200) * 1e6,
      lastSeenUs: SECOND * 1e6,
      services: { values: [{ value: 'browser', count: 3 }], distinct: 1 },
      releases: {
        values: [
          { value: '1.1', count: 2 },
          { value: '1.0', count: 1 },
        ],
        distinct: 2,
      },
      environments: { values: [{ value: 'production', count: 3 }], distinct: 1 },
      traces: 2,
      isNew: false,
      muted: false,
      newestEventId: idOf(3),
    })
    const bars = group.bars.flatMap((count, minute) => (count === 0 ? [] : [[minute, count]]))
    expect(bars).toEqual([
      [58, 1],
      [59, 1],
    ])
  })

  it('is new when its first event is less than an hour old', () => {
    receive({ id: 1, at: SECOND - 3599 }, { id: 2, type: 'OldError', at: SECOND - 3601 })
    expect(list().groups.map(({ type, isNew }) => [type, isNew])).toEqual([
      ['OldError', false],
      ['TypeError', true],
    ])
  })

  it('starts at its first stored event, and is gone with the last one', async () => {
    const [first = 0, second = 0] = receive({ id: 1, at: SECOND - 100 }, { id: 2 })
    await folder.evict([first])
    expect(only()).toMatchObject({ count: 1, firstSeenUs: SECOND * 1e6, traces: 0 })
    await folder.evict([second])
    expect(list().groups).toEqual([])
    expect(folder.db.prepare('SELECT count(*) FROM error_group_values').pluck().get()).toBe(0)
  })

  it('goes back in the list when its last arrival is evicted', async () => {
    receive({ id: 1 }, { id: 2, type: 'OtherError' })
    const [last = 0] = receive({ id: 3 })
    expect(titles()).toEqual(['TypeError: order <int> failed', 'OtherError: order <int> failed'])
    await folder.evict([last])
    expect(titles()).toEqual(['OtherError: order <int> failed', 'TypeError: order <int> failed'])
  })

  it('loses an event that a later one with the same id replaces', () => {
    receive({ id: 1, at: SECOND - 5 }, { id: 2 })
    receive({ id: 1, type: 'OtherError' })
    expect(list().groups.map(({ type, count }) => [type, count])).toEqual([
      ['OtherError', 1],
      ['TypeError', 1],
    ])
  })
})

describe('the list of groups', () => {
  it('is ordered by last arrival or by number of events, in pages of any size', () => {
    receive(...Array.from({ length: 12 }, (_, id) => ({ id, type: `E${'abcde'[id % 5]}Error`, value: 'v' })))
    const paged = (sort: 'last' | 'count', limit: number) =>
      pagesOf((cursor) =>
        readErrorGroups(folder.db, {}, readCursor(cursor) ?? NEWEST, { limit }, { sort, nowMs: NOW }),
      ).flatMap(({ groups }) => groups.map(({ type, count }) => `${type} ${count}`))
    const byArrival = ['EbError 3', 'EaError 3', 'EeError 2', 'EdError 2', 'EcError 2']
    expect(paged('last', 2)).toEqual(byArrival)
    expect(paged('last', 50)).toEqual(byArrival)
    const byCount = paged('count', 1)
    expect(byCount.map((text) => text.slice(-1))).toEqual(['3', '3', '2', '2', '2'])
    expect([...byCount].sort()).toEqual([...byArrival].sort())
  })

  it('filters by a value of any event, and by the words of the newest', () => {
    receive(
      { id: 1, fields: { release: '1.0', environment: 'staging' } },
      { id: 2, fields: { release: '2.0', environment: 'production', level: 'warning' } },
      { id: 3, type: 'OtherError', value: 'card refused', at: SECOND - 60, fields: { release: '2.0' } },
    )
    const [order, card] = ['TypeError: order <int> failed', 'OtherError: card refused']
    expect(titles({ release: '1.0' })).toEqual([order])
    expect(titles({ release: '2.0' })).toEqual([card, order])
    expect(titles({ release: '1.0', environment: 'production' })).toEqual([order])
    expect(titles({ level: 'warn' })).toEqual([order])
    expect(titles({ handled: false })).toEqual([card, order])
    expect(titles({ handled: null })).toEqual([])
    expect(titles({ service: 'server' })).toEqual([])
    expect(titles({ text: ['card'] })).toEqual([card])
    expect(titles({ untilUs: (SECOND - 30) * 1e6 })).toEqual([card])
    expect(titles({ sinceUs: (SECOND - 30) * 1e6 })).toEqual([order])
  })

  it('is found by a query with other values, negations, beginnings and exact texts', () => {
    receive(
      { id: 1, type: 'A', fields: { release: 'shop@1.0' } },
      { id: 2, type: 'B', fields: { release: 'shop@1.1' } },
      { id: 3, type: 'C', value: 'the order was paid', fields: { release: 'cart@1.0' } },
    )
    const found = (query: string) => {
      const { filter, problems } = readQuery('errors', query, NOW)
      return [...titles(filter).map((title) => title[0]), ...problems.map(({ message }) => message)].join('')
    }
    expect(found('release:shop@1.0 release:cart@1.0')).toBe('CA')
    expect(found('-release:shop@1.0')).toBe('CB')
    expect(found('release:shop@*')).toBe('BA')
    expect(found('-release:shop@*')).toBe('C')
    expect(found('"order was paid"')).toBe('C')
    expect(found('order -paid')).toBe('BA')
    mark(list().groups[0]?.hash ?? '', true)
    expect(found('')).toBe('BA')
    expect(found('muted:only')).toBe('C')
    expect(found('muted:all')).toBe('CBA')
    expect(readValues(folder.db, 'errors', 'release', { kind: null, own: undefined }).values).toEqual([
      { value: 'cart@1.0', count: 1 },
      { value: 'shop@1.0', count: 1 },
      { value: 'shop@1.1', count: 1 },
    ])
  })

  it('hides muted groups, and says how many there are', () => {
    receive({ id: 1 }, { id: 2, type: 'OtherError' })
    const [other] = list().groups
    mark(other?.hash ?? '', true, 'of a library')
    mark('f'.repeat(32), true)
    expect(titles()).toEqual(['TypeError: order <int> failed'])
    expect(list().mutedCount).toBe(1)
    expect(list({ muted: 'only' }).groups.map(({ muted, note }) => [muted, note])).toEqual([[true, 'of a library']])
    expect(titles({ muted: 'all' })).toHaveLength(2)
  })
})

describe('the page of a group', () => {
  it('has the reason, the distinct messages, the newest events and the share of tags', () => {
    receive(
      {
        id: 1,
        value: 'order 17 failed\nin Berlin',
        at: SECOND - 2,
        fields: { fingerprint: ['shop'], tags: { shop: 'north' } },
      },
      { id: 2, value: 'card refused', at: SECOND - 1, fields: { fingerprint: ['shop'], tags: { shop: 'north' } } },
      { id: 3, value: 'card refused', fields: { fingerprint: ['shop'], tags: { shop: 'south', page: 'cart' } } },
    )
    const found = detail(only().hash)
    expect(found?.why.variant).toBe('fingerprint')
    expect(found?.why.variants[0]?.parts).toEqual([
      { kind: 'fingerprint', exception: null, text: 'shop', counts: true, hint: null },
    ])
    expect(found?.messages).toEqual({
      values: [
        { value: 'TypeError: card refused', count: 2, eventId: idOf(3) },
        { value: 'TypeError: order <int> failed\nin Berlin', count: 1, eventId: idOf(1) },
      ],
      distinct: 2,
    })
    expect(found?.wholeMessages.values.map(({ value }) => value)).toContain('TypeError: order 17 failed\nin Berlin')
    expect(found?.events.map(({ eventId }) => eventId)).toEqual([idOf(3), idOf(2), idOf(1)])
    expect(found?.sampled).toBe(3)
    expect(found?.tags).toEqual([
      {
        key: 'shop',
        count: 3,
        values: {
          values: [
            { value: 'north', count: 2 },
            { value: 'south', count: 1 },
          ],
          distinct: 2,
        },
      },
      { key: 'page', count: 1, values: { values: [{ value: 'cart', count: 1 }], distinct: 1 } },
    ])
    expect(detail('0'.repeat(32))).toBeNull()
  })

  it('lists 50 messages, 50 tags, and 10 values of each', () => {
    const tags = Object.fromEntries(Array.from({ length: 60 }, (_, n) => [`tag${n}`, 'x']))
    const word = (n: number): string =>
      `w${String.fromCharCode(97 + (n % 26))}${String.fromCharCode(97 + Math.floor(n / 26))}`
    receive(
      ...Array.from({ length: 55 }, (_, id) => ({
        id,
        value: word(id),
        fields: { fingerprint: ['one'], tags: { ...tags, tag0: String(id) } },
      })),
    )
    const found = detail(only().hash)
    expect([found?.messages.values.length, found?.messages.distinct]).toEqual([50, 55])
    expect([found?.wholeMessages.values.length, found?.wholeMessages.distinct]).toEqual([50, 55])
    expect(found?.tags.length).toBe(50)
    expect(found?.tags.find(({ key }) => key === 'tag0')?.values.values.length).toBe(10)
  })

  it('lists 50 events and reads the tags of 200', () => {
    receive(...Array.from({ length: 230 }, (_, id) => ({ id, at: SECOND - id, fields: { tags: { n: String(id) } } })))
    const found = detail(only().hash)
    expect([found?.events.length, found?.sampled, found?.tags[0]?.values.distinct, found?.count]).toEqual([
      50, 200, 200, 230,
    ])
  })

  it('reads at most 8 MiB of records for tags', () => {
    const extra = { large: 'x'.repeat(900_000) }
    receive(...Array.from({ length: 12 }, (_, id) => ({ id, fields: { extra, tags: { n: String(id) } } })))
    expect(detail(only().hash)?.sampled).toBe(9)
  })
})

it('counts at most 5000 values of a group', () => {
  const { db } = rowsInMemory()
  const insert = db.prepare("INSERT INTO error_group_values VALUES ('h', 'release', ?, 1)")
  for (let n = 0; n <= MOST_GROUP_VALUES; n += 1) insert.run(`1.${n}`)
  expect(readGroupValues(db, 'h')('release')).toHaveLength(5000)
})

it('ends the hour of a saved run with the receipt of its newest envelope', () => {
  receive({ id: 1, at: SECOND - 60 })
  const page = readErrorGroups(folder.db, {}, NEWEST, { limit: 1 }, { sort: 'last', nowMs: null })
  expect([page.now, page.groups[0]?.bars[58], page.groups[0]?.isNew]).toEqual([NOW, 1, true])
})

it('an event names its group and its neighbours in it by time', () => {
  receive(
    { id: 1, at: SECOND - 2 },
    { id: 2, at: SECOND - 1 },
    { id: 3 },
    { id: 4, type: 'OtherError', at: SECOND - 1 },
  )
  const groupOf = (id: number) => readEvent(folder.db, SIZE_LIMITS, idOf(id))?.group
  const { hash } = list({ text: ['TypeError'.toLowerCase()] }).groups[0] ?? { hash: '' }
  expect(groupOf(1)).toEqual({ hash, older: null, newer: idOf(2) })
  expect(groupOf(2)).toEqual({ hash, older: idOf(1), newer: idOf(3) })
  expect(groupOf(3)).toEqual({ hash, older: idOf(2), newer: null })
  expect(groupOf(4)).toMatchObject({ older: null, newer: null })
})
