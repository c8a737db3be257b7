import { runInNewContext } from 'node:vm'
import { describe, expect, it } from 'vitest'
import {
  type Criteria,
  checkCriteria,
  describeCriteria,
  differencesOf,
  matches,
  nearestMiss,
} from '../../../../lib/verdict/expectations/criteria'

interface Span {
  readonly name: string
  readonly op: string | null
  readonly ms: number
  readonly attributes: Readonly<Record<string, unknown>>
  readonly links: readonly { readonly id: string; readonly type?: string }[]
}

const SPAN: Span = {
  name: 'GET /api/cart',
  op: 'http.client',
  ms: 12,
  attributes: { 'http.response.status_code': 200, user: { id: 7, tags: ['a', 'b', 'c'] } },
  links: [{ id: 'one', type: 'previous_trace' }, { id: 'two' }],
}

describe('criteria', () => {
  it.each<[string, Criteria<Span>]>([
    ['no fields', {}],
    ['a text', { name: 'GET /api/cart' }],
    ['a regular expression', { name: /cart$/ }],
    ['a field name with dots', { attributes: { 'http.response.status_code': 200 } }],
    ['nested fields', { attributes: { user: { id: 7 } } }],
    ['the beginning of a list', { attributes: { user: { tags: ['a', /b/] } } }],
    ['fields of list entries', { links: [{ type: 'previous_trace' }] }],
    ['a predicate', (span: Span) => span.ms > 10],
  ])('match with %s', (_what, criteria) => {
    expect(differencesOf(SPAN, criteria)).toEqual([])
    expect(matches(SPAN, criteria)).toBe(true)
  })

  it('match null only with null', () => {
    const withoutOp: Span = { ...SPAN, op: null }
    expect(matches(withoutOp, { op: null })).toBe(true)
    expect(differencesOf(withoutOp, { op: 'db' })).toEqual([{ path: 'op', actual: 'null', expected: '"db"' }])
  })

  it('report each differing field with actual and expected value', () => {
    const criteria = {
      name: /checkout/,
      ms: 13,
      attributes: { 'http.response.status_code': 500, user: { tags: ['a', 'x', 'c', 'd'] } },
      links: { id: 'one' },
      nmae: 'x',
    }
    expect(differencesOf<object>(SPAN, criteria)).toEqual([
      { path: 'name', actual: '"GET /api/cart"', expected: '/checkout/' },
      { path: 'ms', actual: '12', expected: '13' },
      { path: 'attributes.http.response.status_code', actual: '200', expected: '500' },
      { path: 'attributes.user.tags.1', actual: '"b"', expected: '"x"' },
      { path: 'attributes.user.tags.3', actual: 'nothing', expected: '"d"' },
      { path: 'links', actual: '[{"id":"one","type":"previous_trace"},{"id":"two"}]', expected: '{"id":"one"}' },
      { path: 'nmae', actual: 'nothing', expected: '"x"' },
    ])
  })

  it('ignore inherited properties', () => {
    expect(differencesOf<object>(SPAN, { constructor: {} })).toEqual([
      { path: 'constructor', actual: 'nothing', expected: '{}' },
    ])
  })

  it('show values without control characters', () => {
    const [difference] = differencesOf({ name: '\u001b[31mred\u202e' }, { name: 'red' })
    expect(difference?.actual).toBe('"\\u001b[31mred\\u202e"')
  })

  it('truncate long values', () => {
    const [difference] = differencesOf({ name: 'x'.repeat(10_000) }, { name: 'y' })
    expect(difference?.actual).toHaveLength(122)
  })

  it('criteria of another realm match like local ones', () => {
    expect(matches(SPAN, runInNewContext("({ attributes: { user: { id: 7 } }, name: 'GET /api/cart' })"))).toBe(true)
    expect(matches(SPAN, runInNewContext('({ name: /cart$/ })'))).toBe(true)
    expect(matches(SPAN, runInNewContext('({ name: /cart$/.source })'))).toBe(false)
  })
})

describe('invalid criteria', () => {
  const cycle: { readonly self?: unknown } = {}
  Reflect.set(cycle, 'self', cycle)

  it.each<[string, unknown, string]>([
    [
      'undefined',
      undefined,
      "criteria must be a function or a part of the item, such as { name: '/checkout' }, got nothing",
    ],
    ['null', null, "criteria must be a function or a part of the item, such as { name: '/checkout' }, got null"],
    [
      'a text',
      '/checkout',
      'criteria must be a function or a part of the item, such as { name: \'/checkout\' }, got "/checkout"; write { name: "/checkout" }',
    ],
    [
      'a list',
      [{ name: 'x' }],
      "criteria must be a function or a part of the item, such as { name: '/checkout' }, got a list; wait for one item at a time",
    ],
    [
      'a field with the value undefined',
      { op: undefined },
      'criteria.op is undefined; leave it out, or write null to expect no value',
    ],
    [
      'a regular expression with the flag g',
      { attributes: { url: /x/g } },
      'criteria.attributes.url must not have the flag g, which makes repeated matches differ, got /x/g',
    ],
    [
      'a function as a field value',
      { ms: () => true },
      'criteria.ms must not be a function; use one function for the whole item',
    ],
    ['a Map', { attributes: new Map() }, 'criteria.attributes must be plain data or a regular expression, got a Map'],
    [
      'a cycle',
      cycle,
      `criteria must be nested at most 32 levels deep, exceeded at ${'self.'.repeat(23)}self… (is there a cycle?)`,
    ],
    [
      'more than 1000 values',
      { list: Array.from({ length: 1001 }, () => 1) },
      'criteria must have at most 1000 values; name only the relevant fields',
    ],
  ])('throw a TypeError with advice: %s', (_what, criteria, message) => {
    expect(() => checkCriteria(criteria)).toThrow(new TypeError(message))
    expect(() => matches(SPAN, criteria as Criteria<Span>)).toThrow(TypeError)
    expect(() => nearestMiss([], criteria as Criteria<Span>)).toThrow(TypeError)
  })

  it('have more than 32 levels or 1000 values', () => {
    const nested = (levels: number): object => (levels === 1 ? { name: 'x' } : { data: nested(levels - 1) })
    const wide = (values: number) => ({ data: Array.from({ length: values }, () => 1) })
    expect(() => checkCriteria(nested(31))).not.toThrow()
    expect(() => checkCriteria(nested(32))).toThrow(/nested at most 32 levels deep/)
    expect(() => checkCriteria(wide(998))).not.toThrow()
    expect(() => checkCriteria(wide(999))).toThrow(/at most 1000 values/)
  })

  it('throw a TypeError with the original message and the item if the predicate throws', () => {
    const criteria = (span: { readonly name: string; readonly op?: { readonly id: string } }): boolean => {
      if (span.op === undefined) throw new Error('it has no op')
      return true
    }
    expect(() => matches({ name: '/checkout' }, criteria)).toThrow(
      new TypeError('the criteria function threw "it has no op" for {"name":"/checkout"}'),
    )
  })

  it('throw a TypeError if the predicate returns a promise', () => {
    const later: Criteria<Span> = runInNewContext('async () => true')
    expect(() => matches(SPAN, later)).toThrow(
      new TypeError('the criteria function must return a boolean, got a promise'),
    )
  })
})

it.each<[string, unknown]>([
  ['with name "/checkout" and op "pageload"', { name: '/checkout', op: 'pageload' }],
  ['with name like /^\\/check/', { name: /^\/check/ }],
  ['with attributes.http.method "GET" and links.0.id 7', { attributes: { 'http.method': 'GET' }, links: [{ id: 7 }] }],
  ['with parentSpanId null', { parentSpanId: null }],
  ['of any kind', {}],
  ['matching (tx) => tx.ok', (tx: { readonly ok: boolean }) => tx.ok],
])('describeCriteria returns: %s', (text, criteria) => {
  expect(describeCriteria(criteria)).toBe(text)
})

it('differencesOf finds none for a random part of an item, and finds an added field', () => {
  let seed = 7
  const random = (below: number): number => {
    seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31
    return Math.floor((seed / 2 ** 31) * below)
  }
  const anyValue = (depth: number): unknown => {
    const kind = random(depth > 3 ? 4 : 6)
    if (kind === 0) return `text ${random(9)}`
    if (kind === 1) return random(9)
    if (kind === 2) return random(2) === 0
    if (kind === 3) return null
    if (kind === 4) return Array.from({ length: random(4) }, () => anyValue(depth + 1))
    return objectOf(depth + 1)
  }
  const objectOf = (depth: number): Record<string, unknown> =>
    Object.fromEntries(Array.from({ length: 1 + random(4) }, (_, index) => [`n${index}.${random(3)}`, anyValue(depth)]))
  const partOf = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.slice(0, random(value.length + 1)).map(partOf)
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(
      Object.entries(value).flatMap(([name, entry]) => (random(3) === 0 ? [] : [[name, partOf(entry)]])),
    )
  }
  for (let round = 0; round < 500; round += 1) {
    const item = objectOf(0)
    const part = partOf(item) as Record<string, unknown>
    expect(differencesOf<object>(item, part)).toEqual([])
    const name = `n9.${random(3)}`
    expect(differencesOf<object>(item, { ...part, [name]: 'another' }).map(({ path }) => path)).toEqual([name])
  }
})

describe('the nearest miss', () => {
  const spans = [
    { name: '/a', op: 'db' },
    { name: '/b', op: 'pageload' },
    { name: '/c', op: 'pageload' },
    { name: '/d', op: 'db' },
  ]

  it('is the item with the fewest differences', () => {
    expect(nearestMiss(spans, { name: '/checkout', op: 'pageload' })).toEqual({
      item: { name: '/c', op: 'pageload' },
      differences: [{ path: 'name', actual: '"/c"', expected: '"/checkout"' }],
    })
  })

  it('is the item with the most similar texts', () => {
    const paths = ['/', '/chekout', '/about', '/cart'].map((name) => ({ name }))
    expect(nearestMiss(paths, { name: '/checkout' })?.item).toEqual({ name: '/chekout' })
    expect(nearestMiss(paths, { name: /checkout/ })?.item).toEqual({ name: '/cart' })
  })

  it.each([
    ['/api/cart/items', ['/api/cart/itms', '/api/user', 'zzz/items']],
    ['/docs/api/cart', ['/v2/docs/api/cart', '/docs']],
    ['cart', ['carts', 'cart of another kind']],
    ['aaa', ['aab', 'baaaaaaaaa']],
  ])('for %s among %j is the first, which has the longest common beginning or end', (name, names) => {
    const items = names.map((one) => ({ name: one }))
    expect(nearestMiss(items, { name })?.item).toEqual(items[0])
  })

  it('is the newest item for a predicate', () => {
    expect(nearestMiss(spans, () => false)?.item).toEqual({ name: '/d', op: 'db' })
  })

  it('is null without items', () => {
    expect(nearestMiss([], { name: 'x' })).toBeNull()
  })
})
