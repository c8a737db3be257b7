import { expect, it } from 'vitest'
import { bareHost, reachedAt } from '../../../lib/config/fields'

it.each([
  ['Dev.Box', 'dev.box'],
  ['my_box-1', 'my_box-1'],
  ['10.0.0.7', '10.0.0.7'],
  ['::', '::'],
  ['::1', '::1'],
  ['FD00::1', 'fd00::1'],
  ['[::1]', '::1'],
  ['::ffff:10.0.0.7', '::ffff:10.0.0.7'],
])('bareHost parses %s as %s', (text, host) => {
  expect(bareHost(text)).toBe(host)
})

it.each(['', 'box:80', '10.0.0.7:80', '[::1]:80', '[::1', '[box]', 'http://box', 'box/', 'a b', '*', 'a@b', ':80'])(
  'bareHost returns null for %j, which is not a host',
  (text) => {
    expect(bareHost(text)).toBeNull()
  },
)

it.each([
  [undefined, '127.0.0.1'],
  ['0.0.0.0', '127.0.0.1'],
  ['::', '[::1]'],
  ['fd00::1', '[fd00::1]'],
  ['box.test', 'box.test'],
])('reachedAt reaches a collector that listens on %s at %s', (host, address) => {
  expect(reachedAt(host)).toBe(address)
  expect(URL.canParse(`http://${address}:8969`)).toBe(true)
})
