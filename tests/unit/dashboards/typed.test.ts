import { describe, expect, it } from 'vitest'
import type { BoardList } from '../../../dashboards/ui/filter-address'
import { formatPart, parseInput as parseAt, quoteText } from '../../../dashboards/ui/filter-parser'
import type { FilterName } from '../../../lib/wire/filter'

const NOW = new Date(2026, 10, 21, 18, 30).getTime()

const parse = (list: BoardList, typed: string, done: boolean) => parseAt(list, typed, done, NOW)

describe('input of a filter field', () => {
  const parsed = (typed: string, list: BoardList = 'traces') => {
    const { changes, text } = parse(list, typed, true)
    return [changes, text]
  }

  it.each([
    ['checkout slow', {}, 'checkout slow'],
    ['op:pageload', { op: 'pageload' }, ''],
    ['op:pageload status:error env:staging lost', { op: 'pageload', status: 'error', environment: 'staging' }, 'lost'],
    ['name:"GET /api/[id]" x', { name: 'GET /api/[id]' }, 'x'],
    ['name:"GET /api', { name: 'GET /api' }, ''],
    ['"two words" three', {}, 'two words three'],
    ['"node:fs"', {}, 'node:fs'],
    ['https://example.org/a', {}, 'https://example.org/a'],
    ['TypeError: x is null', {}, 'TypeError: x is null'],
    ['error: x', {}, 'error: x'],
    ['text:word', {}, 'word'],
    ['from:1h to:10m', { since: '1h', until: '10m' }, ''],
    ['name:"//x"', { name: '//x' }, ''],
    ['"say ""hi""" op:"a ""b"""', { op: 'a "b"' }, 'say "hi"'],
    ['  ', {}, ''],
  ])('%j is parsed as %j and the text %j', (typed, changes, text) => {
    expect(parsed(typed)).toEqual([changes, text])
  })

  it.each([
    ['duration:250ms', { min_duration: '250ms' }],
    ['duration:>250ms', { min_duration: '250ms' }],
    ['duration:>=250ms', { min_duration: '250ms' }],
    ['duration:<2s', { max_duration: '2s' }],
    ['duration:250ms..2s', { min_duration: '250ms', max_duration: '2s' }],
    ['duration:..2s', { max_duration: '2s' }],
    ['min_duration:1m', { min_duration: '1m' }],
  ])('%s is parsed as %j', (typed, changes) => {
    expect(parsed(typed)).toEqual([changes, ''])
  })

  it('applies a part once a space follows it, and leaves the rest in the field', () => {
    const typing = (typed: string) => {
      const { changes, rest, text } = parse('traces', typed, false)
      return [changes, rest, text]
    }
    expect(typing('op:page')).toEqual([{}, 'op:page', ''])
    expect(typing('op:pageload ')).toEqual([{ op: 'pageload' }, '', ''])
    expect(typing('slow op:pageload chec')).toEqual([{ op: 'pageload' }, 'slow chec', 'slow chec'])
    expect(typing('slow ')).toEqual([{}, 'slow ', 'slow'])
  })

  it('keeps an unknown name and suggests the nearest', () => {
    const { changes, rest, text, mistake } = parse('traces', 'slow stauts:error', true)
    expect([changes, rest, text]).toEqual([{}, 'slow stauts:error', 'slow'])
    expect(mistake).toEqual({
      source: 'stauts:error',
      message: 'Traces cannot be filtered by “stauts”; did you mean status? Quote it to search for it as text.',
      suggestions: ['status:error', '"stauts:error"'],
    })
  })

  it('lists the supported names when none is near', () => {
    const { mistake } = parse('events', 'user:bob', true)
    expect(mistake?.message).toBe(
      'Errors cannot be filtered by “user”; supported: level, handled, name, since, until, text, environment, release, service, stamp, trace, own, page, project. Quote it to search for it as text.',
    )
    expect(mistake?.suggestions).toEqual(['"user:bob"'])
    expect(parse('traces', 'is:error', true).mistake?.suggestions).toEqual(['"is:error"'])
    expect(parse('traces', 'is:error', true).mistake?.message).toContain('status, duration, since')
  })

  it('suggests no quotes without text search', () => {
    const { mistake } = parse('envelopes', 'release:1', true)
    expect(mistake?.message).not.toContain('Quote it')
    expect(mistake?.suggestions).toEqual([])
  })

  it.each<[BoardList, string, object]>([
    ['events', 'handled:no', { handled: 'false' }],
    ['events', 'handled:Yes', { handled: 'true' }],
    ['events', 'level:warn', { level: 'warning' }],
    ['signals', 'level:warn', { level: 'warn' }],
    ['traces', 'status:failed', { status: 'error' }],
    ['traces', 'status:succeeded', { status: 'ok' }],
    ['envelopes', 'delivery:accepted', { delivery: 'accepted' }],
    ['envelopes', 'type:error', { type: 'event' }],
    ['envelopes', 'delivery:"rate limited"', { delivery: 'rate_limited' }],
    ['envelopes', 'endpoint:copy', { endpoint: 'stream' }],
    ['deliveries', 'status:"no answer"', { status: 'none' }],
    ['deliveries', 'status:413', { status: '413' }],
  ])('above %s, %s is %j', (list, typed, changes) => {
    expect(parsed(typed, list)).toEqual([changes, ''])
  })

  it.each([
    ['9:00', [2026, 10, 21, 9]],
    ['18:31', [2026, 10, 20, 18, 31]],
    ['2026-11-21T18:00', [2026, 10, 21, 18]],
    ['"2026-11-21 18:00:05.5"', [2026, 10, 21, 18, 0, 5, 500]],
    ['2026-11-20', [2026, 10, 20]],
  ] as const)('since:%s is a local time', (typed, [year, month, ...rest]) => {
    const [day, ...clock] = rest
    const iso = new Date(year, month, day, ...clock).toISOString().replace('.000Z', 'Z')
    expect(parsed(`since:${typed}`)).toEqual([{ since: iso }, ''])
  })

  it.each(['2026-02-31', '2026-13-01', '2026-00-01', '25:00', '9:75', '1763700000', '2026-11-21T18:00:00Z', '15m'])(
    'since:%s stays as typed',
    (value) => {
      expect(parsed(`since:${value}`)).toEqual([{ since: value }, ''])
    },
  )

  it('requires a unit for an age', () => {
    const { changes, mistake } = parse('traces', 'from:15', true)
    expect([changes, mistake?.message, mistake?.suggestions]).toEqual([
      {},
      'from:15 needs a unit: s, m, h or d.',
      ['from:15m'],
    ])
  })

  it('does not report a name that is still being typed', () => {
    expect(parse('traces', 'stauts:er', false).mistake).toBeNull()
    expect(parse('traces', 'stauts:er ', false).mistake).not.toBeNull()
  })

  it.each(['op:', 'duration:', 'duration:>', 'duration:<=', 'duration:..'])('%s needs a value', (typed) => {
    const { changes, rest, mistake } = parse('traces', typed, true)
    expect([changes, rest, mistake?.message]).toEqual([{}, typed, `${typed} needs a value.`])
  })

  it('above envelopes reports that text search is missing', () => {
    const { text, mistake } = parse('envelopes', 'event', true)
    expect([text, mistake?.suggestions]).toEqual(['', ['type:event', 'sdk:event']])
    expect(parse('deliveries', 'sentry', true).mistake?.suggestions).toEqual(['status:sentry', 'upstream:sentry'])
  })

  it.each([
    ['accepted', 'delivery:accepted'],
    ['tunnel', 'endpoint:tunnel'],
    ['"rate limited"', 'delivery:rate_limited'],
  ])('above envelopes suggests the parts with the value %s', (typed, part) => {
    expect(parse('envelopes', typed, true).mistake?.suggestions).toEqual([part])
  })

  it('above envelopes accepts an envelope number', () => {
    expect(parse('envelopes', '17', true).mistake).toBeNull()
    expect(parse('envelopes', '17 18', true).mistake).not.toBeNull()
  })

  it.each(['a word', 'node:fs and more', 'https://x.y', 'say "hi"', '"two words"', '"', '""', 'op:x op: text:x a:"b'])(
    'formats a parsed text so that it parses the same: %s',
    (text) => {
      expect(parsed(quoteText('traces', text))).toEqual([{}, text])
    },
  )

  it('quotes text only when needed', () => {
    expect(quoteText('traces', 'TypeError: x said error: no https://x.y')).toBe(
      'TypeError: x said error: no https://x.y',
    )
  })

  it.each<[FilterName, string]>([
    ['name', 'GET /api'],
    ['op', 'pageload'],
    ['op', 'a"b'],
    ['op', '"a'],
    ['release', 'shop 1"2'],
    ['name', '//x'],
    ['environment', ' '],
  ])('formats a part so that it parses the same: %s of %s', (name, value) => {
    expect(parsed(formatPart(name, value))).toEqual([{ [name]: value }, ''])
  })
})
