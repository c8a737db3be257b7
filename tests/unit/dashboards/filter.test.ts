import { describe, expect, it } from 'vitest'
import {
  addSeenValues,
  attemptChoices,
  envelopeChoices,
  eventChoices,
  signalChoices,
  traceChoices,
} from '../../../dashboards/ui/choices'
import { type BoardList, filterFor, filterKey, filterNames, readAddress } from '../../../dashboards/ui/filter-address'
import { unknownParameters } from '../../../dashboards/ui/filter-problems'
import { filterText, filterTexts } from '../../../dashboards/ui/filter-text'
import { canonicalAddress } from '../../../dashboards/ui/filter-values'
import { addTraceIds, idTyped, isWholeId } from '../../../dashboards/ui/typed-id'
import type { FilterName } from '../../../lib/wire/filter'

const TRACE_ID = 'aaaabbbbccccddddaaaabbbbccccdddd'

it.each<[BoardList, string, readonly string[]]>([
  ['traces', ` ${TRACE_ID} `, [`/traces/${TRACE_ID}`, `/events/${TRACE_ID}`]],
  ['signals', TRACE_ID, [`/traces/${TRACE_ID}`, `/events/${TRACE_ID}`]],
  ['events', TRACE_ID, [`/events/${TRACE_ID}`, `/traces/${TRACE_ID}`]],
  ['envelopes', TRACE_ID.toUpperCase(), [`/events/${TRACE_ID}`, `/traces/${TRACE_ID}`]],
  ['deliveries', 'aaaabbbb-cccc-dddd-aaaa-bbbbccccdddd', [`/events/${TRACE_ID}`, `/traces/${TRACE_ID}`]],
  ['envelopes', '12', ['/envelopes/12']],
  ['envelopes', '0', []],
  ['deliveries', '12', ['/envelopes/12']],
  ['traces', 'abc', []],
])('an id typed alone above %s, %j links to %j', (list, typed, hrefs) => {
  expect(idTyped(list, typed, [])?.links.map(({ href }) => href) ?? []).toEqual(hrefs)
})

it('an id typed alone is recognised when it is whole', () => {
  expect([` ${TRACE_ID} `, TRACE_ID.slice(1), '12', undefined].map(isWholeId)).toEqual([true, false, false, false])
})

it('an id typed alone is found by its beginning among the visible traces', () => {
  expect(idTyped('traces', 'AAAABBBB', ['bbbb', TRACE_ID])).toEqual({
    isWhole: false,
    links: [{ href: `/traces/${TRACE_ID}`, text: 'trace aaaabbbb' }],
  })
  expect(idTyped('events', 'aaaabbbb', [TRACE_ID])?.links[0]?.href).toBe(`/traces/${TRACE_ID}`)
  expect(idTyped('traces', 'aaaa', [TRACE_ID])).toBeNull()
  expect(idTyped('traces', 'bbbbaaaa', [TRACE_ID])).toBeNull()
})

it('an id typed alone is remembered after its row is gone, up to 1000 ids', () => {
  const seen = addTraceIds([], [TRACE_ID, null, TRACE_ID])
  expect(seen).toEqual([TRACE_ID])
  expect(addTraceIds(seen, [null, TRACE_ID])).toBe(seen)
  const many = addTraceIds(
    seen,
    Array.from({ length: 1000 }, (_, at) => `trace ${at}`),
  )
  expect([many.length, many.includes(TRACE_ID)]).toEqual([1000, false])
})

describe('a filter part as text', () => {
  const now = new Date(2026, 10, 20, 14, 0).getTime()

  it.each<[FilterName, string, string]>([
    ['op', 'pageload', 'op is pageload'],
    ['min_duration', '250ms', '250 ms or longer'],
    ['min_duration', '1500', '1.5 s or longer'],
    ['min_duration', '100ms', '100 ms or longer'],
    ['min_duration', '10.5ms', '10.5 ms or longer'],
    ['min_duration', '5s', '5 s or longer'],
    ['until', '1h', 'more than 1 hour ago'],
    ['max_duration', '2m', '2 min or shorter'],
    ['min_duration', 'long', 'long or longer'],
    ['since', '15m', 'last 15 minutes'],
    ['since', '1h', 'last hour'],
    ['until', '2d', 'more than 2 days ago'],
    ['since', new Date(2026, 10, 20, 13, 30).toISOString(), 'since 13:30:00.000'],
    ['since', new Date(2026, 9, 2, 8).toISOString(), 'since 10-02 08:00:00'],
    ['since', new Date(2025, 9, 2, 8).toISOString(), 'since 2025-10-02 08:00:00'],
    ['since', 'yesterday', 'since yesterday'],
    ['handled', 'false', 'unhandled'],
    ['type', 'event', 'with error'],
    ['delivery', 'rate_limited', 'delivery is rate limited'],
    ['delivery', 'lost', 'delivery is lost'],
    ['endpoint', 'stream', 'endpoint is copy'],
    ['endpoint', 'store', 'endpoint is direct (store)'],
    ['release', 'shop_1', 'release is shop_1'],
    ['trace', TRACE_ID, 'trace is aaaabbbb'],
    ['op', 'a\u202eb', 'op is a⟨U+202E⟩b'],
  ])('%s=%s is “%s”', (name, value, words) => {
    expect(filterText(name, value, now)).toBe(words)
  })

  it('keeps the order of the list’s names', () => {
    const texts = filterTexts(filterNames('traces'), { environment: 'staging', op: 'pageload' }, now)
    expect(texts.map((one) => one.text)).toEqual(['op is pageload', 'environment is staging'])
  })
})

it('an address yields the supported filters, with the same key in any order', () => {
  const one = readAddress('traces', '?status=error&op=pageload&kind=x&utm=1&text=')
  expect(one).toEqual({ op: 'pageload', status: 'error' })
  expect(filterKey('traces', one)).toBe(filterKey('traces', readAddress('traces', 'op=pageload&status=error')))
  expect(filterKey('traces', {})).toBe('')
})

it('an address is reduced to the filters of a list', () => {
  expect(filterFor('envelopes', { op: 'x', type: 'event', text: 'y' })).toMatchObject({ type: 'event' })
  expect(Object.keys(filterFor('envelopes', { op: 'x' }))).not.toContain('op')
})

describe('the seen values', () => {
  const valuesOf = (row: { readonly op: string | null; readonly services: readonly string[] }) => ({
    op: row.op,
    service: row.services,
  })

  it('are distinct, sorted, and stay when the list is filtered', () => {
    const seen = addSeenValues({}, [{ op: 'pageload', services: ['browser', 'server'] }], valuesOf)
    expect(seen).toEqual({ op: ['pageload'], service: ['browser', 'server'] })
    expect(addSeenValues(seen, [{ op: 'http.server', services: ['server'] }], valuesOf).op).toEqual([
      'http.server',
      'pageload',
    ])
  })

  it('are the same object when nothing is new', () => {
    const seen = addSeenValues({}, [{ op: 'a', services: [] }], valuesOf)
    expect(addSeenValues(seen, [{ op: 'a', services: [] }], valuesOf)).toBe(seen)
    expect(addSeenValues(seen, [{ op: null, services: [''] }], valuesOf)).toBe(seen)
  })

  it('are at most thirty per parameter', () => {
    const rows = Array.from({ length: 100 }, (_, at) => ({ op: `op ${at}`, services: [] }))
    expect(addSeenValues({}, rows, valuesOf).op).toHaveLength(30)
  })
})

describe('the choices above a list', () => {
  const seen = { op: ['pageload'], level: ['crashed'], type: ['event'], service: ['browser'] }

  it.each([
    ['traces', traceChoices(seen)],
    ['events', eventChoices(seen)],
    ['signals', signalChoices(seen, 'Level')],
    ['envelopes', envelopeChoices(seen)],
    ['deliveries', attemptChoices({ status: ['413', '418'], upstream: ['host/1'] })],
  ] as const)('of %s are supported filters with distinct options', (list, choices) => {
    for (const { name, options } of choices) {
      expect(filterNames(list)).toContain(name)
      for (const part of ['value', 'label'] as const) {
        const values = options.map((option) => option[part])
        expect(new Set(values).size, `${name} ${part}`).toBe(values.length)
      }
    }
  })

  it('contain the seen values', () => {
    const op = traceChoices(seen).find((choice) => choice.name === 'op')
    expect(op?.options.map((option) => option.value)).toEqual(['pageload'])
    expect(signalChoices(seen, null).some((choice) => choice.name === 'level')).toBe(false)
  })
})

it('an unknown parameter in an address is reported with the nearest name', () => {
  expect(unknownParameters('traces', '?statsu=error&op=x&utm_source=y', [])).toEqual([
    {
      name: 'statsu',
      message: 'Traces cannot be filtered by “statsu”; did you mean status?',
      suggestion: { typed: 'status:error', changes: { status: 'error', statsu: null } },
      removal: { statsu: null },
    },
  ])
  expect(unknownParameters('envelopes', '?service=x', [])).toMatchObject([{ name: 'service', suggestion: null }])
})

it('an unknown parameter in an address does not include the page’s own parameters', () => {
  expect(unknownParameters('signals', '?kind=log&open=1-0', ['kind', 'open'])).toEqual([])
})

it('an unknown parameter in an address is replaced silently when it is an alias', () => {
  expect(canonicalAddress('traces', '?env=dev&duration=>250ms')).toEqual({
    environment: 'dev',
    env: null,
    min_duration: '250ms',
    duration: null,
  })
  expect(canonicalAddress('traces', '?env=dev&environment=staging')).toEqual({ env: null })
  expect(canonicalAddress('envelopes', '?delivery=accepted')).toBeNull()
})
