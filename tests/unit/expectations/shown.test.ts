import { expect, it } from 'vitest'
import { checkCriteria, matches } from '../../../lib/expectations/criteria'
import { shown } from '../../../lib/expectations/shown'

it('a value that is no JSON is shown as what it is', () => {
  const list: unknown[] = []
  list.push(list)
  expect(shown(list)).toBe('a list that is no JSON: does it hold itself?')
  expect(shown({ id: 7n })).toBe('an object that is no JSON: does it hold itself?')
})

it('criteria that hold themselves are told as such', () => {
  const circle: Record<string, unknown> = {}
  circle.self = circle
  class Circle {
    readonly self = this
  }
  expect(() => checkCriteria(circle)).toThrow(
    /^criteria are nested deeper than 32 levels at self.*: is there a cycle\?$/,
  )
  expect(() => checkCriteria(new Circle())).toThrow(
    new TypeError(
      "criteria are a function or a part of the item, such as { name: '/checkout' }: an object that is no JSON: does it hold itself? was given",
    ),
  )
  expect(matches({ name: circle }, { name: 'x' })).toBe(false)
})
