import { expect, it } from 'vitest'
import { stampOfTest } from '../../../../lib/kit/playwright/stamp'
import { isStamp } from '../../../../lib/protocol/request'

const stamp = (file: string, line = 12, retry = 0): string => stampOfTest({ file, line, retry }, '9f3a61c27b04')

it('the stamp of a test names its file and line', () => {
  expect(stamp('/home/me/shop/tests/cart.spec.ts')).toBe('cart.spec.ts:12-9f3a61c27b04')
})

it('the stamp of a test names the retry', () => {
  expect(stamp('/home/me/cart.spec.ts', 12, 2)).toBe('cart.spec.ts:12:retry2-9f3a61c27b04')
})

it.each([
  ['/home/me/größe und preis.spec.ts', 'gr__e_und_preis.spec.ts:12-9f3a61c27b04'],
  ['/home/me/.hidden.spec.ts', 'hidden.spec.ts:12-9f3a61c27b04'],
  ['/home/me/...', 'test:12-9f3a61c27b04'],
  [`/home/me/${'long'.repeat(40)}.spec.ts`, `${'long'.repeat(12)}:12-9f3a61c27b04`],
])('the stamp of a test is valid for any file name: %s', (file, expected) => {
  expect(stamp(file)).toBe(expected)
  expect(isStamp(stamp(file, 123_456, 99))).toBe(true)
})
