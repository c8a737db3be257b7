import { describe, expect, it } from 'vitest'
import { differencesFrom, nearestOf, readConditions } from '../../../collector/cli/conditions'

const SPAN = {
  name: 'GET /api/cart',
  handled: false,
  parentSpanId: null,
  attributes: { 'http.response.status_code': 500, http: { route: '/api' } },
  list: ['a', 'b'],
}

function conditionsOf(...words: string[]) {
  const read = readConditions(words)
  if (!read.ok) throw new Error(read.error)
  return read.value
}

describe('what is wanted of an item, as it is typed', () => {
  it.each([
    'name=GET /api/cart',
    'name~^GET /api',
    'handled=false',
    'parentSpanId=null',
    'attributes.http.response.status_code=500',
    'attributes.http.route=/api',
    'attributes.http.response.status_code~^5',
    'list.1=b',
  ])('%s holds', (word) => {
    expect(differencesFrom(SPAN, conditionsOf(word))).toEqual([])
  })

  it.each([
    ['name=GET', { path: 'name', seen: '"GET /api/cart"', wanted: '"GET"' }],
    ['name~cart/$', { path: 'name', seen: '"GET /api/cart"', wanted: '/cart/$/' }],
    ['handled=true', { path: 'handled', seen: 'false', wanted: '"true"' }],
    ['nam=x', { path: 'nam', seen: '(there is none; did you mean name?)', wanted: '"x"' }],
    ['name.length=3', { path: 'name.length', seen: '(there is nothing below it)', wanted: '"3"' }],
    ['toString~.', { path: 'toString', seen: expect.stringContaining('there is none'), wanted: '/./' }],
  ])('%s does not, and says why', (word, difference) => {
    expect(differencesFrom(SPAN, conditionsOf(word))).toEqual([difference])
  })

  it.each([
    ['name', '"name": meant is field=value or field~regex, such as name=/checkout or title~^TypeError.'],
    ['=x', '"=x": meant is field=value or field~regex, such as name=/checkout or title~^TypeError.'],
    ['name~(', 'name~(: this is no regular expression: Invalid regular expression: /(/u: Unterminated group.'],
  ])('%s is refused', (word, sentence) => {
    expect(readConditions([word])).toEqual({ ok: false, error: sentence })
  })

  it('finds the item with the fewest differences, the newest of several', () => {
    const items = [
      { a: '1', b: '2' },
      { a: '1', b: '3' },
      { a: '1', b: '4' },
      { a: '9', b: '9' },
    ] as const
    expect(nearestOf(items, conditionsOf('a=1', 'b=0'))).toEqual({
      item: items[2],
      differences: [{ path: 'b', seen: '"4"', wanted: '"0"' }],
    })
    expect(nearestOf([], conditionsOf('a=1'))).toBeNull()
  })
})
