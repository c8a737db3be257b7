import { expect, it } from 'vitest'
import { hex16, hex32 } from '../../../lib/protocol/ids'

const id = '0123456789abcdef0123456789abcdef'

it.each([
  ['as it is', id],
  ['in capitals', id.toUpperCase()],
  ['with the dashes of a UUID', '01234567-89ab-cdef-0123-456789abcdef'],
])('hex32 reads %s as 32 lower-case digits', (_name, value) => {
  expect(hex32(value)).toBe(id)
})

it.each([
  ['one digit short', id.slice(1)],
  ['one digit long', `${id}0`],
  ['with another letter', id.replace('f', 'g')],
  ['with a line break after it', `${id}\n`],
  ['a number', 7],
  ['null', null],
  ['an object', { toString: () => id }],
])('hex32 returns null for %s', (_name, value) => {
  expect(hex32(value)).toBeNull()
})

it('hex16 returns lower case', () => {
  expect(hex16('0123456789ABCDEF')).toBe('0123456789abcdef')
})

it.each([
  ['one digit short', '123456789abcdef'],
  ['32 digits', id],
  ['with dashes', '01234567-89abcdef'],
  ['with a line break after it', '0123456789abcdef\n'],
  ['a number', 1],
])('hex16 returns null for %s', (_name, value) => {
  expect(hex16(value)).toBeNull()
})
