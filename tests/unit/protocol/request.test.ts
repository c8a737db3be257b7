import { randomUUID } from 'node:crypto'
import { expect, it } from 'vitest'
import { hostName, isLoopbackName, isStamp, receiptAt } from '../../../lib/protocol/request'

it.each(['a', '_x', 'Test_1-2', 'build-1.4.2', 'refs/heads/main', 'ci:7@shop', 'x'.repeat(64)])(
  'a stamp is a word such as %s',
  (text) => {
    expect(isStamp(text)).toBe(true)
  },
)

it.each(['', 'a b', '<b>', 'a\n', 'ü', 'x'.repeat(65), '../x', '/x', '.x', ':x', '@x', 'a;b', 'a=b'])(
  'a stamp is never %j',
  (text) => {
    expect(isStamp(text)).toBe(false)
  },
)

const NOW = 1_795_000_000_000

it('a receipt is a UUID of version 7', () => {
  const receipt = receiptAt(NOW, '919108f7-52d1-4320-9bac-f847db4148a8')
  expect(receipt).toBe('01a1ee56-5e00-7320-9bac-f847db4148a8')
  expect(receipt).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
})

it('a receipt sorts after every earlier receipt', () => {
  const made = [0, 1, 255, 256, 1_000_000].map((ms) => receiptAt(NOW + ms, randomUUID()))
  expect([...made].sort()).toEqual(made)
})

it('a receipt is distinct within one millisecond', () => {
  expect(receiptAt(NOW, randomUUID())).not.toBe(receiptAt(NOW, randomUUID()))
})

it.each(['localhost', 'LOCALHOST', '127.0.0.1', '127.1.2.3', '::1', '[::1]', 'shop.localhost', 'A.b.LOCALHOST'])(
  'isLoopbackName returns true for %s',
  (name) => {
    expect(isLoopbackName(name)).toBe(true)
  },
)

it.each([
  '',
  'localhost.evil.test',
  '.localhost',
  'evil.test@x.localhost',
  'evil.test:80:x.localhost',
  'notlocalhost',
  'localhost.',
  '127.0.0.1.evil.test',
  '127.0.0.1.nip.io',
  '1270.0.0.1',
  '127.1',
  '2130706433',
  '0.0.0.0',
  '::',
  '::ffff:127.0.0.1',
  '10.0.0.1',
  'localhost\n',
])('isLoopbackName returns false for %j', (name) => {
  expect(isLoopbackName(name)).toBe(false)
})

it.each([
  ['localhost', 'localhost'],
  ['localhost:3000', 'localhost'],
  ['LocalHost:3000', 'localhost'],
  ['127.0.0.1:8969', '127.0.0.1'],
  ['[::1]', '::1'],
  ['[::1]:8969', '::1'],
  ['localhost:', 'localhost'],
])('the name of the Host header %s is %s', (header, name) => {
  expect(hostName(header)).toBe(name)
})

it.each([
  '[::1].evil.test',
  '[::1]evil.test:80',
  'evil.test:80:localhost',
  'localhost@evil.test',
  'evil.test#localhost',
  '',
])('the Host header %j does not name this machine', (header) => {
  expect(isLoopbackName(hostName(header))).toBe(false)
})
