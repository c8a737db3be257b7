import { describe, expect, it } from 'vitest'
import { nameHint, nearest, similarName } from '../../../lib/config/nearest'

describe('nearest', () => {
  const names = ['event', 'items', 'container', 'wire'] as const
  it.each([
    ['event', 'event'],
    ['events', 'event'],
    ['evnet', 'event'],
    ['item', 'items'],
    ['contaner', 'container'],
    ['wier', 'wire'],
    ['', 'wire'],
  ])('finds the name for %j: %s', (word, name) => {
    expect(nearest(word, names)).toBe(name)
  })

  it('returns the first of several equally near names', () => {
    expect(nearest('b', ['a', 'c'])).toBe('a')
  })

  it('is fast for a long word', () => {
    const before = performance.now()
    expect(nearest('e'.repeat(10_000), names)).toBe('event')
    expect(performance.now() - before).toBeLessThan(1000)
  })

  it('throws without names', () => {
    expect(() => nearest('event', [])).toThrow(TypeError)
  })
})

describe('similarName and nameHint', () => {
  const names = ['op', 'wait', 'transaction', 'environment'] as const
  it.each([
    ['transactoin', 'transaction'],
    ['enviroment', 'environment'],
    ['o', 'op'],
    ['name', null],
    ['wxyz', null],
    ['trnscton', 'transaction'],
    ['trnsctn', null],
  ])('suggest for %j: %s', (word, name) => {
    expect(similarName(word, names)).toBe(name)
  })

  it('list the known names when none is similar', () => {
    expect(nameHint('weit', names)).toBe('did you mean wait?')
    expect(nameHint('name', names)).toBe('known are op, wait, transaction, environment')
  })

  it('list all names, or as many as the caller allows', () => {
    const many = Array.from({ length: 30 }, (_, index) => `field-${index}`)
    expect(nameHint('x', many)).toBe(`known are ${many.join(', ')}`)
    expect(nameHint('x', many, 12)).toBe(`known are ${many.slice(0, 12).join(', ')} and more`)
  })
})
