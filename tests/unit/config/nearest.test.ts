import { describe, expect, it } from 'vitest'
import { hintAt, meantBy, nearest } from '../../../lib/config/nearest'

describe('the nearest name', () => {
  const names = ['event', 'items', 'container', 'wire'] as const
  it.each([
    ['event', 'event'],
    ['events', 'event'],
    ['evnet', 'event'],
    ['item', 'items'],
    ['contaner', 'container'],
    ['wier', 'wire'],
    ['', 'wire'],
  ])('of %j is %s', (word, name) => {
    expect(nearest(word, names)).toBe(name)
  })

  it('is the first of several that are as near', () => {
    expect(nearest('b', ['a', 'c'])).toBe('a')
  })

  it('is found in no time, however long the word is', () => {
    const before = performance.now()
    expect(nearest('e'.repeat(10_000), names)).toBe('event')
    expect(performance.now() - before).toBeLessThan(1000)
  })

  it('of no names is a bug', () => {
    expect(() => nearest('event', [])).toThrow(TypeError)
  })
})

describe('what is probably meant', () => {
  const names = ['op', 'wait', 'transaction', 'environment'] as const
  it.each([
    ['transactoin', 'transaction'],
    ['enviroment', 'environment'],
    ['o', 'op'],
    ['name', null],
    ['wxyz', null],
    ['trnscton', 'transaction'],
    ['trnsctn', null],
  ])('by %j is %s', (word, name) => {
    expect(meantBy(word, names)).toBe(name)
  })

  it('is offered, else what there is', () => {
    expect(hintAt('weit', names)).toBe('did you mean wait?')
    expect(hintAt('name', names)).toBe('known are op, wait, transaction, environment')
  })

  it('is a dozen names at most', () => {
    const many = Array.from({ length: 13 }, (_, index) => `field-${index}`)
    expect(hintAt('x', many)).toBe(`known are ${many.slice(0, 12).join(', ')} and more`)
  })
})
