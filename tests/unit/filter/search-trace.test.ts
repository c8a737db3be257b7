import { describe, expect, it } from 'vitest'
import { minimumDuration, withMinimumDuration } from '../../../lib/filter/minimum-duration'
import { MAX_QUERY_TERMS } from '../../../lib/filter/query'
import { type SearchedSpan, searchTrace } from '../../../lib/filter/search-trace'

const spanOf = (
  spanId: string,
  parentSpanId: string | null,
  ms: number,
  more: Partial<SearchedSpan> = {},
): SearchedSpan => ({
  spanId,
  parentSpanId,
  startUs: 5000,
  endUs: 5000 + ms * 1000,
  service: 'api',
  op: null,
  name: spanId,
  status: null,
  ...more,
})

const SPANS = [
  spanOf('root', null, 1000, { name: 'GET /cart', op: 'http.server', httpStatus: 500, status: 'internal_error' }),
  spanOf('slow', 'root', 51, { name: 'SELECT cart', op: 'db.query', status: 'ok' }),
  spanOf('fast', 'root', 20, { name: 'SELECT user', op: 'db', status: 'ok' }),
  spanOf('script', 'gone', 50, { name: 'cartridge.js', op: 'resource.script', service: 'browser' }),
]
const found = (query: string) => [...searchTrace(SPANS, query, 1_000_000).matches].join(' ')

describe('a search in a trace', () => {
  it.each([
    ['', 'root slow fast script'],
    ['op:db', 'slow fast'],
    ['-op:db', 'root script'],
    ['op:db.query op:resource*', 'slow script'],
    ['op:d', ''],
    ['duration:>50ms', 'root slow'],
    ['duration:>=50ms duration:<1s', 'slow script'],
    ['-duration:>50ms', 'fast script'],
    ['duration:>5%', 'root slow'],
    ['duration:<=2%', 'fast'],
    ['status:error', 'root'],
    ['status:ok', 'slow fast'],
    ['-status:ok', 'root script'],
    ['service:api op:db duration:>50ms', 'slow'],
    ['name:"GET /cart"', 'root'],
    ['name:SELECT*', 'slow fast'],
    ['http:500', 'root'],
    ['http:4*', ''],
    ['cart', 'root slow script'],
    ['cart select', 'slow'],
    ['-cart', 'fast'],
    ['"cart"', 'root slow'],
    ['script', 'script'],
  ])('%j matches %j', (query, expected) => {
    expect(searchTrace(SPANS, query, 1_000_000).problems).toEqual([])
    expect(found(query)).toBe(expected)
  })

  it.each<[string, number, string, string | null]>([
    [
      'op:db dauer:1',
      6,
      'dauer:1: a trace is not searched by dauer; valid are op, name, service, status, http, duration; quote it to search for it as text',
      null,
    ],
    [
      '-durations:>1s',
      0,
      '-durations:>1s: a trace is not searched by durations; did you mean duration?; quote it to search for it as text',
      '-duration:>1s',
    ],
    [
      'constructor:x',
      0,
      'constructor:x: a trace is not searched by constructor; valid are op, name, service, status, http, duration; quote it to search for it as text',
      null,
    ],
    ['status:bad', 0, 'status:bad: must be one of ok, error, unset', null],
    ['duration:50ms', 0, 'duration:50ms: duration is compared by > or <', 'duration:>50ms'],
    [
      'duration:>2x',
      0,
      'duration:>2x: must be a duration such as 250ms, 1.5s, 90us or 2m; a number without a unit is ms; or a share of the trace such as 2%',
      null,
    ],
    ['-op:>3', 0, '-op:>3: op has no order; compare it as op:3', '-op:3'],
    ['op:', 0, 'op: needs a value', null],
    ['name:"GET', 0, 'name:"GET: the quotation has no end', 'name:"GET"'],
    ['--', 0, '-- must be 1 to 8 words of at most 64 letters or digits', null],
  ])('%j has a problem at %i', (query, at, message, suggestion) => {
    expect(searchTrace(SPANS, query, 1).problems).toEqual([{ at, length: query.length - at, message, suggestion }])
  })

  it('compares words without accents, and ignores case', () => {
    const spans = [...SPANS, spanOf('accents', null, 1, { name: 'GET /Café/straße' })]
    const matches = (query: string) => [...searchTrace(spans, query, 1).matches].join(' ')
    expect(['cafe', 'STRASSE get', 'afe', 'rasse'].map(matches)).toEqual(['accents', 'accents', '', ''])
    expect(['CART', 'art', 'db query', '7cart'].map(matches)).toEqual(['root slow script', '', 'slow', ''])
  })

  it('applies the other terms when one is wrong, and at most 20', () => {
    expect(found('op:db nope:1')).toBe('slow fast')
    const many = `${'op:db '.repeat(MAX_QUERY_TERMS)}op:http.server`
    expect(searchTrace(SPANS, many, 1).problems).toMatchObject([
      { message: 'op:http.server does not apply: a query has at most 20 terms' },
    ])
    expect(found(many)).toBe('slow fast')
  })
})

it('the least duration of a search is one of its terms', () => {
  expect(minimumDuration('op:db duration:>50ms')).toBe('50ms')
  expect(minimumDuration('-duration:>50ms duration:<1s')).toBeNull()
  expect(withMinimumDuration('"a b" duration:>50ms duration:<1s', '5%')).toBe('"a b" duration:<1s duration:>=5%')
  expect(withMinimumDuration('duration:>=5% op:db', null)).toBe('op:db')
})
