import { describe, expect, it } from 'vitest'
import { nearestMiss } from '../../../../lib/verdict/expectations/criteria'

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

  it('is of several the one whose texts are most like what is wanted', () => {
    const paths = ['/', '/chekout', '/about', '/cart'].map((name) => ({ name }))
    expect(nearestMiss(paths, { name: '/checkout' })?.item).toEqual({ name: '/chekout' })
    expect(nearestMiss(paths, { name: /checkout/ })?.item).toEqual({ name: '/cart' })
  })

  it.each([
    ['/api/cart/items', ['/api/cart/itms', '/api/user', 'zzz/items']],
    ['/docs/api/cart', ['/v2/docs/api/cart', '/docs']],
    ['cart', ['carts', 'cart of another kind']],
    ['aaa', ['aab', 'baaaaaaaaa']],
  ])('is of several like %s the one that shares most of its length from either end: the first of %j', (name, names) => {
    const items = names.map((one) => ({ name: one }))
    expect(nearestMiss(items, { name })?.item).toEqual(items[0])
  })

  it('of a function is the last that came', () => {
    expect(nearestMiss(spans, () => false)?.item).toEqual({ name: '/d', op: 'db' })
  })

  it('is none where nothing came', () => {
    expect(nearestMiss([], { name: 'x' })).toBeNull()
  })
})
