import { expect, it } from 'vitest'
import { accessRequestOf } from '../../../lib/guard/access'
import { holdsToken, readCookie, sameToken, sessionCookie, sessionHeader, sessionOf } from '../../../lib/guard/token'

const token = 'correct horse battery'
const holds = (headers: Record<string, string>, wanted: string | undefined = token): boolean =>
  holdsToken(new Headers(headers), wanted)

it('the token is equal only when every byte is', () => {
  expect(sameToken(token, token)).toBe(true)
  for (const other of ['', token.slice(1), `${token}x`, token.toUpperCase(), ` ${token}`, 'ü']) {
    expect(sameToken(other, token)).toBe(false)
  }
})

it.each([
  ['a bearer header', { authorization: `Bearer ${token}` }],
  ['a bearer header in small letters', { authorization: `bearer ${token}` }],
])('the token is accepted in %s', (_name, headers) => {
  expect(holds(headers)).toBe(true)
})

it.each([
  ['nothing', {}],
  ['another token', { authorization: 'Bearer wrong' }],
  ['no token', { authorization: 'Bearer ' }],
  ['a token without its word', { authorization: token }],
  ['another scheme', { authorization: `Basic ${token}` }],
  ['a header of an SDK', { authorization: 'Sentry sentry_key=abc' }],
  ['a cookie', { cookie: `waystation-session=${token}` }],
])('the token is rejected in %s', (_name, headers) => {
  expect(holds(headers)).toBe(false)
})

it('the token is never accepted when none is configured', () => {
  expect(holdsToken(new Headers({ authorization: 'Bearer undefined' }), undefined)).toBe(false)
  expect(holdsToken(new Headers({ authorization: 'Bearer ' }), undefined)).toBe(false)
})

it('the session of a request is the value of its cookie, and passed on alone', () => {
  const headers = new Headers({ cookie: 'a=b; waystation-session=id; c=d' })
  expect(sessionOf(headers)).toBe('id')
  expect(sessionHeader(headers)).toEqual({ cookie: 'waystation-session=id' })
})

it('the session of a request is null without the cookie', () => {
  expect(sessionOf(new Headers({ cookie: 'xwaystation-session=id' }))).toBeNull()
  expect(sessionHeader(new Headers())).toEqual({})
})

it('the session of a request is kept from scripts and from other sites', () => {
  expect(sessionCookie('id', 60)).toBe('waystation-session=id; Path=/; HttpOnly; SameSite=Strict; Max-Age=60')
})

it.each([
  ['alone', 'a=1', '1'],
  ['after another', 'b=2; a=1', '1'],
  ['without white space', 'b=2;a=1', '1'],
  ['with an equals sign in it', 'a=1=2', '1=2'],
  ['empty', 'a=', ''],
  ['twice: the first', 'a=1; a=2', '1'],
])('readCookie reads %s', (_name, header, value) => {
  expect(readCookie(header, 'a')).toBe(value)
})

it.each([
  ['no header', null],
  ['an empty header', ''],
  ['a name without a value', 'a'],
  ['a longer name', 'aa=1; ba=1'],
  ['a name in capitals', 'A=1'],
  ['a value without a name', '=a'],
])('readCookie finds none in %s', (_name, header) => {
  expect(readCookie(header, 'a')).toBeNull()
})

it('accessRequestOf reads the headers', () => {
  const headers = new Headers({
    host: 'localhost:3000',
    origin: 'https://evil.test',
    'sec-fetch-site': 'cross-site',
    'sec-fetch-dest': 'empty',
  })
  expect(accessRequestOf(headers, true)).toEqual({
    host: 'localhost:3000',
    origin: 'https://evil.test',
    fetchSite: 'cross-site',
    fetchDest: 'empty',
    holdsToken: true,
  })
})

it('accessRequestOf returns nulls without headers', () => {
  expect(accessRequestOf(new Headers(), false)).toEqual({
    host: null,
    origin: null,
    fetchSite: null,
    fetchDest: null,
    holdsToken: false,
  })
})
