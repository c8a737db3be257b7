import { describe, expect, it } from 'vitest'
import { isUntraced, sampleRate } from '../../../lib/sdk/paths'

describe('the server traces', () => {
  it.each(['/', '/lab', '/lab/api/slow', '/nope', '/tracesque'])('%s', (path) => {
    expect(isUntraced(path)).toBe(false)
  })
})

describe('the server does not trace', () => {
  it.each([
    ['/tunnel', 'the tunnel'],
    ['/tunnel/v1/traces', 'the tunnel for OpenTelemetry'],
    ['/collector/query/stream', 'the collector'],
    ['/settings', 'the settings'],
    ['/traces', 'a board'],
    ['/traces/0123', 'a page of a board'],
    ['/envelopes', 'a board'],
    ['/events/0123', 'a page of a board'],
    ['/signals', 'a board'],
    ['/deliveries', 'a board'],
    ['/losses', 'a board'],
    ['/storage', 'a board'],
    ['/limits', 'a board'],
    ['/contract', 'a board'],
    ['/stand-in', 'a board'],
    ['/login', 'the login'],
  ])('%s: %s', (path) => {
    expect(isUntraced(path)).toBe(true)
  })
})

describe('the sample rate of a segment is', () => {
  const rateOf = (name: string, callers: number | null) =>
    sampleRate({ name, inheritOrSampleWith: (rate) => callers ?? rate })

  it.each<[string, string, number | null, number]>([
    ['1 when its trace begins here', 'GET', null, 1],
    ['0 when its caller does not sample the trace', 'GET', 0, 0],
    ['1 when its caller samples the trace', 'GET', 1, 1],
    ['0 for Next’s own start-up', 'load route module', null, 0],
    ['0 for loading a route of the app', 'load app route module', 1, 0],
    ['0 for loading the instrumentation', 'load instrumentation module', null, 0],
    ['0 for its register function', 'register instrumentation', null, 0],
  ])('%s', (_what, name, callers, rate) => {
    expect(rateOf(name, callers)).toBe(rate)
  })
})
