import { describe, expect, it } from 'vitest'
import { factsOf, word } from '../../../collector/http/facts'

const request = (headers: Record<string, string>): Request =>
  new Request('http://127.0.0.1/tunnel', { method: 'POST', headers })

describe('the facts of a request', () => {
  it('are what is passed on upstream, and no cookie', () => {
    const headers = {
      'content-type': 'text/plain;charset=UTF-8',
      'content-encoding': 'gzip',
      'user-agent': 'Mozilla/5.0',
      'sec-ch-ua': '"Chromium"',
      'sec-ch-ua-mobile': '?0',
      'sec-ch-ua-arch': 'x86',
      origin: 'http://localhost:3000',
      cookie: 'session=secret',
      authorization: 'Bearer secret',
      'x-waystation-page': 'page-1',
    }
    const facts = factsOf(request(headers), 'tunnel', '127.0.0.1')
    expect(facts).toEqual({
      method: 'POST',
      contentType: 'text/plain;charset=UTF-8',
      contentEncoding: 'gzip',
      userAgent: 'Mozilla/5.0',
      clientHints: { 'sec-ch-ua': '"Chromium"', 'sec-ch-ua-mobile': '?0', 'sec-ch-ua-arch': 'x86' },
      origin: 'http://localhost:3000',
      forwardedFor: null,
      page: 'page-1',
      lab: false,
    })
    expect(JSON.stringify(facts)).not.toContain('secret')
  })

  it.each([
    ['the tunnel on this machine', 'tunnel', '127.0.0.1', '10.0.0.7'],
    ['the tunnel over IPv6', 'tunnel', '::1', '10.0.0.7'],
    ['the tunnel, IPv4 in IPv6', 'tunnel', '::ffff:127.0.0.1', '10.0.0.7'],
    ['a tunnel of a neighbour', 'tunnel', '192.168.1.5', null],
    ['a tunnel of a neighbour, IPv4 in IPv6', 'tunnel', '::ffff:192.168.1.5', null],
    ['nobody known', 'tunnel', null, null],
    ['an SDK on this machine', 'envelope', '127.0.0.1', null],
    ['a copy', 'stream', '127.0.0.1', null],
  ] as const)('believe X-Forwarded-For of %s: %s %s gives %s', (_name, endpoint, peer, forwardedFor) => {
    expect(factsOf(request({ 'x-forwarded-for': '10.0.0.7' }), endpoint, peer).forwardedFor).toBe(forwardedFor)
  })

  it('are no longer than 1024 signs each', () => {
    expect(factsOf(request({ 'user-agent': 'x'.repeat(5000) }), 'tunnel', null).userAgent).toHaveLength(1024)
  })

  it.each([
    ['tunnel', '1500', 1500],
    ['tunnel', '-1', undefined],
    ['tunnel', 'long', undefined],
    ['tunnel', '9'.repeat(13), undefined],
    ['envelope', '1500', undefined],
  ] as const)('say how long a lifeboat kept it, at the endpoint %s of %s', (endpoint, kept, keptMs) => {
    expect(factsOf(request({ 'x-waystation-kept': kept }), endpoint, null).keptMs).toBe(keptMs)
  })

  it('say what the lab caused', () => {
    expect(factsOf(request({ 'x-waystation-lab': '1' }), 'tunnel', null).lab).toBe(true)
    expect(factsOf(request({ 'x-waystation-lab': 'true' }), 'tunnel', null).lab).toBe(false)
  })
})

describe('a page id', () => {
  it.each(['a', 'Test_1-2', 'x'.repeat(64)])('%s is a word', (text) => {
    expect(word(text)).toBe(text)
  })

  it.each([null, '', 'a b', '<b>', 'a\n', 'ü', 'x'.repeat(65), '../x'])('%j is none', (text) => {
    expect(word(text)).toBeNull()
  })
})
