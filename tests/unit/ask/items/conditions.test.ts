import { describe, expect, it } from 'vitest'
import { differencesFrom, nearestOf, readConditions } from '../../../../lib/ask/items/conditions'
import { fieldsOfKind, ITEM_KINDS } from '../../../../lib/ask/items/describe-items'
import { valueIn } from '../../value-in'

const SPAN = {
  name: 'GET /api/cart',
  isSegment: false,
  parentSpanId: null,
  attributes: { 'http.response.status_code': 500, http: { route: '/api' } },
  links: ['a', 'b'],
}

const conditionsOf = (...texts: string[]) => valueIn(readConditions('span', texts))

describe('conditions on an item', () => {
  it.each([
    'name=GET /api/cart',
    'name~^GET /api',
    'isSegment=false',
    'parentSpanId=null',
    'attributes.http.response.status_code=500',
    'attributes.http.route=/api',
    'attributes.http.response.status_code~^5',
    'links.1=b',
  ])('hold: %s', (word) => {
    expect(differencesFrom(SPAN, conditionsOf(word))).toEqual([])
  })

  it.each([
    ['name=GET', { path: 'name', actual: '"GET /api/cart"', expected: '"GET"' }],
    ['name~cart/$', { path: 'name', actual: '"GET /api/cart"', expected: '/cart/$/' }],
    ['isSegment=true', { path: 'isSegment', actual: 'false', expected: '"true"' }],
    ['op=db', { path: 'op', actual: expect.stringContaining('(missing; '), expected: '"db"' }],
    [
      'attributes.http.rout=/api',
      { path: 'attributes.http.rout', actual: '(missing; did you mean route?)', expected: '"/api"' },
    ],
    ['name.length=3', { path: 'name.length', actual: '(it has no fields)', expected: '"3"' }],
    [
      'attributes.toString~.',
      { path: 'attributes.toString', actual: expect.stringContaining('(missing; '), expected: '/./' },
    ],
  ])('do not hold, with the difference: %s', (word, difference) => {
    expect(differencesFrom(SPAN, conditionsOf(word))).toEqual([difference])
  })

  it.each([
    ['name', 'a condition must be FIELD=VALUE or FIELD~REGEX, such as name=/checkout or title~^TypeError, got "name"'],
    ['=x', 'a condition must be FIELD=VALUE or FIELD~REGEX, such as name=/checkout or title~^TypeError, got "=x"'],
    ['name~(', 'name~(: not a regular expression: Invalid regular expression: /(/u: Unterminated group.'],
  ])('are refused when malformed: %s', (word, message) => {
    expect(readConditions('span', [word])).toEqual({ ok: false, error: message })
  })

  it.each([
    ['error', 'titel=x', 'titel=x: unknown field titel of error; did you mean title?'],
    ['metric', 'valeu.a=x', `valeu.a=x: unknown field valeu of metric; known are ${fieldsOfKind('metric').join(', ')}`],
    ['span', 'toString~.', expect.stringMatching(/^toString~\.: unknown field toString of span; known are /)],
  ])('are refused for an unknown field of %s: %s', (kind, word, message) => {
    expect(readConditions(kind, [word])).toEqual({ ok: false, error: message })
  })

  it.each([...ITEM_KINDS])('know the fields of each %s', (kind) => {
    expect(readConditions(kind, ['seq=1', 'copy=false'])).toMatchObject({ ok: true })
  })

  it('find the item with the fewest differences, and the newest of several', () => {
    const items = [
      { name: '1', op: '2' },
      { name: '1', op: '3' },
      { name: '1', op: '4' },
      { name: '9', op: '9' },
    ] as const
    expect(nearestOf(items, conditionsOf('name=1', 'op=0'))).toEqual({
      item: items[2],
      differences: [{ path: 'op', actual: '"4"', expected: '"0"' }],
      almost: [],
    })
    expect(nearestOf([], conditionsOf('name=1'))).toBeNull()
  })

  it('prefer an item that contains the text, in upper or lower case', () => {
    const items = [
      { name: 'GET /wheel', op: 'x' },
      { name: 'GET /card', op: 'x' },
    ]
    const nearest = nearestOf(items, conditionsOf('name=Wheel', 'op=x'))
    expect(nearest).toMatchObject({ item: items[0], almost: [{ path: 'name' }] })
    expect(nearestOf(items, conditionsOf('name=/w', 'op=x'))?.item).toBe(items[1])
    expect(nearestOf(items, conditionsOf('name=Wheel', 'op=y', 'op=x'))?.item).toBe(items[0])
  })
})
