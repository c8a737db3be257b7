import { describe, expect, it } from 'vitest'
import { areForwardedHeaders, forwardedHeaders, noteOnStamp } from '../../../lib/tunnel/read-request'

const forward = (headers: Record<string, string>, trust = false) => forwardedHeaders(new Headers(headers), trust)

describe('forwardedHeaders', () => {
  it('forwards type, encoding and browser headers, and nothing else', () => {
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
    expect(forward({ ...passed, ...kept })).toEqual(passed)
  })

  it('reads the stamp from its cookie', () => {
    expect(forward({ cookie: 'a=1; waystation-stamp=test_1-A; b=2' })).toEqual({ 'x-waystation-stamp': 'test_1-A' })
    expect(forward({ cookie: 'not-waystation-stamp=x' })).toEqual({})
  })

  it('reads the stamp header only without a stamp cookie, even a malformed one', () => {
    const header = { 'x-waystation-stamp': 'from-header' }
    expect(forward(header)).toEqual(header)
    expect(forward({ ...header, cookie: 'waystation-stamp=from-cookie' })).toEqual({
      'x-waystation-stamp': 'from-cookie',
    })
    expect(forward({ ...header, cookie: 'waystation-stamp=two words' })).toEqual({})
  })

  it.each(['x-waystation-stamp', 'x-waystation-page'])('accepts %s of 1 to 64 letters, digits, _ and -', (name) => {
    for (const value of ['a', 'a'.repeat(64), 'A-z_09']) expect(forward({ [name]: value })).toEqual({ [name]: value })
    for (const value of ['', 'a'.repeat(65), 'a b', 'ä', 'a;b', '../a']) expect(forward({ [name]: value })).toEqual({})
  })

  it('accepts a branch or a version as stamp', () => {
    for (const value of ['refs/heads/main', 'build-1.4.2']) {
      expect(forward({ cookie: `waystation-stamp=${value}` })).toEqual({ 'x-waystation-stamp': value })
      expect(noteOnStamp(new Headers({ cookie: `waystation-stamp=${value}` }))).toBeNull()
    }
  })

  it('drops an invalid stamp and returns a note in ASCII', () => {
    expect(noteOnStamp(new Headers({ cookie: 'waystation-stamp=größe 1' }))).toMatch(
      /^X-Waystation-Stamp ignored: gr\?\?e 1 is not a stamp of 1 to 64 letters, digits/,
    )
    expect(noteOnStamp(new Headers())).toBeNull()
  })

  it('accepts the lab header only as 1', () => {
    expect(forward({ 'x-waystation-lab': '1' })).toEqual({ 'x-waystation-lab': '1' })
    for (const value of ['0', 'true', '11']) expect(forward({ 'x-waystation-lab': value })).toEqual({})
  })

  it('never forwards the mark of the own app, which a lifeboat file may contain', () => {
    expect(forward({ 'x-waystation-own': '1' })).toEqual({})
    expect(areForwardedHeaders({ 'x-waystation-own': '1' })).toBe(true)
    expect(areForwardedHeaders({ 'x-waystation-own': '2' })).toBe(false)
  })

  it('forwards the client address only from a trusted proxy, and only valid addresses', () => {
    const header = { 'x-forwarded-for': '203.0.113.9, [2001:db8::1]' }
    expect(forward(header)).toEqual({})
    expect(forward(header, true)).toEqual(header)
    expect(forward({ 'x-forwarded-for': 'somebody' }, true)).toEqual({})
  })

  it('drops headers over 2048 characters', () => {
    expect(forward({ 'user-agent': 'a'.repeat(2048) })).toEqual({ 'user-agent': 'a'.repeat(2048) })
    expect(forward({ 'user-agent': 'a'.repeat(2049) })).toEqual({})
  })

  it('applies the same rules to headers of a file', () => {
    expect(areForwardedHeaders(forward({ 'user-agent': 'Zürich', cookie: 'waystation-stamp=s' }))).toBe(true)
    expect(areForwardedHeaders({})).toBe(true)
    for (const forged of [
      null,
      'x',
      { cookie: 'a=1' },
      { 'user-agent': 1 },
      { 'user-agent': 'a\r\nhost: evil' },
      { 'x-waystation-page': 'a b' },
    ])
      expect(areForwardedHeaders(forged)).toBe(false)
  })
})
