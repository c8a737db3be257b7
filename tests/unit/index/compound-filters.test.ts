import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readEnvelopes } from '../../../collector/index/lists/read-envelopes'
import { readEvents } from '../../../collector/index/lists/read-events'
import { readLeftOut } from '../../../collector/index/lists/read-left-out'
import { readSegments } from '../../../collector/index/lists/read-segments'
import { readTraces } from '../../../collector/index/lists/read-traces'
import { readValues } from '../../../collector/index/lists/read-values'
import type { ListFilter } from '../../../lib/wire/list-filter'
import { NEWEST, readCursor } from '../../../lib/wire/list-paging'
import { removeFolders, submission } from '../spool/in-process-spool'
import { drawing } from './random-signals'
import { drawTraces, VALUES } from './random-traces'
import { pagesOf, RecordedFolder } from './recorded-folder'

const RECORDS = 90
const FILTERS = 60
const { facts } = submission()

afterAll(removeFolders)

describe.each([1, 2])('filters of several parts (seed %i)', (seed) => {
  const folder = new RecordedFolder()
  const draw = drawing(seed)
  beforeAll(() => {
    for (let n = 0; n < RECORDS; n += 1) {
      const { body, given } = drawTraces(draw)
      const page = draw.one([null, 'page-1', 'page-22'])
      const own = draw.below(4) === 0 ? { own: true as const } : {}
      folder.receive(body, { ...given, project: draw.one(['1', '2']), facts: { ...facts, page, ...own } })
    }
    folder.digest()
    return () => folder.close()
  })

  const at = (cursor: string | null) => readCursor(cursor) ?? NEWEST
  const page = () => ({ limit: 1 + draw.below(30) })
  const LISTS = {
    traces: (filter: ListFilter) =>
      pagesOf((cursor) => readTraces(folder.db, filter, at(cursor), page())).flatMap(({ traces }) =>
        traces.map(({ traceId }) => traceId),
      ),
    segments: (filter: ListFilter) =>
      pagesOf((cursor) => readSegments(folder.db, filter, at(cursor), page())).flatMap(({ segments }) =>
        segments.map(({ traceId, segmentId }) => `${traceId}/${segmentId}`),
      ),
    events: (filter: ListFilter) =>
      pagesOf((cursor) => readEvents(folder.db, filter, at(cursor), page())).flatMap(({ events }) =>
        events.map(({ eventId }) => eventId),
      ),
    envelopes: (filter: ListFilter) =>
      pagesOf((cursor) => readEnvelopes(folder.db, filter, at(cursor), page())).flatMap(({ envelopes }) =>
        envelopes.map(({ seq }) => String(seq)),
      ),
  }
  type List = keyof typeof LISTS

  const PARTS: Readonly<Record<List, readonly (() => ListFilter)[]>> = {
    traces: [
      () => ({ op: draw.one(VALUES.op) }),
      () => ({ name: draw.one(VALUES.name) }),
      () => ({ service: draw.one(VALUES.service) }),
      () => ({ status: draw.one(['ok', 'error', 'unset'] as const) }),
      () => ({ text: draw.one(VALUES.text) }),
      () => ({ stamp: draw.one(VALUES.stamp) }),
      () => ({ minDurationUs: draw.one(VALUES.durationUs) }),
      () => ({ sinceUs: draw.one(VALUES.us) }),
      () => ({ own: draw.one([true, false]) }),
      () => ({ page: draw.one(['page-1', 'page-22']) }),
      () => ({ project: draw.one(['1', '2']) }),
      () => ({ starts: { op: draw.one(['p', 'http', 'http.ser', 'queue.process', 'x']) } }),
      () => ({ starts: { name: draw.one(['GET', 'GET /checkou', '/', 'n']) } }),
      () => ({ phrases: [draw.one(['get /checkout', 'report', '/checkpoint', 'checkpo'])] }),
    ],
    segments: [
      () => ({ op: draw.one(VALUES.op) }),
      () => ({ lifecycle: draw.one(['static', 'stream'] as const) }),
      () => ({ page: draw.one(['page-1', 'page-22']) }),
      () => ({ starts: { service: draw.one(['b', 'serv', 'python']) } }),
      () => ({ starts: { page: draw.one(['page', 'page-2']) } }),
      () => ({ maxDurationUs: draw.one(VALUES.durationUs) }),
      () => ({ phrases: ['nightly report'] }),
    ],
    events: [
      () => ({ level: draw.one(['error', 'warning']) }),
      () => ({ starts: { level: draw.one(['e', 'WARN']) } }),
      () => ({ environment: draw.one(VALUES.environment) }),
      () => ({ starts: { release: draw.one(['shop@', 'shop@1.0.1', 'x']) } }),
      () => ({ text: draw.one(VALUES.text) }),
      () => ({ own: draw.one([true, false]) }),
      () => ({ project: draw.one(['1', '2']) }),
    ],
    envelopes: [
      () => ({ type: draw.one(['event', 'transaction', 'span']) }),
      () => ({ starts: { type: draw.one(['e', 'tran']) } }),
      () => ({ environment: draw.one(VALUES.environment) }),
      () => ({ starts: { environment: draw.one(['p', 'test']) } }),
      () => ({ own: draw.one([true, false]) }),
      () => ({ page: draw.one(['page-1', 'page-22']) }),
      () => ({ starts: { page: 'page-2' } }),
      () => ({ project: draw.one(['1', '2']) }),
      () => ({ stamp: draw.one(VALUES.stamp) }),
      () => ({ trace: '1'.padStart(32, '0') }),
      () => ({ deliveryStatus: draw.one(['pending', 'copy'] as const) }),
    ],
  }

  it.each(Object.keys(LISTS) as List[])('%s: each group, and no negated part, as the parts alone select', (name) => {
    const [read, part] = [LISTS[name], () => draw.one(PARTS[name])()]
    const all = read({})
    const alone = (of: ListFilter): ReadonlySet<string> => new Set(read(of))
    let selective = 0
    for (let n = 0; n < FILTERS; n += 1) {
      const [base, any, not] = [part(), draw.below(3) === 0 ? [[part(), part()]] : [], draw.below(2) ? [part()] : []]
      const ofBase = alone(base)
      const ofAny = any.map((group) => group.map(alone))
      const ofNot = not.map(alone)
      const expected = all.filter(
        (id) =>
          ofBase.has(id) &&
          ofAny.every((group) => group.some((one) => one.has(id))) &&
          !ofNot.some((one) => one.has(id)),
      )
      expect([base, any, not, read({ ...base, any, not })]).toEqual([base, any, not, expected])
      if (expected.length > 0 && expected.length < all.length) selective += 1
    }
    expect(selective).toBeGreaterThan(FILTERS / 6)
  })

  it('a beginning selects the values that begin so', () => {
    const rows = readSegments(folder.db, {}, NEWEST, { limit: 200 }).segments
    for (const start of ['p', 'http', 'http.serv', 'queue', 'none'])
      expect(LISTS.segments({ starts: { op: start } })).toHaveLength(
        rows.filter(({ op }) => op?.startsWith(start)).length,
      )
  })

  it('counts the values of the newest rows, and the own rows that a list leaves out', () => {
    const rows = readSegments(folder.db, { own: false }, NEWEST, { limit: 200 }).segments
    const { values } = readValues(folder.db, 'segments', 'op', { kind: null, own: false })
    const counted = Object.fromEntries(values.map(({ value, count }) => [value, count]))
    for (const op of VALUES.op) expect(counted[op] ?? 0).toBe(rows.filter((row) => row.op === op).length)
    const statuses = readValues(folder.db, 'traces', 'status', { kind: null, own: undefined }).values
    expect(statuses.map(({ value }) => value)).toContain('error')
    for (const { value, count } of statuses)
      expect([value, count]).toEqual([value, LISTS.traces({ status: value as 'ok' | 'error' | 'unset' }).length])
    for (const list of ['traces', 'segments', 'envelopes'] as const) {
      const { own, stored, ownIsAtLeast } = readLeftOut(folder.db, list, null)
      expect([list, own, stored, ownIsAtLeast]).toEqual([
        list,
        LISTS[list]({ own: true }).length,
        LISTS[list]({}).length,
        false,
      ])
    }
  })
})
