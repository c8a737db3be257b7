import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openForReading } from '../../../collector/spool/open'
import { type ListPlace, NEWEST, readCursor } from '../../../collector/store/page'
import { readSpan, readSpans } from '../../../collector/store/read-spans'
import type { Wanted } from '../../../collector/store/wanted'
import type { SpoolRecord } from '../../../collector/walk/walk-record'
import { LIMITS } from '../../../lib/protocol/limits'
import { type SpanRow, spanDetailSchema, spansPageSchema } from '../../../lib/wire/span'
import { Folder } from './folder'
import { madeRecords, recordOf } from './made-records'
import { shownOf, type Told, toldIn } from './told-in'

const TRACE = 'a'.repeat(32)
const START = 1_795_000_000

let folder: Folder
beforeEach(() => {
  folder = new Folder()
})
afterEach(() => folder.remove())

/** Every page from the first to the last. @param now each look at the clock. */
function pages(wanted: Wanted, limit: number, now: () => number = () => 0): readonly (readonly SpanRow[])[] {
  const db = openForReading(folder.file('telemetry.db'))
  try {
    db.prepare('ATTACH ? AS spool').run(folder.file('spool.db'))
    const read: (readonly SpanRow[])[] = []
    for (let place: ListPlace | null = NEWEST; place !== null; ) {
      const page = spansPageSchema.parse(readSpans(db, { limits: LIMITS, now }, wanted, place, { cursor: null, limit }))
      read.push(page.spans)
      place = page.next === null ? null : readCursor(page.next)
    }
    return read
  } finally {
    db.close()
  }
}

const list = (wanted: Wanted): readonly string[] => pages(wanted, 200).flatMap((page) => page.map((span) => span.name))

interface Drawn {
  readonly name: string
  readonly op?: string
  readonly status?: string
  readonly from?: number
  readonly ms?: number
  readonly data?: object
}

let made = 0
beforeEach(() => {
  made = 0
})
const nextId = (): string => {
  made += 1
  return made.toString(16).padStart(16, '0')
}

function transaction(seq: number, of: Drawn & { readonly at?: object }, children: readonly Drawn[] = []): SpoolRecord {
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
  it('is the newest record first, and in a record as they were sent', () => {
    folder.receive([
      transaction(1, { name: 'a' }, [{ name: 'b' }, { name: 'c' }]),
      container(2, [{ name: 'd' }, { name: 'e' }]),
    ])
    folder.settle()
    expect(list({})).toEqual(['d', 'e', 'a', 'b', 'c'])
    expect(pages({}, 2).map((page) => page.map(({ name }) => name))).toEqual([['d', 'e'], ['a', 'b'], ['c']])
  })

  it.each<[string, Wanted, readonly string[]]>([
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
  ])('is narrowed by %s', (_what, wanted, names) => {
    folder.receive([
      container(1, [
        { name: 'paint', ms: 250, status: 'error', at: { 'sentry.environment': 'test', 'sentry.release': 'shop@2' } },
      ]),
      transaction(2, { name: '/cart', status: 'ok', at: { platform: 'python', environment: 'production' } }, [
        { name: 'query', op: 'db', data: { table: 'Orders' } },
        { name: 'late', from: 60, ms: 5 },
      ]),
    ])
    folder.settle()
    expect([...list(wanted)].sort()).toEqual([...names].sort())
  })

  it('is narrowed by segment, and by the stamp of the record', () => {
    folder.receive([
      { ...transaction(1, { name: 'a' }, [{ name: 'b' }]), stamp: 'ci-1' },
      { ...transaction(2, { name: 'c' }, [{ name: 'd' }]), stamp: 'ci-2' },
    ])
    folder.settle()
    expect(list({ stamp: 'ci-1' })).toEqual(['a', 'b'])
    expect(list({ stamp: 'ci-2', trace: TRACE })).toEqual(['c', 'd'])
    expect(list({ stamp: 'ci-3' })).toEqual([])
    expect(list({ trace: TRACE, segment: (3).toString(16).padStart(16, '0') })).toEqual(['c', 'd'])
  })

  it('says of each span where it was, and what became of its item', () => {
    folder.receive([transaction(1, { name: 'a', at: { environment: 'test', release: '1' } }, [{ name: 'b' }])])
    folder.settle()
    expect(pages({}, 50)[0]?.[1]).toMatchObject({
      traceId: TRACE,
      environment: 'test',
      release: '1',
      journal: 10,
      receivedAt: 1_795_000_000_001,
      fate: { name: 'pending' },
    })
  })

  it('ends a page when it has taken long, and goes on from there', () => {
    folder.receive(Array.from({ length: 6 }, (_, n) => transaction(n + 1, { name: `${n + 1}` }, [{ name: 'child' }])))
    folder.settle()
    let clock = 0
    const slow = () => {
      clock += 30
      return clock
    }
    const read = pages({ name: '1' }, 50, slow)
    expect(read.length).toBeGreaterThan(2)
    expect(read.flat().map(({ name }) => name)).toEqual(['1'])
    expect(pages({}, 50, slow).flat()).toHaveLength(12)
  })
})

describe('the pages of the list', () => {
  const placeOf = (told: Told): string => `${told.source.seq}.${told.source.item}.${told.place} ${told.span.spanId}`
  const FILTERS: readonly ((told: Told) => Wanted)[] = [
    () => ({}),
    ({ span }) => ({ trace: span.traceId }),
    ({ span }) => ({ service: span.service }),
    ({ span }) => ({ sinceUs: span.startUs }),
    ({ span }) => ({ untilUs: span.startUs + 1, service: span.service }),
    ({ span }) => ({ trace: span.traceId, sinceUs: span.startUs + 1 }),
    ({ span }) => ({ trace: span.traceId, ...(span.segmentId !== null && { segment: span.segmentId }) }),
  ]
  const isWanted = ({ span }: Told, { trace, service, sinceUs, untilUs, segment }: Wanted): boolean =>
    (trace === undefined || span.traceId === trace) &&
    (service === undefined || span.service === service) &&
    (segment === undefined || span.segmentId === segment) &&
    (sinceUs === undefined || span.startUs >= sinceUs) &&
    (untilUs === undefined || span.startUs < untilUs)

  it.each(Array.from({ length: 10 }, (_, index) => index + 1))(
    'hold each span that is shown once, and no other (seed %i)',
    (seed) => {
      const records = madeRecords(50, seed + 7000)
      folder.receive(records)
      folder.settle()
      const shown = [...shownOf(toldIn(records))].sort(
        (a, b) => b.source.seq - a.source.seq || a.source.item - b.source.item || a.place - b.place,
      )
      const [, , some] = shown
      if (some === undefined) throw new Error('nothing was drawn')
      for (const filter of FILTERS) {
        const wanted = filter(some)
        const read = pages(wanted, 3)
        expect(read.slice(0, -1).every((page) => page.length === 3)).toBe(true)
        expect(read.flat().map(({ seq, item, spanId }) => `${seq}.${item} ${spanId}`)).toEqual(
          shown.filter((told) => isWanted(told, wanted)).map((told) => placeOf(told).replace(/\.\d+ /, ' ')),
        )
      }
    },
  )
})

describe('one span', () => {
  function read(traceId: string, spanId: string) {
    const db = openForReading(folder.file('telemetry.db'))
    try {
      db.prepare('ATTACH ? AS spool').run(folder.file('spool.db'))
      const found = readSpan(db, LIMITS, traceId, spanId)
      return found === null ? null : spanDetailSchema.parse(found).span
    } finally {
      db.close()
    }
  }

  it('is found by its ids, as it is shown in its trace', () => {
    const records = madeRecords(40, 11)
    folder.receive(records)
    folder.settle()
    for (const { span, source } of shownOf(toldIn(records)))
      expect(read(span.traceId, span.spanId)).toMatchObject({
        traceId: span.traceId,
        spanId: span.spanId,
        endUs: span.endUs,
        seq: source.seq,
        item: source.item,
      })
  })

  it('is not found where its bytes stand across two others', () => {
    const ids = ['00000000000000aa', 'bb00000000000000']
    const items = ids.map((span_id) => ({ trace_id: TRACE, span_id, start_timestamp: START }))
    folder.receive([recordOf(`{}\n{"type":"span"}\n${JSON.stringify({ items })}`, 1, 'tunnel')])
    folder.settle()
    expect(read(TRACE, '000000000000aabb')).toBeNull()
    expect(read(TRACE, ids[1] ?? '')).not.toBeNull()
    expect(read('b'.repeat(32), ids[0] ?? '')).toBeNull()
  })
})
