import { describe, expect, it } from 'vitest'
import { envelopeOf, problemOf, readItems, signalOf, signalsIn } from './read-signals'

const PAGE = 'https://shop.example/cart'
const EVIL = 'https://evil.example/x.js'

describe('a report of a content security policy', () => {
  const expected = {
    kind: 'security',
    name: `script-src-elem blocked ${EVIL}`,
    level: 'enforce',
    fields: { type: 'csp', directive: 'script-src-elem', blocked: EVIL, document: PAGE, status: 200, line: 7 },
  }

  it('is parsed in the format of report-uri', () => {
    const report = {
      'document-uri': PAGE,
      'blocked-uri': EVIL,
      'effective-directive': 'script-src-elem',
      'violated-directive': 'script-src-elem https:',
      disposition: 'enforce',
      'status-code': 200,
      'line-number': 7,
    }
    expect(signalOf('raw_security', { 'csp-report': report })).toMatchObject(expected)
  })

  it('is parsed in the format of the Reporting API, one signal per report', () => {
    const body = {
      documentURL: PAGE,
      blockedURL: EVIL,
      effectiveDirective: 'script-src-elem',
      disposition: 'enforce',
      statusCode: 200,
      lineNumber: 7,
    }
    const report = { type: 'csp-violation', age: 3, url: PAGE, user_agent: 'Mozilla/5.0', body }
    expect(signalsIn(envelopeOf('raw_security', [report, report]))).toMatchObject([expected, expected])
    expect(signalOf('raw_security', report)).toMatchObject(expected)
  })

  it('the report of an old browser has the first word of its rule as directive', () => {
    expect(signalOf('raw_security', { 'csp-report': { 'violated-directive': 'img-src https://a' } }).name).toBe(
      'img-src blocked something',
    )
  })
})

it.each([
  ['expect-ct-report', 'expect-ct shop.example'],
  ['expect-staple-report', 'expect-staple shop.example'],
])('another report of a browser %s names the host', (name, shown) => {
  const report = { hostname: 'shop.example', port: 443, 'date-time': '2026-11-20T10:00:00Z' }
  expect(signalOf('raw_security', { [name]: report })).toMatchObject({
    name: shown,
    timestampUs: Date.parse('2026-11-20T10:00:00Z') * 1000,
    fields: { port: 443 },
  })
})

it('a report of pinned keys names the host', () => {
  expect(signalOf('raw_security', { hostname: 'a.example', 'known-pins': [] }).name).toBe('hpkp a.example')
})

it('a report of the network names the failure', () => {
  const report = { type: 'network-error', url: PAGE, body: { type: 'tcp.timed_out', phase: 'connection' } }
  expect(signalOf('nel', [report])).toMatchObject({
    name: `network-error tcp.timed_out ${PAGE}`,
    fields: { document: PAGE, body: { phase: 'connection' } },
  })
})

it('a report of an unknown format cannot be parsed, and counts as unreadable next to others', () => {
  expect(problemOf('raw_security', { hello: 1 })).toMatch(/must be CSP/)
  expect(problemOf('raw_security', [1])).toMatch(/must be CSP/)
  expect(problemOf('raw_security', '"x"')).toMatch(/must be CSP/)
  const mixed = readItems(envelopeOf('raw_security', [1, { 'csp-report': {} }]))[0]
  expect(mixed).toMatchObject({ ok: true, value: { unreadable: 1 } })
})
