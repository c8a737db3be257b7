import { expect, it } from 'vitest'
import { maySend, senderOrigin } from '../../../lib/guard/access'

const origins = ['https://app.test', 'http://b.test:8080']

it.each([
  ['a program', null],
  ['a page of this machine', 'http://localhost'],
  ['a page of this machine on any port', 'http://localhost:5173'],
  ['a page of this machine over https', 'https://localhost:3443'],
  ['a page of this machine by its address', 'http://127.0.0.1:3000'],
  ['a page of this machine by its IPv6 address', 'http://[::1]:3000'],
  ['a page of a name below localhost', 'http://shop.localhost:3000'],
  ['a page in capitals', 'HTTP://LOCALHOST:3000'],
  ['an origin that was named', 'https://app.test'],
  ['an origin with a port that was named', 'http://b.test:8080'],
])('maySend accepts %s', (_name, origin) => {
  expect(maySend(origin, origins)).toBe(true)
})

it.each([
  ['a sandboxed frame', 'null'],
  ['a page that is named like this machine', 'http://localhost.evil.test'],
  ['a page that is named like its address', 'http://127.0.0.1.evil.test'],
  ['a page that has this machine as its user', 'http://localhost@evil.test'],
  ['every address', 'http://0.0.0.0:3000'],
  ['this machine as IPv4 in IPv6', 'http://[::ffff:127.0.0.1]:3000'],
  ['a neighbour', 'http://192.168.1.5:3000'],
  ['an origin that was named, over http', 'http://app.test'],
  ['an origin that was named, on another port', 'https://app.test:8443'],
  ['a port that was not named', 'http://b.test'],
  ['an origin below one that was named', 'https://x.app.test'],
  ['an origin that begins like one that was named', 'https://app.test.evil.test'],
  ['a file', 'file://'],
  ['nothing', ''],
  ['nonsense', 'localhost:3000'],
])('maySend rejects %s', (_name, origin) => {
  expect(maySend(origin, origins)).toBe(false)
})

it.each<[string, Record<string, string>, string | null]>([
  ['is none for a program', {}, null],
  ['is none for a program, whatever Referer it writes', { referer: 'https://evil.test/' }, null],
  ['is none for an address that was typed', { 'sec-fetch-site': 'none' }, null],
  [
    'is the one of its Referer',
    { 'sec-fetch-site': 'cross-site', referer: 'https://evil.test/a?b' },
    'https://evil.test',
  ],
  ['is nobody’s without a Referer', { 'sec-fetch-site': 'cross-site' }, 'null'],
  ['is nobody’s with a Referer that is none', { 'sec-fetch-site': 'same-site', referer: 'about:client' }, 'null'],
  [
    'is the host that it was asked of, which a page may have rebound',
    { 'sec-fetch-site': 'same-origin', host: 'evil.test:8969' },
    'http://evil.test:8969',
  ],
])('senderOrigin %s', (_name, headers, page) => {
  expect(senderOrigin(new Headers(headers))).toBe(page)
})
