import { describe, expect, it } from 'vitest'
import { nearest } from '../../../lib/config/nearest'

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
