import { expect, it } from 'vitest'
import { Slots } from '../../../collector/runtime/slots'

it('slots reuse free numbers', () => {
  const slots = new Slots<{ readonly name: string }>()
  expect([slots.add({ name: 'a' }), slots.add({ name: 'b' }), slots.add({ name: 'c' })]).toEqual([0, 1, 2])
  expect(slots.remove(1)).toEqual({ name: 'b' })
  expect(slots.all()).toEqual([{ name: 'a' }, { name: 'c' }])
  expect(slots.add({ name: 'd' })).toBe(1)
  expect(slots.add({ name: 'e' })).toBe(3)
  expect(slots.all().map(({ name }) => name)).toEqual(['a', 'd', 'c', 'e'])
})

it('slots give out a number once, however often it is freed', () => {
  const slots = new Slots<{ readonly name: string }>()
  const number = slots.add({ name: 'a' })
  expect([slots.remove(number), slots.remove(number), slots.remove(-1)]).toEqual([{ name: 'a' }, undefined, undefined])
  expect([slots.add({ name: 'b' }), slots.add({ name: 'c' })]).toEqual([0, 1])
})
