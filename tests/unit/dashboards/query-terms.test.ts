import { describe, expect, it } from 'vitest'
import {
  hasTerm,
  narrowQuery,
  projectScope,
  queryOfAddress,
  settledPart,
  toggleTerm,
  withoutKey,
  withoutTerm,
} from '../../../dashboards/ui/query-terms'
import type { QueryList } from '../../../lib/filter/keys'
import { readQuery } from '../../../lib/filter/query'

const NONE: readonly string[] = []

describe('a click on a value', () => {
  it.each([
    ['', false, 'op:pageload'],
    ['slow status:ok', false, 'slow status:ok op:pageload'],
    ['op:pageload', false, 'op:pageload'],
    ['op:"pageload"', false, 'op:pageload'],
    ['op:navigation slow op:http.server', false, 'slow op:pageload'],
    ['-op:pageload', false, 'op:pageload'],
    ['-op:navigation', false, '-op:navigation op:pageload'],
    ['op:pageload slow', true, 'slow -op:pageload'],
    ['op:navigation', true, 'op:navigation -op:pageload'],
    ['-op:pageload', true, '-op:pageload'],
    ['"not closed', false, '"not closed" op:pageload'],
  ])('narrows %j (excluded: %s) to %j', (query, isExcluded, narrowed) => {
    expect(narrowQuery(query, 'op', 'pageload', isExcluded)).toBe(narrowed)
  })

  it.each(['GET /cart', 'a"b', '>5', '-x', 'a*', ''])('finds the value %j again', (value) => {
    const query = narrowQuery('', 'name', value, false)
    expect(readQuery('traces', query, 0)).toMatchObject(
      value === '' ? { problems: [{ at: 0 }] } : { problems: [], filter: { name: value } },
    )
  })
})

describe('a choice in a menu', () => {
  it('adds a term or removes it, and keeps other values of the key', () => {
    expect(toggleTerm('op:a', 'op', 'op:b')).toBe('op:a op:b')
    expect(toggleTerm('op:a op:"b" c', 'op', 'op:b')).toBe('op:a c')
  })

  it('replaces the comparison of a key with an order', () => {
    expect(toggleTerm('duration:>1s slow', 'duration', 'duration:>100ms')).toBe('slow duration:>100ms')
    expect(toggleTerm('duration:>1s', 'duration', 'duration:>1s')).toBe('')
  })

  it('distinguishes values, comparisons, beginnings and negations', () => {
    const query = 'op:a -op:b op:c* duration:>1s'
    expect(['op:a', '-op:b', 'op:c*', 'duration:>1s'].every((term) => hasTerm(query, term))).toBe(true)
    expect(['-op:a', 'op:b', 'op:c', 'duration:>=1s'].some((term) => hasTerm(query, term))).toBe(false)
    expect(withoutTerm(query, 'op:c*')).toBe('op:a -op:b duration:>1s')
    expect(withoutKey(query, 'op')).toBe('duration:>1s')
  })
})

describe('while it is typed, a query', () => {
  it.each([
    ['', ''],
    ['slow', 'slow'],
    ['slow op:page', 'slow '],
    ['slow op:pageload ', 'slow op:pageload '],
    ['op:pageload chec', 'op:pageload chec'],
    ['slow -ser', 'slow '],
    ['name:"GET /ca', ''],
    ['"two wor', ''],
    ['name:"GET /cart"', 'name:"GET /cart"'],
  ])('%j applies as %j', (typed, settled) => {
    expect(settledPart(typed)).toBe(settled)
  })
})

describe('an old address', () => {
  it.each<[QueryList, string, string]>([
    ['traces', '?op=pageload&status=error', 'op:pageload status:error'],
    ['traces', '?name=GET%20%2Fcart&env=dev', 'name:"GET /cart" environment:dev'],
    ['traces', '?since=15m&until=2026-11-20T10:00:00Z', 'time:>=15m time:<2026-11-20T10:00:00Z'],
    ['traces', '?from=2h&to=1h', 'time:>=2h time:<1h'],
    ['traces', '?min_duration=250ms&max_duration=2s', 'duration:>=250ms duration:<=2s'],
    ['traces', '?duration=%3E250ms', 'duration:>250ms'],
    ['events', '?text=card%20refused', 'card refused'],
    ['events', '?text=TypeError:%20error:%20-x%20%22hi', 'TypeError: "error:" "-x" """hi"'],
    ['traces', '?q=slow&op=pageload', 'slow op:pageload'],
    ['envelopes', '?delivery=dropped&type=event&stamp=ci-7', 'delivery:dropped type:event stamp:ci-7'],
    ['deliveries', '?status=none&envelope=17', 'status:none envelope:17'],
  ])('of %s, %s, becomes the query %j', (list, search, query) => {
    const changes = queryOfAddress(list, search, NONE)
    expect(changes?.q).toBe(query)
    expect(readQuery(list, query, 1.8e12).problems).toEqual([])
    const names = [...new URLSearchParams(search).keys()].filter((name) => name !== 'q')
    expect(Object.keys(changes ?? {}).sort()).toEqual([...names, 'q'].sort())
  })

  it('is left alone without filters, and its other parameters stay', () => {
    expect(queryOfAddress('traces', '?q=op:pageload&utm_source=x&statsu=y', NONE)).toBeNull()
    expect(queryOfAddress('deliveries', '?show=attempts&op=x', ['show'])).toBeNull()
    expect(queryOfAddress('signals', '?kind=log&open=1-0&level=error', ['kind', 'open'])).toEqual({
      level: null,
      q: 'level:error',
    })
    expect(queryOfAddress('traces', '?name=x', ['name'])).toBeNull()
    expect(queryOfAddress('traces', '?op=', NONE)).toEqual({ op: null, q: '' })
  })
})

it.each([
  ['', 'all projects'],
  ['op:pageload "project:7"', 'all projects'],
  ['slow project:7', 'project 7'],
  ['project:7 project:1*', 'projects 7 or 1*'],
  ['-project:7 -project:1', 'all projects but 7 and 1'],
])('%j covers %s', (query, scope) => {
  expect(projectScope(query)).toBe(scope)
})
