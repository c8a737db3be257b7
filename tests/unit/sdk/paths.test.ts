import { describe, expect, it } from 'vitest'
import { isTraced, sampleRate } from '../../../lib/sdk/paths'

describe('the server traces', () => {
  it.each(['/', '/lab', '/lab/api/slow?ms=2', '/nope', '/tracesque'])('%s', (target) => {
    expect(isTraced('GET', { 'http.target': target })).toBe(true)
  })

  it('a segment without an address', () => {
    expect(isTraced('lab: neighbour', undefined)).toBe(true)
  })
})

describe('the server does not trace', () => {
  it.each([
    ['/tunnel', 'the tunnel'],
    ['/tunnel?x=1', 'the tunnel with a query'],
    ['/tunnel/v1/traces', 'the tunnel for OpenTelemetry'],
    ['/collector/query/stream', 'the collector'],
    ['/settings', 'the settings'],
    ['/traces', 'a board'],
    ['/traces/0123?tab=spans', 'a page of a board'],
    ['/envelopes', 'a board'],
    ['/events/0123', 'a page of a board'],
    ['/signals?kind=log', 'a board'],
    ['/deliveries?show=dead-letters', 'a board'],
    ['/losses', 'a board'],
    ['/storage', 'a board'],
    ['/limits', 'a board'],
    ['/contract', 'a board'],
    ['/stand-in', 'a board'],
    ['/login', 'the login'],
  ])('%s: %s', (target) => {
    expect(isTraced('GET', { 'http.target': target })).toBe(false)
  })

  it('an address in url.path', () => {
    expect(isTraced('GET', { 'url.path': '/tunnel' })).toBe(false)
  })

  it.each(['load route module', 'load app route module', 'load instrumentation module', 'register instrumentation'])(
    'Next’s own start-up: %s',
    (name) => {
      expect(isTraced(name, {})).toBe(false)
    },
  )
})

describe('the sample rate of a segment is', () => {
  const rateOf = (target: string, callers: number | null) =>
    sampleRate({
      name: 'GET',
      attributes: { 'http.target': target },
      inheritOrSampleWith: (rate) => callers ?? rate,
    })

  it.each<[string, string, number | null, number]>([
    ['1 when its trace begins here', '/', null, 1],
    ['0 when its caller does not sample the trace', '/', 0, 0],
    ['1 when its caller samples the trace', '/', 1, 1],
    ['0 for a request to the tunnel, even when its caller samples the trace', '/tunnel', 1, 0],
  ])('%s', (_what, target, callers, rate) => {
    expect(rateOf(target, callers)).toBe(rate)
  })
})
