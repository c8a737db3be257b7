import { describe, expect, it } from 'vitest'
import { ENTRIES, entryOf, isDetail } from '../../../dashboards/shell/entries'
import {
  actionItem,
  boardItem,
  errorItem,
  markedParts,
  matchItems,
  type PaletteItem,
  pastedItems,
} from '../../../dashboards/shell/palette-items'
import { pastedItem } from '../../../dashboards/shell/pasted'
import type { Figures } from '../../../lib/wire/figures'
import { BOARD_PAGES, movedTo, pageAt } from '../../../lib/wire/pages'

const TRACE = '0123456789abcdef0123456789abcdef'
const SPAN = '0123456789abcdef'

describe('a pasted text', () => {
  it.each([
    [`${TRACE}-${SPAN}-1`, { kind: 'trace', traceId: TRACE, spanId: SPAN }],
    [`sentry-trace: ${TRACE}-${SPAN}`, { kind: 'trace', traceId: TRACE, spanId: SPAN }],
    [`traceparent: 00-${TRACE}-${SPAN}-01`, { kind: 'trace', traceId: TRACE, spanId: SPAN }],
    [`"00-${TRACE}-${SPAN}-00"`, { kind: 'trace', traceId: TRACE, spanId: SPAN }],
    [`baggage: a=1, sentry-trace_id=${TRACE},sentry-release=x`, { kind: 'trace', traceId: TRACE, spanId: null }],
    [`${TRACE.toUpperCase()}/${SPAN}`, { kind: 'trace', traceId: TRACE, spanId: SPAN }],
    [` ${TRACE} `, { kind: 'id', id: TRACE }],
    ['01234567-89ab-cdef-0123-456789abcdef', { kind: 'id', id: TRACE }],
    ['https://key@o1.ingest.sentry.io/4501', { kind: 'dsn', project: '4501' }],
    ['http://local@127.0.0.1:8969/1', { kind: 'dsn', project: '1' }],
    ['#1281', { kind: 'envelope', number: '1281' }],
  ])('%j opens its item', (text, pasted) => {
    expect(pastedItem(text)).toEqual(pasted)
  })

  it.each(['', 'checkout', '#0', '1281', `${TRACE}0`, 'https://example.com/1', `${TRACE}-${SPAN}-2`])(
    '%j is searched for',
    (text) => {
      expect(pastedItem(text)).toBeNull()
    },
  )

  it('with an id offers the trace and the error', () => {
    const hrefs = pastedItems({ kind: 'id', id: TRACE }).map(({ href }) => href)
    expect(hrefs).toEqual([`/traces/${TRACE}`, `/events/${TRACE}`])
    const [span] = pastedItems({ kind: 'trace', traceId: TRACE, spanId: SPAN })
    expect(span?.href).toBe(`/traces/${TRACE}?span=${SPAN}`)
  })
})

describe('the palette', () => {
  const trace = (name: string): PaletteItem => ({
    ...boardItem({ path: '/', name, icon: 'traces', key: null, figure: () => null }),
    id: `trace ${name}`,
    section: 'Traces',
  })
  const action = actionItem({ name: 'Copy the local DSN', about: 'http://x', glyph: 'copy_text', run: () => undefined })
  const items = [action, ...ENTRIES.map(boardItem), trace('/checkout'), trace('/cart')]

  it('shows traces before boards and actions, and only lines that have each word', () => {
    expect(matchItems(items, 'che', 'Everything').map(({ name }) => name)).toEqual(['/checkout'])
    expect(matchItems(items, 'C o t', 'Everything').map(({ name }) => name)).toEqual([
      '/checkout',
      'Contract',
      'Copy the local DSN',
    ])
    expect(matchItems(items, '', 'Actions')).toEqual([action])
    expect(matchItems(items, '> copy', 'Actions')).toEqual([action])
  })

  it('lists every board without words, because a narrow screen has no other navigation', () => {
    const shown = matchItems(items, '', 'Everything').filter(({ section }) => section === 'Boards')
    expect(shown).toHaveLength(ENTRIES.length)
  })

  it('adds lines that arrive later without moving those that are shown', () => {
    const first = matchItems(items, '/c', 'Everything')
    const later = matchItems([trace('/cancel'), trace('/cart')], '/c', 'Everything', first)
    expect(later.map(({ name }) => name)).toEqual(['/checkout', '/cart', '/cancel'])
  })

  it('marks the matched parts of a name', () => {
    expect(markedParts('a/Check.out', ['check', '.'])).toEqual([
      { text: 'a/', isHit: false },
      { text: 'Check', isHit: true },
      { text: '.', isHit: true },
      { text: 'out', isHit: false },
    ])
  })

  it('shows control characters of received names', () => {
    const event = { eventId: TRACE, title: 'a\u202eb', transaction: null }
    expect(errorItem(event as Parameters<typeof errorItem>[0]).name).not.toContain('\u202e')
  })
})

const figures: Figures = {
  now: 900_000,
  since: 0,
  navigation: {
    ...{ traces: 0, errors: 0, newGroups: 0, logs: 0, envelopes: 0, openDeliveries: 0, losses: [] },
    ...{ refused: 0, activeLimits: 0, storageUsed: 0, contract: null, runs: 0 },
  },
  line: {
    apps: 0,
    received: 0,
    accepted: 0,
    pending: 0,
    limited: 0,
    lost: 0,
    ...{ lastEnvelope: null, unexplained: [] },
  },
  projects: [],
  own: 0,
  isPart: false,
  minutes: null,
}
const shown = (path: string, navigation: Partial<Figures['navigation']>, lost = 0) =>
  entryOf(path)?.figure({
    ...figures,
    line: { ...figures.line, lost },
    navigation: { ...figures.navigation, ...navigation },
  })

describe('the figures of the navigation', () => {
  it('are absent while there is nothing to say', () => {
    expect(ENTRIES.filter(({ figure }) => figure(figures) !== null).map(({ name }) => name)).toEqual(['Storage'])
  })

  it('have a glyph and a word where they need attention', () => {
    expect(shown('/errors', { errors: 9, newGroups: 2 })).toMatchObject({ text: '2 new', tone: 'bad', glyph: 'error' })
    expect(shown('/errors', { errors: 9, newGroups: 0 })).toMatchObject({ text: '9' })
    const losses = [
      { category: 'span', reason: 'queue_overflow', by: 'sdk' as const, quantity: 1206 },
      { category: 'error', reason: 'network_error', by: 'sdk' as const, quantity: 2 },
    ]
    expect(shown('/losses', { losses })).toMatchObject({ text: '1,206 unsent', tone: 'warn' })
    expect(shown('/losses', { losses, refused: 3 }, 12)).toMatchObject({ text: '12 lost', tone: 'warn' })
    expect(shown('/losses', { refused: 3 })).toMatchObject({ text: '3 refused', tone: 'warn' })
    expect(shown('/deliveries', { openDeliveries: 13 })).toMatchObject({ text: '13 pending' })
    const contract = { verdict: 'fail' as const, failed: 2, at: 1, isStale: false }
    expect(shown('/contract', { contract })).toMatchObject({ text: '2 fail', tone: 'bad' })
  })

  it('show a verdict as current only while no telemetry has arrived since', () => {
    const contract = { verdict: 'pass' as const, failed: 0, at: 0, isStale: false }
    expect(shown('/contract', { contract })).toMatchObject({ text: 'pass', tone: 'ok', glyph: 'accepted' })
    expect(shown('/contract', { contract: { ...contract, isStale: true } })).toEqual({
      text: 'pass 15 min ago',
      meaning: 'the last verdict: pass 15 min ago; telemetry arrived since then',
    })
  })

  it('count envelopes a minute', () => {
    expect(shown('/', { envelopes: 30 })).toMatchObject({ text: '2.0/min' })
  })
})

it('every board of the navigation is a page, but the lab, and details belong to their board', () => {
  expect(ENTRIES.filter(({ path }) => pageAt(path) === null).map(({ path }) => path)).toEqual(['/lab'])
  expect(new Set(ENTRIES.flatMap(({ key }) => key ?? [])).size).toBe(ENTRIES.filter(({ key }) => key !== null).length)
  expect([entryOf('/events/1')?.name, entryOf('/traces/1')?.name, entryOf('/nowhere')]).toEqual([
    'Errors',
    'Traces',
    null,
  ])
  expect(BOARD_PAGES.filter(({ path }) => isDetail(path)).map(({ path }) => path)).toEqual([
    '/traces/:id',
    '/errors/:id',
    '/events/:id',
  ])
})

it('addresses of signals lead to logs and metrics', () => {
  expect(movedTo('/signals', '?kind=metric&level=a%20b')).toBe('/vitals?level=a+b')
  expect(movedTo('/signals', '?kind=session')).toBe('/logs?kind=session')
  expect([movedTo('/signals', ''), movedTo('/logs', '')]).toEqual(['/logs', null])
})
