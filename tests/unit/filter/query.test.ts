import { describe, expect, it } from 'vitest'
import { COUNTED_KEYS, KEY_VALUES, keysOf, QUERY_LISTS } from '../../../lib/filter/keys'
import { MAX_QUERY_TERMS, readQuery, termOf } from '../../../lib/filter/query'
import type { ListFilter } from '../../../lib/wire/list-filter'

const NOW = Date.parse('2026-11-20T10:00:00Z')
const traces = (query: string) => readQuery('traces', query, NOW)

describe('readQuery', () => {
  it.each<[string, ListFilter]>([
    ['', {}],
    ['op:pageload', { op: 'pageload' }],
    ['op:pageload op:navigation', { any: [[{ op: 'pageload' }, { op: 'navigation' }]] }],
    ['-op:pageload -status:error', { not: [{ op: 'pageload' }, { status: 'error' }] }],
    ['duration:>20ms', { minDurationUs: 20_001 }],
    ['duration:>=20ms duration:<2s', { minDurationUs: 20_000, maxDurationUs: 1_999_999 }],
    ['time:>15m', { sinceUs: (NOW - 900_000) * 1000 + 1 }],
    ['-duration:>1s', { maxDurationUs: 1_000_000 }],
    ['-duration:<=1s', { minDurationUs: 1_000_001 }],
    ['-time:<15m', { sinceUs: (NOW - 900_000) * 1000 }],
    ['service:a*', { starts: { service: 'a' } }],
    ['service:a* service:b', { any: [[{ starts: { service: 'a' } }, { service: 'b' }]] }],
    ['name:"GET /cart"', { name: 'GET /cart' }],
    ['name:"GET /a"*', { starts: { name: 'GET /a' } }],
    ['name:"say ""hi"""', { name: 'say "hi"' }],
    ['Card refused', { text: ['card', 'refused'] }],
    ['"Card refused" 42', { phrases: ['card refused'], text: ['42'] }],
    ['-refused -"no such"', { not: [{ text: ['refused'] }, { phrases: ['no such'] }] }],
    ['https://example.org/a', { text: ['https', 'example', 'org', 'a'] }],
    ['own:only', { own: true }],
    ['own:show', {}],
  ])('%j', (query, filter) => {
    expect(traces(query)).toMatchObject({ filter, problems: [] })
    expect(Object.keys(traces(query).filter)).toEqual(Object.keys(filter))
  })

  it.each<[string, number, string, string | null]>([
    ['op:a oop:b', 5, 'oop:b: traces have no key oop; did you mean op?; quote it to search for it as text', 'op:b'],
    ['status:bad x', 0, 'status:bad: must be one of ok, error, unset', null],
    ['a duration:20ms', 2, 'duration:20ms: duration is compared by > or <', 'duration:>20ms'],
    ['op:>3', 0, 'op:>3: op has no order; compare it as op:3', 'op:3'],
    ['status:e*', 0, 'status:e*: status is compared as a whole; give it without *', 'status:e'],
    ['op:', 0, 'op: needs a value', null],
    ['op:*', 0, 'op:* needs a value', null],
    ['name:"GET', 0, 'name:"GET: the quotation has no end', 'name:"GET"'],
    ['-own:hide', 0, '-own:hide: own is hide, show or only, and cannot be negated', null],
  ])('%j has a problem at %i', (query, at, message, suggestion) => {
    expect(traces(query).problems).toEqual([{ at, length: expect.any(Number), message, suggestion }])
  })

  it('applies the other terms, and names each wrong one by its place', () => {
    const query = 'nope:1 op:pageload also:2'
    const { filter, problems, terms } = traces(query)
    expect([filter, terms.map(({ key, at }) => [key, at])]).toEqual([{ op: 'pageload' }, [['op', 7]]])
    expect(problems.map(({ at, length }) => query.slice(at, at + length))).toEqual(['nope:1', 'also:2'])
  })

  it('refuses terms beyond the 20th, and words where a list has no texts', () => {
    const many = Array.from({ length: MAX_QUERY_TERMS + 1 }, (_, index) => `op:o${index}`).join(' ')
    expect(traces(many).problems).toMatchObject([{ message: 'op:o20 does not apply: a query has at most 20 terms' }])
    expect(readQuery('deliveries', 'word', NOW).problems).toMatchObject([
      { message: 'word does not apply: deliveries have no texts; use one of status, upstream, envelope, time' },
    ])
  })

  it('adds to given conditions, also on the same field', () => {
    expect(readQuery('traces', 'op:a env:b', NOW, { op: 'c' }).filter).toEqual({ op: 'c', any: [[{ op: 'a' }]] })
  })

  it('terms for values read as those values', () => {
    for (const value of ['a', 'a b', '"', 'x*', '>3', '//x', '-y', 'ends"'])
      expect(traces(termOf('name', value))).toMatchObject({ filter: { name: value }, problems: [] })
  })
})

describe('the keys of a list', () => {
  it.each(QUERY_LISTS)('%s: examples and counted keys are valid', (list) => {
    for (const key of keysOf(list))
      for (const value of KEY_VALUES[key as keyof typeof KEY_VALUES] ?? [])
        if (list !== 'deliveries' || key !== 'status')
          expect(readQuery(list, `${key}:${value}`, NOW).problems).toEqual([])
    expect(keysOf(list)).toEqual(expect.arrayContaining([...COUNTED_KEYS[list]]))
  })
})
