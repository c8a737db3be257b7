import { describe, expect, it } from 'vitest'
import { signalOfItem } from '../../../dashboards/envelopes/item-payload'
import {
  attributesOf,
  attributesText,
  fieldLines,
  levelTone,
  numberField,
  ownColumns,
  textField,
} from '../../../dashboards/signals/signal-columns'
import { kindTabs, kindText, shownKind } from '../../../dashboards/signals/signal-kinds'
import { signalsHref } from '../../../dashboards/ui/links'
import { formatShortSecond, formatShortTime } from '../../../dashboards/ui/times'
import { SIGNAL_KINDS, type SignalKind } from '../../../lib/protocol/items/signal'
import { type SignalCounts, type SignalRow, signalSchema } from '../../../lib/wire/signal'

const signal = (kind: SignalKind, more: Partial<SignalRow> = {}): SignalRow =>
  signalSchema.parse({
    kind,
    key: `${kind} 1`,
    journal: 10,
    seq: 4,
    item: 0,
    receivedAt: 1_760_000_000_000,
    timestampUs: 1_760_000_000_000_000,
    traceId: null,
    spanId: null,
    eventId: null,
    name: 'name',
    level: null,
    service: 'browser',
    environment: null,
    release: null,
    copy: 'no',
    deliveryStatus: { name: 'accepted', reason: null },
    fields: {},
    ...more,
  })

/** The cells of the kind's own columns, by heading. */
const cells = (kind: SignalKind, fields: SignalRow['fields'], more: Partial<SignalRow> = {}) =>
  Object.fromEntries(ownColumns(kind).map((column) => [column.heading, column.text(signal(kind, { fields, ...more }))]))

describe('the tabs', () => {
  const counts: SignalCounts['counts'] = {
    log: 0,
    metric: 3,
    session: 0,
    client_report: 0,
    attachment: 1,
    feedback: 0,
    replay: 0,
    profile: 0,
    check_in: 0,
    security: 0,
  }

  it('list kinds with rows first, each group in its fixed order', () => {
    expect(
      kindTabs(counts)
        .slice(0, 3)
        .map(({ kind, count }) => [kind, count]),
    ).toEqual([
      ['attachment', 1],
      ['log', 0],
      ['session', 0],
    ])
  })

  it('are in their fixed order without counts before the first read, without metrics', () => {
    const kinds = SIGNAL_KINDS.filter((kind) => kind !== 'metric')
    expect(kindTabs(null)).toEqual(kinds.map((kind) => ({ kind, count: null })))
  })

  it('show the kind in the address, and logs by default', () => {
    expect([shownKind('check_in'), shownKind(null)]).toEqual([{ kind: 'check_in' }, { kind: 'log' }])
  })

  it.each([
    ['logs', 'log'],
    ['checkin', 'check_in'],
    ['Metric', 'metric'],
    ['', 'log'],
  ])('for the unknown kind %j suggest %s', (named, nearest) => {
    expect(shownKind(named)).toEqual({ nearest })
  })
})

it.each(SIGNAL_KINDS)('the kind %s has text, distinct columns and an example', (kind) => {
  const heads = ownColumns(kind).map((column) => column.heading)
  expect(heads.length).toBeGreaterThan(0)
  expect(new Set(heads).size).toBe(heads.length)
  expect(kindText(kind).code).not.toContain('\n')
  expect(kindText(kind).when).toMatch(/\.$/)
  expect(SIGNAL_KINDS.filter((other) => kindText(other).name === kindText(kind).name)).toEqual([kind])
})

it.each(SIGNAL_KINDS)('the kind %s has empty cells for absent or malformed fields', (kind) => {
  expect(Object.values(cells(kind, {})).filter((text) => text !== null)).toEqual([])
  const strange = {
    value: {},
    errors: [],
    duration: 'long',
    quantity: null,
    bytes: Number.NaN,
    urls: 'x',
    segment: '',
  }
  expect(Object.values(cells(kind, strange)).filter((text) => text !== null)).toEqual([])
})

it.each<[SignalKind, SignalRow['fields'], Record<string, string | null>]>([
  [
    'metric',
    { type: 'distribution', value: 12.5, unit: 'millisecond', attributes: { plan: 'free' } },
    { Type: 'distribution', Value: '12.5 millisecond', Attributes: 'plan=free' },
  ],
  ['metric', { type: 'counter', value: 0, unit: 'none' }, { Type: 'counter', Value: '0', Attributes: null }],
  [
    'metric',
    { type: 'sum', temporality: 'cumulative', value: 3, unit: '{request}' },
    { Type: 'sum · cumulative', Value: '3 request', Attributes: null },
  ],
  [
    'metric',
    { type: 'exponential_histogram', temporality: 'delta', value: 12, count: 3, min: 1, max: 6.5, unit: 'ms' },
    { Type: 'exp. histogram · delta', Value: '3 values · sum 12 · 1 to 6.5 ms', Attributes: null },
  ],
  ['session', { errors: 0, duration: 92.4 }, { Errors: '0', Duration: '1 min 32 s', Release: null }],
  ['client_report', { category: 'error', quantity: 1200 }, { Category: 'error', Quantity: '1,200' }],
  ['attachment', { content_type: 'text/plain', bytes: 2048 }, { Type: 'text/plain', Size: '2.05 kB' }],
  ['check_in', { duration: 1.5 }, { Duration: '1.50 s' }],
])('the columns of a %s with %j', (kind, fields, expected) => {
  expect(cells(kind, fields)).toEqual(expected)
})

it('the columns of a session show release and environment', () => {
  expect(cells('session', {}, { release: 'shop@1.2', environment: 'staging' }).Release).toBe('shop@1.2 · staging')
})

describe('fields', () => {
  it('are not read from the object prototype', () => {
    expect([textField({}, 'constructor'), numberField({}, 'toString'), attributesText({})]).toEqual([null, null, null])
  })

  it('the fields of a log leave out attributes that SDKs add', () => {
    const attributes = { 'sentry.sdk.name': 'x', 'browser.name': 'Chrome', orderId: 7, tags: ['a'], note: 'b c' }
    expect(attributesText({ attributes })).toBe('orderId=7 tags=["a"] note=b c')
    expect(attributesText({ attributes: { 'sentry.sdk.name': 'x' } })).toBeNull()
  })

  it('are listed without attributes, which have a table, and without absent and empty ones', () => {
    const fields = { severity: 9, none: null, metadata: {}, attributes: { severity: 'x' }, list: [1] }
    expect(fieldLines({ kind: 'log', fields })).toEqual([
      ['severity', 9],
      ['list', [1]],
    ])
    expect(attributesOf(fields)).toEqual({ severity: 'x' })
    expect([attributesOf({}), attributesOf({ attributes: ['a'] })]).toEqual([{}, {}])
  })

  it('of OpenTelemetry are listed without those that have a part of their own, with flags in hex', () => {
    const resource = { attributes: {}, droppedAttributes: 0, schemaUrl: null }
    const fields = { flags: 257, body: { a: 1 }, buckets: [1], resource, scope: resource, eventName: 'cart.paid' }
    expect(fieldLines({ kind: 'log', fields })).toEqual([
      ['flags', '0x101'],
      ['eventName', 'cart.paid'],
    ])
  })

  it('the fields of other kinds are listed even if they have the names of parts', () => {
    expect(fieldLines({ kind: 'security', fields: { body: { a: 1 }, scope: 'x' } })).toEqual([
      ['body', { a: 1 }],
      ['scope', 'x'],
    ])
  })
})

it('an address of signals encodes the key', () => {
  const href = signalsHref('replay', { open: 'a/0?&#' })
  expect(new URL(href, 'http://x').searchParams.get('open')).toBe('a/0?&#')
  expect(href.startsWith('/logs?kind=replay&')).toBe(true)
})

it('an address of signals filters by envelope', () => {
  expect(signalsHref('log', { envelope: '12' })).toBe('/logs?kind=log&envelope=12')
  expect(signalsHref('metric')).toBe('/vitals')
})

it.each([
  ['fatal', 'bad'],
  ['Error', 'bad'],
  ['crashed', 'bad'],
  ['warn', 'warn'],
  ['info', 'quiet'],
  ['constructor', 'quiet'],
  [null, 'quiet'],
])('the level %s is %s', (level, tone) => {
  expect(levelTone(level)).toBe(tone)
})

it.each([
  ['log', 'log'],
  ['trace_metric', 'metric'],
  ['sessions', 'session'],
  ['user_report', 'feedback'],
  ['replay_recording', 'replay'],
  ['raw_security', 'security'],
  ['otlp_logs', 'log'],
  ['otlp_metrics', 'metric'],
  ['otlp_traces', null],
  ['event', null],
  ['statsd', null],
  ['constructor', null],
])('an item of type %s is shown as %s', (type, kind) => {
  expect(signalOfItem(type)).toBe(kind)
})

it('a time in a column is a time of day, with the date when it is half a day away', () => {
  const at = new Date(2026, 10, 20, 14, 3, 22, 118).getTime()
  expect(formatShortTime(at, at + 60_000)).toBe('14:03:22.118')
  expect(formatShortTime(at, at + 86_400_000)).toBe('11-20 14:03:22')
  expect(formatShortSecond(at, at + 60_000)).toBe('14:03:22')
  expect(formatShortSecond(at, at + 86_400_000)).toBe('11-20 14:03:22')
})
