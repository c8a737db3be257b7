import { describe, expect, it } from 'vitest'
import { ITEM_PARSERS, isParsedType, SIGNAL_PARSERS, signalParserOf } from '../../../../lib/protocol/items/registry'
import { SIGNAL_KINDS } from '../../../../lib/protocol/items/signal'
import { SIZE_LIMITS } from '../../../../lib/protocol/size-limits'
import { capturedBytes, capturedNames } from '../captured'
import { seededRandom } from '../seeded-random'
import { envelopeOf, problemOf, readItems, signalsIn } from './read-signals'

const READ =
  `log trace_metric session sessions client_report attachment user_report feedback replay_event replay_recording
  profile profile_chunk profile_chunk_ui check_in raw_security nel`.split(/\s+/)

it.each(['event', 'transaction', 'span'])('an item type %s becomes errors, segments or spans', (type) => {
  expect(isParsedType(type)).toBe(true)
  expect(signalParserOf(type)).toBeNull()
})

it.each(READ)('an item type %s becomes signals', (type) => {
  expect(signalParserOf(type)).not.toBeNull()
  expect(isParsedType(type)).toBe(false)
})

it('an item type is in at most one of the two lists; types in neither are listed here', () => {
  expect(Object.keys(SIGNAL_PARSERS).toSorted()).toEqual(READ.toSorted())
  expect(Object.keys(ITEM_PARSERS).toSorted()).toEqual(['event', 'span', 'transaction'])
})

const UNPARSED = `of_tomorrow constructor __proto__ toString statsd metric_buckets replay_video form_data unreal_report
  security`.split(/\s+/)

it.each(['', ...UNPARSED])('an item type %j is stored and not parsed', (type) => {
  expect([isParsedType(type), signalParserOf(type)]).toEqual([false, null])
})

it.each(capturedNames)('the captured envelope %s is parsed without a problem', (name) => {
  for (const result of readItems(capturedBytes(name))) if (result !== null) expect(result).toMatchObject({ ok: true })
})

it.each(capturedNames)('the captured envelope %s always becomes the same signals', (name) => {
  expect(signalsIn(capturedBytes(name))).toEqual(signalsIn(capturedBytes(name)))
})

describe('random payloads', () => {
  const PLAIN = [null, true, -1, 1e308, '', 'text', '2026-11-20T10:00:00Z', 'ab'.repeat(16)]
  const NESTED: readonly unknown[] = [[], {}, [null, 1, 'x', {}], { values: [1] }, { constructor: 1, ['__proto__']: 2 }]
  const NAMES = `timestamp level body trace_id span_id attributes items aggregates attrs sid started status seq event_id
    discarded_events contexts trace feedback message replay_id segment_id urls error_ids trace_ids request profile samples
    transaction transactions check_in_id monitor_slug monitor_config csp-report expect-ct-report type url known-pins
    replay_start_timestamp duration sdk client_sdk platform`.split(/\s+/)

  it.each(READ)('%s is parsed or refused with an error message, and its signals can be stored', (type) => {
    const random = seededRandom(20_261_120)
    const pick = <Value>(from: readonly Value[]): Value => from[Math.floor(random() * from.length)] as Value
    const value = (depth: number): unknown =>
      depth > 0 && random() < 0.4
        ? Object.fromEntries(Array.from({ length: 6 }, () => [pick(NAMES), value(depth - 1)]))
        : pick([...PLAIN, ...NESTED])
    for (let round = 0; round < 300; round += 1) {
      const payload = Object.fromEntries(NAMES.filter(() => random() < 0.5).map((name) => [name, value(3)]))
      const [result] = readItems(envelopeOf(type, payload))
      if (result?.ok === false) expect(result.error).toMatch(/^(?:the |no )/)
      for (const signal of result?.ok ? result.value.signals : []) {
        expect(SIGNAL_KINDS).toContain(signal.kind)
        expect([signal.rank, signal.timestampUs ?? 0].every(Number.isSafeInteger)).toBe(true)
        expect([signal.name.length <= 1000, (signal.key ?? '').length <= 250]).toEqual([true, true])
        expect(() => JSON.stringify(signal.fields)).not.toThrow()
      }
    }
  })

  it.each(READ.filter((type) => type !== 'attachment'))('%s is not parsed below the depth limit', (type) => {
    const deep = `{"a":${'['.repeat(4)}${']'.repeat(4)}}`
    const tooDeep = problemOf(type, deep, { ...SIZE_LIMITS, depth: 4 })
    expect(tooDeep).toMatch(type === 'replay_recording' ? /segment_id/ : /^the payload is nested deeper than 4 levels$/)
    expect(problemOf(type, deep, { ...SIZE_LIMITS, depth: 5 }) ?? '').not.toContain('deeper')
  })
})

describe('updates that arrive in any order', () => {
  const ID = 'ab'.repeat(16)
  const session = (ms: number, more: object) => ({ sid: ID, timestamp: new Date(1.79e12 + ms).toISOString(), ...more })
  const STORIES: readonly (readonly [string, readonly object[], object])[] = [
    [
      'session',
      [
        session(0, { init: true, status: 'ok', errors: 0 }),
        session(0, { init: false, status: 'ok', errors: 1 }),
        session(5, { status: 'ok', errors: 2 }),
        session(5, { status: 'exited', errors: 2 }),
      ],
      { level: 'exited', fields: { errors: 2 } },
    ],
    [
      'check_in',
      [
        { check_in_id: ID, monitor_slug: 'm', status: 'in_progress' },
        { check_in_id: ID, monitor_slug: 'm', status: 'ok', duration: 3 },
      ],
      { level: 'ok', fields: { duration: 3 } },
    ],
  ]

  it.each(STORIES)('%s: every order results in the same signal', (type, updates, ending) => {
    const random = seededRandom(7)
    for (let round = 0; round < 50; round += 1) {
      const order = [...updates, ...updates].map((one) => [random(), one] as const).toSorted((a, b) => a[0] - b[0])
      const signals = signalsIn(Buffer.concat(order.map(([, one], at) => part(type, one, at === 0))))
      expect(new Set(signals.map((signal) => signal.key))).toEqual(new Set([ID]))
      // As for rows: the higher rank wins, and of equal ones the later.
      const shown = signals.reduce((best, next) => (next.rank >= best.rank ? next : best))
      expect(shown).toMatchObject(ending)
    }
  })

  const part = (type: string, payload: object, first: boolean): Buffer => {
    const text = JSON.stringify(payload)
    return Buffer.from(`${first ? '{}' : ''}\n${JSON.stringify({ type })}\n${text}`)
  }
})
