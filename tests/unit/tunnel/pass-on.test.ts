import { describe, expect, it } from 'vitest'
import { isPassedOn, noteOf, passedOn } from '../../../lib/tunnel/pass-on'

const pass = (headers: Record<string, string>, trust = false) => passedOn(new Headers(headers), trust)

describe('headers that go on with an envelope', () => {
  it('are its type and encoding, and what tells the browser: nothing else', () => {
    const passed = {
      'content-type': 'text/plain;charset=UTF-8',
      'content-encoding': 'gzip',
      'user-agent': 'Mozilla/5.0',
      origin: 'http://localhost:3000',
      'sec-ch-ua': '"Chromium";v="156"',
      'sec-ch-ua-mobile': '?0',
      'sec-ch-ua-platform': '"Linux"',
    }
    const kept = {
      cookie: 'session=1',
      authorization: 'Bearer x',
      'proxy-authorization': 'Basic x',
      'x-sentry-auth': 'Sentry sentry_key=1',
      'x-api-key': 'k',
      referer: 'http://localhost:3000/secret',
      baggage: 'a=b',
      'sentry-trace': '1-2',
      host: 'localhost',
      'x-waystation-receipt': '00000000-0000-0000-0000-000000000000',
      'sec-ch-ua-unheard-of': '1',
    }
    expect(pass({ ...passed, ...kept })).toEqual(passed)
  })

  it('have the stamp from its cookie', () => {
    expect(pass({ cookie: 'a=1; waystation-stamp=test_1-A; b=2' })).toEqual({ 'x-waystation-stamp': 'test_1-A' })
    expect(pass({ cookie: 'not-waystation-stamp=x' })).toEqual({})
  })

  it('have the stamp a program sends only when there is no cookie, not even a malformed one', () => {
    const header = { 'x-waystation-stamp': 'from-header' }
    expect(pass(header)).toEqual(header)
    expect(pass({ ...header, cookie: 'waystation-stamp=from-cookie' })).toEqual({ 'x-waystation-stamp': 'from-cookie' })
    expect(pass({ ...header, cookie: 'waystation-stamp=two words' })).toEqual({})
  })

  it.each(['x-waystation-stamp', 'x-waystation-page'])('have %s of 1 to 64 letters, digits, _ and -', (name) => {
    for (const value of ['a', 'a'.repeat(64), 'A-z_09']) expect(pass({ [name]: value })).toEqual({ [name]: value })
    for (const value of ['', 'a'.repeat(65), 'a b', 'ä', 'a;b', '../a']) expect(pass({ [name]: value })).toEqual({})
  })

  it('have a stamp that names a branch or a version', () => {
    for (const value of ['refs/heads/main', 'build-1.4.2']) {
      expect(pass({ cookie: `waystation-stamp=${value}` })).toEqual({ 'x-waystation-stamp': value })
      expect(noteOf(new Headers({ cookie: `waystation-stamp=${value}` }))).toBeNull()
    }
  })

  it('have no stamp that is none, which its sender is told in a line of ASCII', () => {
    expect(noteOf(new Headers({ cookie: 'waystation-stamp=größe 1' }))).toMatch(
      /^X-Waystation-Stamp ignored: gr\?\?e 1 is not a stamp of 1 to 64 letters, digits/,
    )
    expect(noteOf(new Headers())).toBeNull()
  })

  it('have the lab mark only as 1', () => {
    expect(pass({ 'x-waystation-lab': '1' })).toEqual({ 'x-waystation-lab': '1' })
    for (const value of ['0', 'true', '11']) expect(pass({ 'x-waystation-lab': value })).toEqual({})
  })

  it('have the client address only from a trusted hop, and only when it is addresses', () => {
    const header = { 'x-forwarded-for': '203.0.113.9, [2001:db8::1]' }
    expect(pass(header)).toEqual({})
    expect(pass(header, true)).toEqual(header)
    expect(pass({ 'x-forwarded-for': 'somebody' }, true)).toEqual({})
  })

  it('are at most 2048 characters each', () => {
    expect(pass({ 'user-agent': 'a'.repeat(2048) })).toEqual({ 'user-agent': 'a'.repeat(2048) })
    expect(pass({ 'user-agent': 'a'.repeat(2049) })).toEqual({})
  })

  it('are held to the same rules when they come back from a file', () => {
    expect(isPassedOn(pass({ 'user-agent': 'Zürich', cookie: 'waystation-stamp=s' }))).toBe(true)
    expect(isPassedOn({})).toBe(true)
    for (const forged of [
      null,
      'x',
      { cookie: 'a=1' },
      { 'user-agent': 1 },
      { 'user-agent': 'a\r\nhost: evil' },
      { 'x-waystation-page': 'a b' },
    ])
      expect(isPassedOn(forged)).toBe(false)
  })
})
