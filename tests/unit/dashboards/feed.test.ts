import { describe, expect, it } from 'vitest'
import { countNew, type FeedState, nextFeed, revealFeed } from '../../../dashboards/home/feed-state'
import {
  axisOf,
  earlierPagesText,
  lostText,
  pathOf,
  percentOf,
  rowDuration,
  rowTags,
  rowText,
  rowTime,
  shortVisitId,
  stripOf,
} from '../../../dashboards/home/feed-text'
import {
  type VisitDetail,
  type VisitPage,
  type VisitRow,
  type Visits,
  visitDetailSchema,
  visitsSchema,
} from '../../../lib/wire/visits'

const SECOND = 1_000_000
const ACCEPTED = { name: 'accepted', reason: null }
const PENDING = { name: 'pending', reason: null }

const pageOf = (name: string, more: Partial<VisitPage> = {}): VisitPage => ({
  ...{ traceId: `trace of ${name}`, segmentId: `segment of ${name}`, name, op: 'pageload', service: 'browser' },
  ...{ startUs: 10 * SECOND, endUs: 12 * SECOND, failed: false, errorCount: 0, ...more },
})

const visitOf = (id: string, journal: number, more: object = {}) => ({
  ...{ id: `page:${id}`, by: 'page', startUs: 10 * SECOND, endUs: 20 * SECOND, journal, receivedAt: 20_000 },
  ...{ browser: 'Chrome 142', sdk: null, release: null, pages: [pageOf('/')], pageCount: 1, traceCount: 1 },
  ...{ errorCount: 0, deliveryStatus: ACCEPTED, reported: [], ...more },
})

const answerOf = (visits: readonly object[], more: object = {}): Visits =>
  visitsSchema.parse({
    ...{ now: 60_000, journal: 100, visits, visitCount: visits.length, isPart: false },
    ...{ apart: { traceCount: 0, errorCount: 0, newest: null }, ...more },
  })

const NO_ROW = { depth: 1, traceId: null, spanId: null, eventId: null, op: null, service: null, failed: false }
const rowOf = (kind: VisitRow['kind'], name: string, more: Partial<VisitRow> = {}): object => ({
  ...{ ...NO_ROW, kind, key: name, name, startUs: 11 * SECOND, endUs: 11.5 * SECOND, level: null, count: 1 },
  ...{ slowestUs: 0, spanCount: 0, httpStatus: null, isNew: false, handled: null, deliveryStatus: null, ...more },
})

const detailOf = (...pages: readonly { readonly page: VisitPage; readonly rows?: readonly object[] }[]): VisitDetail =>
  visitDetailSchema.parse({
    ...{ journal: 100, pageCount: pages.length, rest: [] },
    pages: pages.map(({ page, rows = [] }) => ({
      ...page,
      deliveryStatus: ACCEPTED,
      rows,
      count: 1,
      slowestUs: 0,
      hiddenRows: 0,
      isPart: false,
    })),
  })

const parsedRow = (...given: Parameters<typeof rowOf>): VisitRow => {
  const row = detailOf({ page: pageOf('/'), rows: [rowOf(...given)] }).pages[0]?.rows[0]
  if (row === undefined) throw new Error('the page has no row')
  return row
}

const idsOf = ({ shown }: FeedState): readonly string[] => shown.visits.map(({ id }) => id)

describe('the feed', () => {
  const feed = nextFeed(null, answerOf([visitOf('b', 20), visitOf('a', 10)]), false)

  it('keeps the objects of visits without new activity, and takes those that changed', () => {
    const next = nextFeed(feed, answerOf([visitOf('b', 21), visitOf('a', 10)]), false)
    expect(next.shown.visits[0]?.journal).toBe(21)
    expect(next.shown.visits[1]).toBe(feed.shown.visits[1])
    const delivered = nextFeed(feed, answerOf([visitOf('b', 20, { deliveryStatus: PENDING }), visitOf('a', 10)]), false)
    expect(delivered.shown.visits[0]?.deliveryStatus.name).toBe('pending')
  })

  it('holds new activity while someone reads, and counts it', () => {
    const fresh = answerOf([visitOf('c', 30), visitOf('a', 25), visitOf('b', 20, { deliveryStatus: PENDING })])
    const held = nextFeed(feed, fresh, true)
    expect(idsOf(held)).toEqual(['page:b', 'page:a'])
    expect(held.shown.visits[1]).toBe(feed.shown.visits[1])
    expect(countNew(held.shown, fresh)).toBe(2)
    // The delivery of a visible visit moves no row.
    expect(held.shown.visits[0]?.deliveryStatus.name).toBe('pending')
    expect(idsOf(revealFeed(held))).toEqual(['page:c', 'page:a', 'page:b'])
    expect(revealFeed(held).waiting).toBeNull()
  })

  it('changes nothing while it is paused, not even deliveries', () => {
    const fresh = answerOf([visitOf('b', 20, { deliveryStatus: PENDING }), visitOf('a', 10)])
    const held = nextFeed(feed, fresh, 'all')
    expect(held.shown.visits).toEqual(feed.shown.visits)
    expect(revealFeed(held).shown.visits[0]?.deliveryStatus.name).toBe('pending')
  })

  it('adds older visits at the end while new activity waits', () => {
    const more = answerOf([visitOf('c', 30), visitOf('b', 20), visitOf('a', 10), visitOf('older', 5)])
    expect(idsOf(nextFeed(feed, more, true))).toEqual(['page:b', 'page:a', 'page:older'])
    expect(idsOf(nextFeed(feed, more, 'all'))).toEqual(['page:b', 'page:a', 'page:older'])
  })

  it('counts traces without a page visit as one', () => {
    const apart = { traceCount: 4, errorCount: 0, newest: 40 }
    expect(countNew(feed.shown, answerOf([visitOf('b', 20), visitOf('a', 10)], { apart }))).toBe(1)
  })

  it('starts again after everything was cleared or the data folder changed, even while someone reads', () => {
    expect(nextFeed(feed, answerOf([]), 'all').shown.visits).toEqual([])
    expect(idsOf(nextFeed(feed, answerOf([visitOf('z', 3)], { journal: 4 }), true))).toEqual(['page:z'])
  })
})

describe('the header of a visit', () => {
  it('names the first characters of the key', () => {
    expect(shortVisitId('page:3f9a1201-e46a')).toBe('3f9a')
    expect(shortVisitId('session:ab')).toBe('ab')
    expect(shortVisitId('page:a\u202eb12')).toBe('a⟨U+202E⟩b1')
  })

  it('has the path to the newest page, of more than four with a mark', () => {
    const pages = ['/', '/cart', '/checkout'].map((name) => pageOf(name))
    expect(pathOf({ pages, pageCount: 3 })).toEqual(['/ → /cart → ', '/checkout'])
    const many = ['/1', '/2', '/3', '/4', '/5'].map((name) => pageOf(name))
    expect(pathOf({ pages: many, pageCount: 25 })).toEqual(['… → /2 → /3 → /4 → ', '/5'])
    expect(pathOf({ pages: [], pageCount: 0 })).toEqual(['', ''])
  })

  it('draws each page until the next one, and the errors at the end of theirs', () => {
    const pages = [
      pageOf('/', { startUs: 10 * SECOND, endUs: 11 * SECOND, errorCount: 1 }),
      pageOf('/cart', { startUs: 15 * SECOND, endUs: 20 * SECOND }),
    ]
    expect(stripOf({ pages, startUs: 10 * SECOND, endUs: 20 * SECOND }, 100)).toEqual({
      pages: [
        { key: 'segment of /', x: 0, width: 48 },
        { key: 'segment of /cart', x: 50, width: 50 },
      ],
      errors: [47],
    })
  })

  it('draws a page that began at the end of the visit within the picture', () => {
    const pages = [pageOf('/'), pageOf('/end', { startUs: 20 * SECOND, endUs: 20 * SECOND })]
    const strip = stripOf({ pages, startUs: 10 * SECOND, endUs: 20 * SECOND }, 100)
    expect(strip.pages[1]).toEqual({ key: 'segment of /end', x: 97, width: 3 })
  })
})

describe('a page', () => {
  it('has an axis from the first to the last time of what happened', () => {
    const { pages } = detailOf({
      page: pageOf('/'),
      rows: [rowOf('log', 'late', { startUs: 15 * SECOND, endUs: 15 * SECOND }), rowOf('lost', 'x', { startUs: null })],
    })
    const axis = axisOf(pageOf('/'), pages[0]?.rows ?? [])
    expect(axis).toEqual({ startUs: 10 * SECOND, endUs: 15 * SECOND })
    expect(percentOf(axis, 12.5 * SECOND)).toBe(50)
    expect(percentOf(axis, 99 * SECOND)).toBe(100)
    expect(percentOf({ startUs: 5, endUs: 5 }, 5)).toBe(0)
  })

  it('and others before the newest are counted in one row', () => {
    const item = rowOf('request', 'GET /api/item', { count: 12 })
    const { pages } = detailOf(
      { page: pageOf('/'), rows: [item, rowOf('server', 'GET /')] },
      { page: pageOf('/cart', { errorCount: 2 }), rows: [rowOf('request', 'GET /api/cart')] },
    )
    expect(earlierPagesText(pages, 2)).toBe('2 earlier pages: 2 traces, 13 requests, 2 errors')
    expect(earlierPagesText(pages, 24)).toBe('24 earlier pages: at least 2 traces, 13 requests, 2 errors')
    expect(earlierPagesText(pages.slice(0, 1), 1)).toBe('1 earlier page: 1 trace, 12 requests, no errors')
  })

  it('counts the errors of each page, and a trace of two pages once', () => {
    const { pages } = detailOf(
      { page: pageOf('/', { traceId: 'one', errorCount: 1 }) },
      { page: pageOf('/cart', { traceId: 'one', errorCount: 1 }) },
    )
    expect(earlierPagesText(pages, 2)).toBe('2 earlier pages: 1 trace, 2 errors')
  })
})

describe('a row', () => {
  it('has the offset from its page, and a duration only when it took time', () => {
    expect(rowTime(11.19 * SECOND, pageOf('/'))).toBe('+1.19 s')
    expect(rowTime(null, pageOf('/'))).toBe('')
    expect(rowTime(11.19 * SECOND, null)).toMatch(/^\d\d:\d\d:11$/)
    expect(rowDuration(parsedRow('request', 'GET /'))).toBe('500 ms')
    expect(rowDuration(parsedRow('log', 'x'))).toBe('')
  })

  it('that stands for several says so', () => {
    expect(rowText(parsedRow('request', 'GET /api/item/?', { count: 12, slowestUs: 61_000 }))).toBe(
      '12 × GET /api/item/?, slowest 61 ms',
    )
    expect(rowText(parsedRow('request', 'GET /'))).toBe('GET /')
  })

  it('of a loss says what was counted and why', () => {
    expect(rowText(parsedRow('lost', 'queue_overflow', { op: 'span', count: 6 }))).toBe(
      '6 spans of this page never left the browser: the queue of the SDK was full',
    )
    expect(rowText(parsedRow('lost', 'made_up', { op: 'log_item' }))).toBe(
      '1 log of this page never left the browser: made up',
    )
  })

  it.each([
    ['a failed request', parsedRow('request', 'x', { failed: true, httpStatus: 500 }), ['500']],
    ['a request without a status', parsedRow('request', 'x', { failed: true }), ['failed']],
    ['a request that succeeded', parsedRow('request', 'x', { httpStatus: 200 }), []],
    ['a segment of a server', parsedRow('server', 'x', { spanCount: 2 }), ['+2 spans']],
    ['a new error', parsedRow('error', 'x', { failed: true, isNew: true, handled: false }), ['new']],
    ['a handled error', parsedRow('error', 'x', { failed: true, handled: true }), ['handled']],
  ])('of %s has these tags', (_what, row, tags) => {
    expect(rowTags(row).map(({ text }) => text)).toEqual(tags)
  })
})

describe('client reports of a page', () => {
  it('name what was lost in the header of the visit, the largest first', () => {
    const lost = { category: 'span', reason: 'queue_overflow', quantity: 6 }
    expect(lostText([lost])).toBe('6 spans lost')
    expect(lostText([lost, { category: 'log_item', reason: 'queue_overflow', quantity: 1 }])).toBe(
      '6 spans lost and more',
    )
  })

  it('are no loss where the developer chose not to send', () => {
    expect(lostText([{ category: 'span', reason: 'sample_rate', quantity: 40 }])).toBeNull()
    expect(rowText(parsedRow('lost', 'sample_rate', { op: 'span', count: 40 }))).toMatch(
      /^40 spans of this page were not sent by choice: /,
    )
  })
})
