import { describe, expect, it } from 'vitest'
import { pageId, requestFacts } from '../../../collector/intake/request-facts'
import type { Endpoint } from '../../../lib/protocol/request'

const request = (headers: Record<string, string>): Request =>
  new Request('http://127.0.0.1/tunnel', { method: 'POST', headers })
const factsOf = (headers: Record<string, string>, endpoint: Endpoint, peer = '', holdsToken = false) =>
  requestFacts(request(headers), Object.keys(headers), endpoint, peer, () => holdsToken)

describe('requestFacts', () => {
  it('keeps the headers that are relayed, without cookies and credentials', () => {
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
    const facts = factsOf(headers, 'tunnel', '127.0.0.1')
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
    ['a tunnel of a neighbour', 'tunnel', '192.168.1.5', null],
    ['an unknown peer', 'tunnel', '', null],
    ['an SDK on this machine', 'envelope', '127.0.0.1', null],
    ['a copy', 'stream', '127.0.0.1', null],
  ] as const)('reads X-Forwarded-For from %s: %s %s gives %s', (_name, endpoint, peer, forwardedFor) => {
    expect(factsOf({ 'x-forwarded-for': '10.0.0.7' }, endpoint, peer).forwardedFor).toBe(forwardedFor)
  })

  const visitor = `${'x'.repeat(42)}A`
  it.each([
    ['the tunnel on this machine', 'tunnel', '127.0.0.1', false, visitor, visitor],
    ['spans of its pages', 'otlp_traces', '127.0.0.1', false, visitor, visitor],
    ['a tunnel of a neighbour', 'tunnel', '192.168.1.5', false, visitor, undefined],
    ['a neighbour with the token', 'tunnel', '192.168.1.5', true, visitor, visitor],
    ['an SDK on this machine', 'envelope', '127.0.0.1', true, visitor, undefined],
    ['a copy', 'stream', '127.0.0.1', true, visitor, undefined],
    ['a shorter hash', 'tunnel', '127.0.0.1', true, visitor.slice(1), undefined],
    ['an id with markup', 'tunnel', '127.0.0.1', true, `<${visitor.slice(1)}`, undefined],
  ] as const)('reads the visitor from %s: %s %s, token %s', (_name, endpoint, peer, holdsToken, sent, read) => {
    const facts = factsOf({ 'x-waystation-visitor': sent, 'x-waystation-kept': '7' }, endpoint, peer, holdsToken)
    expect(facts.visitor).toBe(read)
    // Late spans are dropped after a deletion as late envelopes are.
    expect(facts.keptMs).toBe(read !== undefined || endpoint === 'tunnel' ? 7 : undefined)
  })

  it('cuts each header at 1024 characters', () => {
    expect(factsOf({ 'user-agent': 'x'.repeat(5000) }, 'tunnel').userAgent).toHaveLength(1024)
  })

  it.each([
    ['tunnel', '1500', 1500],
    ['tunnel', '-1', undefined],
    ['tunnel', 'long', undefined],
    ['tunnel', '9'.repeat(13), undefined],
    ['envelope', '1500', undefined],
  ] as const)('reads the time in the lifeboat, at the endpoint %s from %s', (endpoint, kept, keptMs) => {
    expect(factsOf({ 'x-waystation-kept': kept }, endpoint).keptMs).toBe(keptMs)
  })

  it('marks requests of the lab', () => {
    expect(factsOf({ 'x-waystation-lab': '1' }, 'tunnel').lab).toBe(true)
    expect(factsOf({ 'x-waystation-lab': 'true' }, 'tunnel').lab).toBe(false)
  })
})

it.each(['a', 'Test_1-2', 'x'.repeat(64)])('the page id %s is valid', (text) => {
  expect(pageId(text)).toBe(text)
})

it.each([null, '', 'a b', '<b>', 'a\n', 'ü', 'x'.repeat(65), '../x'])('the page id %j is invalid', (text) => {
  expect(pageId(text)).toBeNull()
})
