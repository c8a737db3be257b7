import { describe, expect, it } from 'vitest'
import { missingLines } from '../../../dashboards/home/not-arrived'
import { pathStops } from '../../../dashboards/home/path-line'
import { pointsOf } from '../../../dashboards/home/spark'
import { envelopesPerSecond, lostShare } from '../../../dashboards/home/trends'
import type { Figures } from '../../../lib/wire/figures'
import type { Overview } from '../../../lib/wire/overview'
import { STORE, STORE_AWAY } from '../cli/sample-store'
import { limitOf, upstreamOf } from './status-samples'

const NOW = 1_795_000_900_000
const LINE: Figures['line'] = {
  ...{ apps: 2, received: 1280, accepted: 1236, pending: 0, limited: 0, lost: 0 },
  ...{ lastEnvelope: NOW - 2000, unexplained: [] },
}
const NAVIGATION: Figures['navigation'] = {
  ...{ traces: 0, errors: 9, newGroups: 2, logs: 0, envelopes: 900, openDeliveries: 0, losses: [], refused: 4 },
  ...{ activeLimits: 0, storageUsed: 0, contract: null, runs: 0 },
}
const figuresOf = (line: Partial<Figures['line']> = {}, losses: Figures['navigation']['losses'] = []): Figures => ({
  ...{ now: NOW, since: NOW - 900_000, projects: ['1'], own: 0, isPart: false, minutes: null },
  ...{ line: { ...LINE, ...line }, navigation: { ...NAVIGATION, losses } },
})
const OUTCOMES = { kept: 0, filtered: 0, rate_limited: 0, invalid: 0, overflow: 0, expired: 0, dropped: 0 }
const overviewOf = (given: Partial<Overview> = {}): Overview => ({
  ...{
    now: NOW,
    startedAt: 0,
    journal: 1,
    localDsn: '',
    dataFolder: '',
    refusals: [],
    pages: { documents: 0, posted: 0 },
    last: null,
    localOnly: false,
  },
  counts: { envelopes: 0, copies: 0, traces: 0, segments: 0, spans: 0, errors: 0, breadcrumbs: 0, refused: 0 },
  items: { received: 70, pending: 0, outcomes: { ...OUTCOMES, accepted: 60 } },
  ...{ upstreams: [upstreamOf()], stranded: [], script: null, limits: [], labRelay: false, run: null, isShown: false },
  ...given,
})
const stopsOf = (overview: Partial<Overview> = {}, figures: Figures = figuresOf(), isConnected = true) =>
  pathStops({ figures, overview: overviewOf(overview), isConnected, nowMs: NOW })

describe('the line', () => {
  it('counts items, and names the last envelope and what was refused', () => {
    expect(stopsOf()).toMatchObject([
      { id: 'apps', count: 2, state: 'ok', isCut: false, spur: null },
      {
        ...{ id: 'received', count: 1280, unit: 'envelope items', detail: 'last envelope 2 s ago' },
        spur: { text: '4 requests refused on arrival', tone: 'bad' },
      },
      { id: 'stored', count: 1280, detail: 'ledger balances', isCut: false, spur: null },
      { id: 'upstream', count: 1236, detail: 'nothing is pending', state: 'ok' },
    ])
  })

  it.each([
    ['figures', { figures: null, overview: overviewOf() }],
    ['the overview', { figures: figuresOf(), overview: null }],
    ['both', { figures: null, overview: null }],
  ])('claims nothing before the first answer with %s', (_name, answers) => {
    const stops = pathStops({ ...answers, isConnected: true, nowMs: NOW })
    expect(stops.map(({ id }) => id)).toEqual(['apps', 'received', 'stored', 'upstream'])
    for (const stop of stops)
      expect(stop).toMatchObject({ state: 'unknown', count: null, detail: 'Loading …', isCut: false, spur: null })
  })

  it('names what was lost before sending, the largest loss of an SDK first', () => {
    const losses = [
      { category: 'error', reason: 'limited', by: 'waystation' as const, quantity: 900 },
      { category: 'span', reason: 'queue_overflow', by: 'sdk' as const, quantity: 224 },
      { category: 'error', reason: 'network_error', by: 'sdk' as const, quantity: 1 },
    ]
    expect(stopsOf({}, figuresOf({}, losses))[0]?.spur?.text).toBe('224 spans lost before sending, 1 more')
  })

  it('is dashed from the apps on until something came', () => {
    const stops = stopsOf({}, figuresOf({ apps: 0, received: 0, lastEnvelope: null }), false)
    expect(stops.map(({ state }) => state)).toEqual(['failed', 'off', 'off', 'off'])
    expect(stops.map(({ isCut }) => isCut)).toEqual([true, true, true, false])
  })

  it('is dashed from intake on when all that came was refused', () => {
    const counts = { ...overviewOf().counts, refused: 2 }
    const stops = stopsOf({ counts }, figuresOf({ received: 0, lastEnvelope: null }), false)
    expect(stops.map(({ state }) => state)).toEqual(['ok', 'failed', 'off', 'off'])
    expect(stops[1]).toMatchObject({ detail: '2 requests came and were refused', isCut: true })
  })

  it('is dashed to an upstream that refuses, does not answer or limits', () => {
    const limits = [limitOf({ category: 'log_item', receivedAt: 0, until: NOW + 38_000 })]
    const paused = upstreamOf({ state: 'paused', paused: { since: 1, status: 401, answer: null } })
    const failed = (status: number | null) => ({ last: { at: 1, status, error: null } })
    const away = { state: 'backing_off' } as const
    for (const [given, text] of [
      [{ limits }, 'log_item limited, 38 s left'],
      [{ upstreams: [upstreamOf(away)], limits }, 'upstream does not answer'],
      [{ upstreams: [upstreamOf({ ...away, ...failed(null) })] }, 'upstream does not answer'],
      [{ upstreams: [upstreamOf({ ...away, ...failed(503) })] }, 'upstream answered 503'],
      [{ upstreams: [upstreamOf({ ...away, ...failed(200) })] }, 'some posts fail'],
      [{ upstreams: [upstreamOf(failed(500))] }, 'upstream answered 500'],
      [{ upstreams: [upstreamOf({ ...failed(500), deadLetters: 13 })] }, '13 dead letters'],
      [{ upstreams: [paused], limits }, 'upstream refuses, answered 401'],
    ] satisfies [Partial<Overview>, string][])
      expect(stopsOf(given).slice(2)).toMatchObject([{ isCut: true, spur: { text } }, { state: 'waiting' }])
    expect(stopsOf({ limits: [limitOf({ category: 'a', receivedAt: 0, until: NOW })] })[2]?.isCut).toBe(false)
  })

  it('waits for a person with dead letters, and names what is pending and lost', () => {
    const accepts = { deadLetters: 1, last: { at: 1, status: 200, error: null } }
    const figures = figuresOf({ pending: 14, lost: 12, limited: 9 })
    expect(stopsOf({ upstreams: [upstreamOf(accepts)] }, figures).slice(2)).toMatchObject([
      { isCut: false, spur: { text: '1 dead letter', href: '/deliveries?show=dead-letters' } },
      { state: 'waiting', detail: '14 items pending, 12 lost (9 rate limited)' },
    ])
  })

  it('names PostgreSQL where collectors share the record, and how far this one is behind', () => {
    const { usage: _, unmeasured: __, counts: ___, ...store } = STORE
    expect(stopsOf({ store })[2]).toMatchObject({ unit: 'in PostgreSQL', detail: 'ledger balances', state: 'ok' })
    const behind = { ...store, mirror: { head: 1, missing: 1204, lagMs: 3000 } }
    expect(stopsOf({ store: behind })[2]?.detail).toBe('ledger balances, this copy is 1,204 facts behind')
    const few = { ...store, mirror: { head: 1, missing: 500, lagMs: 20 } }
    expect(stopsOf({ store: few })[2]?.detail).toBe('ledger balances')
  })

  it('is cut before and after a store that is away, and says so', () => {
    const { usage: _, unmeasured: __, counts: ___, ...store } = STORE_AWAY
    expect(stopsOf({ store }).slice(1)).toMatchObject([
      { id: 'received', isCut: true },
      {
        ...{ id: 'stored', state: 'failed', isCut: true, spur: { text: 'PostgreSQL is away', tone: 'bad' } },
        detail: 'envelopes are refused with 503',
      },
      { id: 'upstream', state: 'off', detail: 'nothing is relayed meanwhile' },
    ])
  })

  it('ends here without an upstream, and has the counts of a saved run', () => {
    expect(stopsOf({ localOnly: true, upstreams: [] }).slice(2)).toMatchObject([
      { isCut: true },
      { count: null, unit: 'local only', state: 'off' },
    ])
    const shown = stopsOf({ isShown: true }, figuresOf({ received: 0 }))
    expect(shown.map(({ count }) => count)).toEqual([null, 70, 70, 60])
  })
})

describe('the list of missing telemetry', () => {
  it('has losses with their reasons, limits with the time left, and what is pending', () => {
    const losses = [
      { category: 'span', reason: 'queue_overflow', by: 'sdk' as const, quantity: 206 },
      { category: 'log_item', reason: 'limited', by: 'upstream' as const, quantity: 1 },
    ]
    const limits = [limitOf({ category: 'log_item', receivedAt: 0, until: NOW + 38_000 })]
    expect(
      missingLines(figuresOf({ pending: 34 }, losses), overviewOf({ limits }), NOW).map(({ count, text }) => [
        count,
        text,
      ]),
    ).toEqual([
      ['206', 'spans: the queue of the SDK was full'],
      ['1', 'log: cut: upstream limits this category'],
      ['', 'log_item is limited for another 38 s'],
      ['34', 'items are pending'],
    ])
    const upstreams = [upstreamOf({ deadLetters: 13 })]
    expect(missingLines(figuresOf({ pending: 14 }), overviewOf({ upstreams }), NOW)[0]?.text).toBe(
      'items are pending, those of 13 dead letters included',
    )
    const many = Array.from({ length: 6 }, (_, at) => ({ ...losses[0], reason: `r${at}` }) as (typeof losses)[number])
    expect(missingLines(figuresOf({}, many), overviewOf(), NOW).at(-1)?.text).toBe('and 2 further reasons')
  })

  it.each([
    [{ documents: 340, posted: 328 }, ['12', 'of 340 pages (4 %) sent nothing: at most as many were blocked']],
    [{ documents: 19, posted: 0 }, undefined],
    [{ documents: 50, posted: 50 }, undefined],
    // Tabs that were open before the counting began.
    [{ documents: 20, posted: 21 }, undefined],
  ])('has pages that never posted, once there are enough: %j', (pages, line) => {
    const found = missingLines(figuresOf({}), overviewOf({ pages }), NOW).map(({ count, text }) => [count, text])
    expect(found).toEqual(line === undefined ? [] : [line])
  })
})

describe('trends', () => {
  it('are a rate over the 15 minutes and a share of the items', () => {
    expect(envelopesPerSecond(figuresOf())).toBe(1)
    expect(lostShare(figuresOf({ received: 100, lost: 3 }))).toBe(0.03)
    expect([lostShare(figuresOf({ received: 0 })), lostShare(figuresOf({ received: 1, lost: 9 }))]).toEqual([0, 1])
  })

  it('draw values from the base to the top, end at the right, and leave out times without a value', () => {
    expect(pointsOf([0, null, 10])).toEqual([
      { x: 3, y: 27 },
      { x: 85, y: 3 },
    ])
    expect(pointsOf([7])).toEqual([{ x: 85, y: 3 }])
    expect(pointsOf([])).toEqual([])
  })
})
