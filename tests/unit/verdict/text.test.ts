import { expect, it } from 'vitest'
import { checkCriteria, matches } from '../../../lib/verdict/expectations/criteria'
import { durationText, formatValue, listFirst, truncate } from '../../../lib/verdict/text'

it.each<[unknown, string]>([
  ['x', '"x"'],
  [7, '7'],
  [null, 'null'],
  [undefined, 'nothing'],
  [/^x/i, '/^x/i'],
  [{ name: /^x/ }, '{"name":"/^x/"}'],
  [new Uint8Array(3), '3 bytes'],
])('formatValue shows %j as %s', (value, text) => {
  expect(formatValue(value)).toBe(text)
})

it('truncate shortens a text to a number of characters, with an ellipsis', () => {
  expect([truncate('abcd', 4), truncate('abcde', 4)]).toEqual(['abcd', 'abc…'])
  expect(truncate('x'.repeat(121))).toBe(`${'x'.repeat(119)}…`)
})

it('truncate replaces control characters before it counts', () => {
  expect(truncate(`a${'\u0007'.repeat(50)}`, 4)).toHaveLength(4)
  expect(truncate('a\u001b[31mb', 40)).not.toContain('\u001b')
})

it('listFirst shows the first entries and the number of others', () => {
  expect(listFirst(['a', 'b'], 2)).toBe('a, b')
  expect(listFirst(['a', 'b', 'c', 'd'], 2)).toBe('a, b and 2 more')
})

it.each([
  [400, '400 µs'],
  [9_900, '9.9 ms'],
  [999_000, '999 ms'],
  [1_000_000, '1 s'],
  [1_250_000, '1.25 s'],
])('durationText shows %i µs as %s', (us, text) => {
  expect(durationText(us)).toBe(text)
})

it('formatValue shows the type of a value that JSON cannot represent', () => {
  const list: unknown[] = []
  list.push(list)
  expect(formatValue(list)).toBe('a list that cannot be written as JSON (is there a cycle?)')
  expect(formatValue({ id: 7n })).toBe('an object that cannot be written as JSON (is there a cycle?)')
})

it('checkCriteria rejects a cycle, and matches compares an item with a cycle', () => {
  const circle: Record<string, unknown> = {}
  circle.self = circle
  class Circle {
    readonly self = this
  }
  expect(() => checkCriteria(circle)).toThrow(
    /^criteria must be nested at most 32 levels deep, exceeded at self.* \(is there a cycle\?\)$/,
  )
  expect(() => checkCriteria(new Circle())).toThrow(
    new TypeError(
      "criteria must be a function or a part of the item, such as { name: '/checkout' }, got an object that cannot be written as JSON (is there a cycle?)",
    ),
  )
  expect(matches({ name: circle }, { name: 'x' })).toBe(false)
})
