import { describe, expect, it } from 'vitest'
import { differencesFrom, nearestOf, readConditions } from '../../../collector/cli/conditions'
import { fieldsOfKind, ITEM_KINDS } from '../../../collector/cli/told-items'

const SPAN = {
  name: 'GET /api/cart',
  isSegment: false,
  parentSpanId: null,
  attributes: { 'http.response.status_code': 500, http: { route: '/api' } },
  links: ['a', 'b'],
}

function conditionsOf(...words: string[]) {
  const read = readConditions('span', words)
  if (!read.ok) throw new Error(read.error)
  return read.value
}

describe('what is wanted of an item, as it is typed', () => {
  it.each([
    'name=GET /api/cart',
    'name~^GET /api',
    'isSegment=false',
    'parentSpanId=null',
    'attributes.http.response.status_code=500',
    'attributes.http.route=/api',
    'attributes.http.response.status_code~^5',
    'links.1=b',
  ])('%s holds', (word) => {
    expect(differencesFrom(SPAN, conditionsOf(word))).toEqual([])
  })

  it.each([
    ['name=GET', { path: 'name', actual: '"GET /api/cart"', expected: '"GET"' }],
    ['name~cart/$', { path: 'name', actual: '"GET /api/cart"', expected: '/cart/$/' }],
    ['isSegment=true', { path: 'isSegment', actual: 'false', expected: '"true"' }],
    ['op=db', { path: 'op', actual: expect.stringContaining('there is none'), expected: '"db"' }],
    [
      'attributes.http.rout=/api',
      { path: 'attributes.http.rout', actual: '(there is none; did you mean route?)', expected: '"/api"' },
    ],
    ['name.length=3', { path: 'name.length', actual: '(there is nothing below it)', expected: '"3"' }],
    [
      'attributes.toString~.',
      { path: 'attributes.toString', actual: expect.stringContaining('there is none'), expected: '/./' },
    ],
  ])('%s does not, and says why', (word, difference) => {
    expect(differencesFrom(SPAN, conditionsOf(word))).toEqual([difference])
  })

  it.each([
    ['name', '"name": meant is field=value or field~regex, such as name=/checkout or title~^TypeError.'],
    ['=x', '"=x": meant is field=value or field~regex, such as name=/checkout or title~^TypeError.'],
    ['name~(', 'name~(: this is no regular expression: Invalid regular expression: /(/u: Unterminated group.'],
  ])('%s is refused', (word, sentence) => {
    expect(readConditions('span', [word])).toEqual({ ok: false, error: sentence })
  })

  it.each([
    ['error', 'titel=x', 'titel=x: no error has titel; did you mean title?'],
    ['metric', 'valeu.a=x', `valeu.a=x: no metric has valeu; known are ${fieldsOfKind('metric').join(', ')}`],
    ['span', 'toString~.', expect.stringMatching(/^toString~\.: no span has toString; known are /)],
  ])('of a %s %s is refused, for none has such a field', (kind, word, sentence) => {
    expect(readConditions(kind, [word])).toEqual({ ok: false, error: sentence })
  })

  it.each([...ITEM_KINDS])('of each %s has the fields that are told of it', (kind) => {
    expect(readConditions(kind, ['seq=1', 'copy=false'])).toMatchObject({ ok: true })
  })

  it('finds the item with the fewest differences, the newest of several', () => {
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

  it('finds of items as far away the one that has what is wanted as a part, in capitals or not', () => {
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
