import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { FULL_PAGE_CHARACTERS } from '../../../collector/index/traces/read-spans'
import type { SubmissionRow } from '../../../collector/spool/read/read-submissions'
import type { ListFilter } from '../../../lib/wire/list-filter'
import { Folder } from './folder'
import { recordOf } from './random-records'
import { spanPages } from './span-pages'

const TRACE = 'a'.repeat(32)
const START = 1_795_000_000

let folder: Folder
beforeEach(() => {
  folder = new Folder()
})
afterEach(() => folder.remove())

const list = (filter: ListFilter): readonly string[] =>
  spanPages(folder, filter, 200).flatMap((page) => page.map((span) => span.name))

interface Drawn {
  readonly name: string
  readonly op?: string
  readonly status?: string
  readonly from?: number
  readonly ms?: number
  readonly data?: object
}

let lastId = 0
beforeEach(() => {
  lastId = 0
})
const nextId = (): string => {
  lastId += 1
  return lastId.toString(16).padStart(16, '0')
}

function transaction(
  seq: number,
  of: Drawn & { readonly at?: object },
  children: readonly Drawn[] = [],
): SubmissionRow {
  const span = ({ name, op, status, from = 0, ms = 10, data }: Drawn) => ({
    span_id: nextId(),
    description: name,
    op,
    status,
    start_timestamp: START + from,
    timestamp: START + from + ms / 1000,
    data,
  })
  const { description, start_timestamp, timestamp, ...own } = span(of)
  const payload = {
    transaction: description,
    start_timestamp,
    timestamp,
    contexts: { trace: { trace_id: TRACE, ...own } },
    spans: children.map(span),
    ...of.at,
  }
  return recordOf(`{}\n{"type":"transaction"}\n${JSON.stringify(payload)}`, seq, 'tunnel')
}

function container(seq: number, spans: readonly (Drawn & { readonly at?: Readonly<Record<string, string>> })[]) {
  const items = spans.map(({ name, op, status, from = 0, ms = 10, at = {} }) => ({
    trace_id: TRACE,
    span_id: nextId(),
    name,
    status,
    start_timestamp: START + from,
    end_timestamp: START + from + ms / 1000,
    attributes: Object.fromEntries(
      Object.entries({ ...at, ...(op !== undefined && { 'sentry.op': op }) }).map(([key, value]) => [
        key,
        { value, type: 'string' },
      ]),
    ),
  }))
  return recordOf(`{}\n{"type":"span"}\n${JSON.stringify({ items })}`, seq, 'tunnel')
}

describe('the list of spans', () => {
  it('has the newest record first, and within a record the order sent', () => {
    folder.take([
      transaction(1, { name: 'a' }, [{ name: 'b' }, { name: 'c' }]),
      container(2, [{ name: 'd' }, { name: 'e' }]),
    ])
    expect(list({})).toEqual(['d', 'e', 'a', 'b', 'c'])
    expect(spanPages(folder, {}, 2).map((page) => page.map(({ name }) => name))).toEqual([
      ['d', 'e'],
      ['a', 'b'],
      ['c'],
    ])
  })

  it.each<[string, ListFilter, readonly string[]]>([
    ['op', { op: 'db' }, ['query']],
    ['name', { name: '/cart' }, ['/cart']],
    ['status ok', { status: 'ok' }, ['/cart']],
    ['status error', { status: 'error' }, ['paint']],
    ['status unset', { status: 'unset' }, ['query', 'late']],
    ['at least so long', { minDurationUs: 250_000 }, ['paint']],
    ['at most so long', { maxDurationUs: 9_999 }, ['late']],
    ['since', { sinceUs: (START + 60) * 1_000_000 }, ['late']],
    ['until', { untilUs: (START + 1) * 1_000_000 }, ['/cart', 'query', 'paint']],
    ['environment', { environment: 'test' }, ['paint']],
    ['environment of its transaction', { environment: 'production' }, ['/cart', 'query', 'late']],
    ['release', { release: 'shop@2' }, ['paint']],
    ['service', { service: 'python' }, ['/cart', 'query', 'late']],
    ['a word of its name', { text: ['que'] }, ['query']],
    ['a word of an attribute', { text: ['orders'] }, ['query']],
    ['words that are not of one span', { text: ['orders', 'paint'] }, []],
    ['several at once', { op: 'db', status: 'unset', environment: 'production' }, ['query']],
    ['nothing that there is', { op: 'http' }, []],
    ['a trace that is not here', { trace: 'b'.repeat(32) }, []],
  ])('filters by %s', (_what, filter, names) => {
    folder.take([
      container(1, [
        { name: 'paint', ms: 250, status: 'error', at: { 'sentry.environment': 'test', 'sentry.release': 'shop@2' } },
      ]),
      transaction(2, { name: '/cart', status: 'ok', at: { platform: 'python', environment: 'production' } }, [
        { name: 'query', op: 'db', data: { table: 'Orders' } },
        { name: 'late', from: 60, ms: 5 },
      ]),
    ])
    expect([...list(filter)].sort()).toEqual([...names].sort())
  })

  it('filters by segment and by the stamp of the record', () => {
    folder.take([
      { ...transaction(1, { name: 'a' }, [{ name: 'b' }]), stamp: 'ci-1' },
      { ...transaction(2, { name: 'c' }, [{ name: 'd' }]), stamp: 'ci-2' },
    ])
    expect(list({ stamp: 'ci-1' })).toEqual(['a', 'b'])
    expect(list({ stamp: 'ci-2', trace: TRACE })).toEqual(['c', 'd'])
    expect(list({ stamp: 'ci-3' })).toEqual([])
    expect(list({ trace: TRACE, segment: (3).toString(16).padStart(16, '0') })).toEqual(['c', 'd'])
  })

  it('filters spans of a transaction by the environment of their segment, not by their own', () => {
    const own = { 'sentry.environment': 'other', 'sentry.release': '2' }
    folder.take([
      transaction(1, { name: 'a', at: { environment: 'test', release: '1' } }, [{ name: 'b', data: own }]),
      container(2, [{ name: 'c', at: own }]),
    ])
    expect(list({ environment: 'test' })).toEqual(['a', 'b'])
    expect(list({ release: '1' })).toEqual(['a', 'b'])
    expect(list({ environment: 'other' })).toEqual(['c'])
    const shown = spanPages(folder, {}, 50).flat()
    expect(shown.map(({ name, environment }) => [name, environment])).toEqual([
      ['c', 'other'],
      ['a', 'test'],
      ['b', 'test'],
    ])
  })

  it('filters by the environment of each of two transactions with one segment id', () => {
    const [one, other] = ['test', 'production'].map((environment, n) => {
      lastId = n
      const trace = { trace_id: TRACE, span_id: '1'.repeat(16) }
      const span = { span_id: nextId(), description: environment, start_timestamp: START, timestamp: START + 1 }
      const payload = { environment, start_timestamp: START, timestamp: START + 1, contexts: { trace }, spans: [span] }
      return `{"type":"transaction"}\n${JSON.stringify(payload)}`
    })
    folder.take([recordOf(`{}\n${one}\n${other}`, 1, 'tunnel')])
    expect(list({ environment: 'test' })).toContain('test')
    expect(list({ environment: 'production' })).toContain('production')
  })

  it('has environment, release and delivery status of each span', () => {
    folder.take([transaction(1, { name: 'a', at: { environment: 'test', release: '1' } }, [{ name: 'b' }])])
    expect(spanPages(folder, {}, 50)[0]?.[1]).toMatchObject({
      traceId: TRACE,
      environment: 'test',
      release: '1',
      journal: 10,
      receivedAt: 1_795_000_000_001,
      deliveryStatus: { name: 'pending' },
    })
  })

  it('ends a page that takes too long and continues there', () => {
    folder.take(Array.from({ length: 6 }, (_, n) => transaction(n + 1, { name: `${n + 1}` }, [{ name: 'child' }])))
    let clock = 0
    const slow = () => {
      clock += 30
      return clock
    }
    const read = spanPages(folder, { name: '1' }, 50, slow)
    expect(read.length).toBeGreaterThan(2)
    expect(read.flat().map(({ name }) => name)).toEqual(['1'])
    expect(spanPages(folder, {}, 50, slow).flat()).toHaveLength(12)
  })

  it('continues correctly wherever a page ends within a record of several items', () => {
    const spans = (from: number) => Array.from({ length: 2600 }, (_, n) => ({ name: `${from + n}` }))
    const items = [spans(0), spans(2600)].map((some) => new TextDecoder().decode(container(2, some).body).slice(3))
    folder.take([
      container(1, [{ name: 'first' }]),
      recordOf(`{}\n{"type":"attachment","length":2}\nhi\n${items.join('\n')}`, 2, 'tunnel'),
      recordOf(`{}\n{"type":"attachment","length":2}\nhi\n${items.join('\n')}`, 3, 'stream'),
    ])
    expect(spanPages(folder, { op: 'none' }, 50).flat()).toEqual([])
    const names = list({})
    expect(names.at(-1)).toBe('first')
    expect(names).toHaveLength(5201)
    expect(new Set(names).size).toBe(5201)
  })

  it('ends a page at 4 MiB of JSON', () => {
    const long = Array.from({ length: 12 }, (_, n) => ({ name: `${n}`, data: { said: 'a'.repeat(500_000) } }))
    folder.take(long.map((one, n) => transaction(n + 1, one)))
    const pages = spanPages(folder, {}, 200).map((page) => page.length)
    expect(pages).toEqual([9, 3])
    expect(FULL_PAGE_CHARACTERS).toBe(4 * 1024 * 1024)
  })

  it('ends a page within a record when choosing among repeated spans takes too long', () => {
    const same = Array.from({ length: 5 }, (_, n) => ({ name: `${n}` }))
    folder.receive(
      Array.from({ length: 12 }, (_, n) => {
        lastId = 0
        return container(n + 1, same)
      }),
    )
    folder.settle()
    let clock = 0
    const read = spanPages(folder, {}, 50, () => {
      clock += 30
      return clock
    })
    expect(read.flat().map(({ name, seq }) => `${name} of ${seq}`)).toEqual(same.map(({ name }) => `${name} of 12`))
    expect(read.every((page) => page.length <= 2)).toBe(true)
  })
})
