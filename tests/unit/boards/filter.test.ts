import { describe, expect, it } from 'vitest'
import { envelopeChoices, eventChoices, signalChoices, traceChoices } from '../../../dashboards/filter/arrange/choices'
import { type BoardList, filterFor, filterNames } from '../../../dashboards/filter/arrange/filter-of-list'
import { allFilterWords, filterWords } from '../../../dashboards/filter/arrange/filter-words'
import { addSeen } from '../../../dashboards/filter/arrange/seen-values'
import { thingTyped } from '../../../dashboards/filter/arrange/thing-typed'
import { readTyped, typedPart, typedText } from '../../../dashboards/filter/arrange/typed'
import { readWrong } from '../../../dashboards/filter/arrange/wrong-filter'
import { filterKey, mendAddress, readAddress } from '../../../dashboards/filter/url/filter-address'
import type { FilterName } from '../../../lib/wire/filter'

const TRACE_ID = 'aaaabbbbccccddddaaaabbbbccccdddd'

describe('what is typed above a list', () => {
  const asked = (typed: string, list: BoardList = 'traces') => {
    const { changes, text } = readTyped(list, typed, true)
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
  ])('%j asks for %j and the words %j', (typed, changes, text) => {
    expect(asked(typed)).toEqual([changes, text])
  })

  it.each([
    ['duration:250ms', { min_duration: '250ms' }],
    ['duration:>250ms', { min_duration: '250ms' }],
    ['duration:>=250ms', { min_duration: '250ms' }],
    ['duration:<2s', { max_duration: '2s' }],
    ['duration:250ms..2s', { min_duration: '250ms', max_duration: '2s' }],
    ['duration:..2s', { max_duration: '2s' }],
    ['min_duration:1m', { min_duration: '1m' }],
  ])('%s is %j', (typed, changes) => {
    expect(asked(typed)).toEqual([changes, ''])
  })

  it('counts a part once a space follows it, and leaves the rest in the field', () => {
    const typing = (typed: string) => {
      const { changes, rest, text } = readTyped('traces', typed, false)
      return [changes, rest, text]
    }
    expect(typing('op:page')).toEqual([{}, 'op:page', ''])
    expect(typing('op:pageload ')).toEqual([{ op: 'pageload' }, '', ''])
    expect(typing('slow op:pageload chec')).toEqual([{ op: 'pageload' }, 'slow chec', 'slow chec'])
    expect(typing('slow ')).toEqual([{}, 'slow ', 'slow'])
  })

  it('keeps a name that the list does not have, and offers the nearest', () => {
    const { changes, rest, text, mistake } = readTyped('traces', 'slow stauts:error', true)
    expect([changes, rest, text]).toEqual([{}, 'slow stauts:error', 'slow'])
    expect(mistake).toEqual({
      source: 'stauts:error',
      sentence: 'Traces cannot be narrowed by “stauts”; did you mean status? In quotes it is a word to look for.',
      instead: ['status:error', '"stauts:error"'],
    })
  })

  it('does not call a name wrong that is still being typed', () => {
    expect(readTyped('traces', 'stauts:er', false).mistake).toBeNull()
    expect(readTyped('traces', 'stauts:er ', false).mistake).not.toBeNull()
  })

  it.each(['op:', 'duration:', 'duration:>', 'duration:<=', 'duration:..'])('%s wants a value behind it', (typed) => {
    const { changes, rest, mistake } = readTyped('traces', typed, true)
    expect([changes, rest, mistake?.sentence]).toEqual([{}, typed, `${typed} wants a value behind it.`])
  })

  it('above envelopes, which have no words, says so', () => {
    const { text, mistake } = readTyped('envelopes', 'event', true)
    expect([text, mistake?.instead]).toEqual(['', ['type:event', 'sdk:event']])
  })

  it('above envelopes, calls a number no mistake where it leads to one', () => {
    expect(readTyped('envelopes', '17', true).mistake).toBeNull()
    expect(readTyped('envelopes', '17 18', true).mistake).not.toBeNull()
  })

  it.each(['a word', 'node:fs and more', 'https://x.y', 'say "hi"', '"two words"', '"', '""', 'op:x op: text:x a:"b'])(
    'is typed again as it was meant: %s',
    (text) => {
      expect(asked(typedText('traces', text))).toEqual([{}, text])
    },
  )

  it('is typed again without quotes where none are needed', () => {
    expect(typedText('traces', 'TypeError: x said error: no https://x.y')).toBe(
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
  ])('a part is typed as it is read: %s of %s', (name, value) => {
    expect(asked(typedPart(name, value))).toEqual([{ [name]: value }, ''])
  })
})

describe('an id that is typed alone', () => {
  it.each<[BoardList, string, string | null]>([
    ['traces', ` ${TRACE_ID} `, `/traces/${TRACE_ID}`],
    ['events', TRACE_ID, `/events/${TRACE_ID}`],
    ['envelopes', '12', '/envelopes/12'],
    ['envelopes', '0', null],
    ['traces', 'abc', null],
  ])('above %s, %j leads to %j', (list, typed, href) => {
    expect(thingTyped(list, typed)?.href ?? null).toBe(href)
  })
})

describe('a part of a filter in words', () => {
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
    ['since', 'yesterday', 'since yesterday'],
    ['handled', 'false', 'unhandled'],
    ['type', 'event', 'with event'],
    ['fate', 'rate_limited', 'delivery is rate limited'],
    ['fate', 'lost', 'delivery is lost'],
    ['door', 'stream', 'door is copy'],
    ['door', 'store', 'door is direct (store)'],
    ['release', 'shop_1', 'release is shop_1'],
    ['trace', TRACE_ID, 'trace is aaaabbbb'],
    ['op', 'a\u202eb', 'op is a⟨U+202E⟩b'],
  ])('%s=%s is “%s”', (name, value, words) => {
    expect(filterWords(name, value, now)).toBe(words)
  })

  it('stands in the order of the list’s names', () => {
    const words = allFilterWords(filterNames('traces'), { environment: 'staging', op: 'pageload' }, now)
    expect(words.map((one) => one.words)).toEqual(['op is pageload', 'environment is staging'])
  })
})

describe('an address', () => {
  it('asks for what the list knows, and is the same filter in any order', () => {
    const one = readAddress('traces', '?status=error&op=pageload&kind=x&utm=1&text=')
    expect(one).toEqual({ op: 'pageload', status: 'error' })
    expect(filterKey('traces', one)).toBe(filterKey('traces', readAddress('traces', 'op=pageload&status=error')))
    expect(filterKey('traces', {})).toBe('')
  })

  it('of old leads to the one of today', () => {
    expect(mendAddress('traces', '?q=steady&only=errors')).toEqual({
      text: 'steady',
      status: 'error',
      q: null,
      only: null,
    })
    expect(mendAddress('events', '?q=boom')).toEqual({ text: 'boom', q: null, only: null })
    expect(mendAddress('traces', '?q=old&text=new')).toEqual({ q: null, only: null })
    expect(mendAddress('envelopes', '?q=tunnel')).toEqual({ q: null, only: null })
    expect(mendAddress('traces', '?text=x')).toBeNull()
  })

  it('gives each list what it can be asked for', () => {
    expect(filterFor('envelopes', { op: 'x', type: 'event', text: 'y' })).toMatchObject({ type: 'event' })
    expect(Object.keys(filterFor('envelopes', { op: 'x' }))).not.toContain('op')
  })
})

describe('the values that were seen', () => {
  const valuesOf = (row: { readonly op: string | null; readonly services: readonly string[] }) => ({
    op: row.op,
    service: row.services,
  })

  it('grow, each once and in order, and stay when the list is narrowed', () => {
    const seen = addSeen({}, [{ op: 'pageload', services: ['browser', 'server'] }], valuesOf)
    expect(seen).toEqual({ op: ['pageload'], service: ['browser', 'server'] })
    expect(addSeen(seen, [{ op: 'http.server', services: ['server'] }], valuesOf).op).toEqual([
      'http.server',
      'pageload',
    ])
  })

  it('are the same object where nothing is new, so that nothing is drawn again', () => {
    const seen = addSeen({}, [{ op: 'a', services: [] }], valuesOf)
    expect(addSeen(seen, [{ op: 'a', services: [] }], valuesOf)).toBe(seen)
    expect(addSeen(seen, [{ op: null, services: [''] }], valuesOf)).toBe(seen)
  })

  it('are at most thirty of a name', () => {
    const rows = Array.from({ length: 100 }, (_, at) => ({ op: `op ${at}`, services: [] }))
    expect(addSeen({}, rows, valuesOf).op).toHaveLength(30)
  })
})

describe('what can be chosen above a list', () => {
  const seen = { op: ['pageload'], level: ['crashed'], type: ['event'], service: ['browser'] }

  it.each([
    ['traces', traceChoices(seen)],
    ['events', eventChoices(seen)],
    ['signals', signalChoices(seen, 'Level')],
    ['envelopes', envelopeChoices(seen)],
  ] as const)('of %s is what the list can be asked for, each option once', (list, choices) => {
    for (const { name, options } of choices) {
      expect(filterNames(list)).toContain(name)
      for (const part of ['value', 'label'] as const) {
        const values = options.map((option) => option[part])
        expect(new Set(values).size, `${name} ${part}`).toBe(values.length)
      }
    }
  })

  it('holds what was seen', () => {
    const op = traceChoices(seen).find((choice) => choice.name === 'op')
    expect(op?.options.map((option) => option.value)).toEqual(['pageload'])
    expect(signalChoices(seen, null).some((choice) => choice.name === 'level')).toBe(false)
  })
})

describe('the collector’s word on a filter', () => {
  it('names the part that it speaks of, and what may have been meant', () => {
    const sentence = 'status=eror: meant is one of ok, error, unset; did you mean error?'
    expect(readWrong('traces', sentence)).toEqual({ sentence, name: 'status', instead: 'error' })
    expect(readWrong('traces', 'min_duration=x: meant is a duration such as 250ms')).toMatchObject({
      name: 'min_duration',
      instead: null,
    })
    expect(readWrong('traces', 'door=x: did you mean stream?')).toMatchObject({ name: null, instead: null })
    expect(readWrong('traces', 'something else')).toMatchObject({ name: null, instead: null })
  })
})
