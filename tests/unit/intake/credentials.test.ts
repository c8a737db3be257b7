import { expect, it } from 'vitest'
import { readPublicKey } from '../../../collector/intake/credentials'

const read = (headers: Record<string, string>, query = '') =>
  readPublicKey(new Headers(headers), new URLSearchParams(query))
const basic = (text: string): string => `Basic ${Buffer.from(text).toString('base64')}`

it.each([
  ['the query', {}, 'sentry_key=abc&sentry_version=7'],
  ['X-Sentry-Auth', { 'x-sentry-auth': 'Sentry sentry_version=7, sentry_key=abc, sentry_client=raven/1' }, ''],
  ['X-Sentry-Auth with the key first', { 'x-sentry-auth': 'Sentry sentry_key=abc,sentry_version=7' }, ''],
  ['X-Sentry-Auth in small letters', { 'x-sentry-auth': 'sentry sentry_key=abc' }, ''],
  ['X-Sentry-Auth with a secret', { 'x-sentry-auth': 'Sentry sentry_secret=s, sentry_key=abc' }, ''],
  ['Authorization', { authorization: 'Sentry sentry_key=abc, sentry_version=7' }, ''],
  ['Authorization as a user name', { authorization: basic('abc:') }, ''],
  ['Authorization as a user name with a password', { authorization: basic('abc:secret') }, ''],
  [
    'X-Sentry-Auth in quotes, with odd spaces',
    { 'x-sentry-auth': 'Sentry  sentry_key = "abc" ,sentry_version= "7"' },
    '',
  ],
  ['X-Sentry-Auth sent twice', { 'x-sentry-auth': 'Sentry sentry_key=abc, Sentry sentry_key=abc' }, ''],
  ['both headers, when they are equal', { 'x-sentry-auth': 'Sentry sentry_key=abc', authorization: basic('abc:') }, ''],
  ['the query, given twice', {}, 'sentry_key=abc&sentry_key=abc'],
  ['the query of a Raven client', {}, 'sentry_version=2.0&sentry_key=abc'],
  ['the query in the newest version', {}, 'sentry_version=8&sentry_key=abc'],
  ['the query, with a header that names no key', { 'x-sentry-auth': 'Sentry sentry_version=7' }, 'sentry_key=abc'],
])('the public key of a request is read from %s', (_name, headers, query) => {
  expect(read(headers, query)).toEqual({ ok: true, value: 'abc' })
})

it.each([
  ['the request has no credentials', {}, ''],
  ['X-Sentry-Auth has no key', { 'x-sentry-auth': 'Sentry sentry_version=7' }, ''],
  ['X-Sentry-Auth has another scheme', { 'x-sentry-auth': 'sentry_key=abc' }, ''],
  ['Authorization is a bearer token', { authorization: 'Bearer abc' }, ''],
  ['Authorization has an empty user name', { authorization: basic(':secret') }, ''],
  ['only a similar name is given', { 'x-sentry-auth': 'Sentry not_sentry_key=abc' }, 'xsentry_key=abc'],
])('the public key of a request is null when %s', (_name, headers, query) => {
  expect(read(headers, query)).toEqual({ ok: true, value: null })
})

it.each([
  ['is in a header and in the query', { 'x-sentry-auth': 'Sentry sentry_key=abc' }, 'sentry_key=abc', 401],
  ['is in a user name and in the query', { authorization: basic('abc:') }, 'sentry_key=abc', 401],
  ['has other characters', {}, 'sentry_key=a.b', 400],
  ['is empty', {}, 'sentry_key=', 400],
  ['is too long', {}, `sentry_key=${'a'.repeat(65)}`, 400],
  ['has a line break', {}, 'sentry_key=abc%0d%0a', 400],
  ['is markup', { 'x-sentry-auth': 'Sentry sentry_key=<script>' }, '', 400],
  [
    'differs between the two headers',
    { 'x-sentry-auth': 'Sentry sentry_key=abc', authorization: basic('abd:') },
    '',
    401,
  ],
  ['differs within one header', { 'x-sentry-auth': 'Sentry sentry_key=abc, Sentry sentry_key=abd' }, '', 401],
  ['differs within the query', {}, 'sentry_key=abc&sentry_key=abd', 401],
  ['has a protocol version that is too new', {}, 'sentry_key=abc&sentry_version=9', 400],
  [
    'has a protocol version that is far too new, in a header',
    { 'x-sentry-auth': 'Sentry sentry_key=abc, sentry_version=70000' },
    '',
    400,
  ],
  ['has a protocol version that is not a number', {}, 'sentry_key=abc&sentry_version=new', 400],
  ['is bytes', { authorization: basic('\x00\xff') }, '', 400],
])('the public key of a request is refused when it %s', (_name, headers, query, status) => {
  expect(read(headers, query)).toMatchObject({ ok: false, error: { status } })
})

it('the public key of a request is refused within a second, even in the longest headers', () => {
  const before = performance.now()
  read({ 'x-sentry-auth': `Sentry ${' sentry_key'.repeat(100_000)}` })
  read({ authorization: `${' basic '.repeat(100_000)},${' ,'.repeat(500_000)}` })
  read({ 'x-sentry-auth': `Sentry ${' ,'.repeat(500_000)}` })
  expect(performance.now() - before).toBeLessThan(1000)
})
