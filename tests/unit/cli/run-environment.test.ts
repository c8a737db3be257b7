import { describe, expect, it } from 'vitest'
import {
  CLIENT_PREFIXES,
  collectorEnvironment,
  programEnvironment,
  proxiesOf,
} from '../../../collector/cli/run-environment'

describe("the program's environment", () => {
  it('is the shell’s, but for the DSN under every name that tools look for and the address of the collector', () => {
    const at = { localDsn: 'http://local@127.0.0.1:4/1', url: 'http://127.0.0.1:4' }
    const env = programEnvironment({ HOME: '/home', SENTRY_DSN: 'https://real@sentry.test/1', VITE_SENTRY_DSN: '' }, at)
    const { HOME, WAYSTATION_COLLECTOR_URL, NO_PROXY, no_proxy, ...dsns } = env
    expect({ HOME, WAYSTATION_COLLECTOR_URL }).toEqual({ HOME: '/home', WAYSTATION_COLLECTOR_URL: at.url })
    expect(Object.keys(dsns)).toEqual(['SENTRY_DSN', 'VITE_SENTRY_DSN', ...Object.keys(dsns).slice(2)])
    expect(new Set(Object.keys(dsns))).toEqual(new Set(['', ...CLIENT_PREFIXES].map((prefix) => `${prefix}SENTRY_DSN`)))
    expect(new Set(Object.values(dsns))).toEqual(new Set([at.localDsn]))
  })

  it.each<[string, Readonly<Record<string, string>>, string]>([
    ['none', { HTTP_PROXY: 'http://proxy.test:3128' }, '127.0.0.1,localhost'],
    ['one spelling', { no_proxy: 'intra.test, localhost' }, 'intra.test,localhost,127.0.0.1'],
    ['both', { NO_PROXY: 'a.test', no_proxy: 'b.test,' }, 'a.test,b.test,127.0.0.1,localhost'],
    ['everything', { NO_PROXY: '*' }, '*'],
  ])('leaves this machine out of any proxy, beside what was left out by %s before', (_which, own, hosts) => {
    const env = programEnvironment(own, { localDsn: 'd', url: 'u' })
    expect([env.NO_PROXY, env.no_proxy]).toEqual([hosts, hosts])
  })

  it('has proxies where a variable names one, in capitals or not', () => {
    expect(proxiesOf({ HTTP_PROXY: 'http://p', https_proxy: 'http://p', ALL_PROXY: '', NO_PROXY: '*' })).toEqual([
      'HTTP_PROXY',
      'https_proxy',
    ])
  })
})

describe("the collector's environment", () => {
  const set = {
    WAYSTATION_UPSTREAM: 'https://a@sentry.test/9',
    WAYSTATION_DSNS: 'https://b@sentry.test/2',
    WAYSTATION_RELAY: 'on',
    WAYSTATION_COLLECTOR_URL: 'http://127.0.0.1:8969',
    WAYSTATION_PASS_LIMITS: 'off',
    SENTRY_DSN: 'https://real@sentry.test/1',
  }
  const { SENTRY_DSN, WAYSTATION_PASS_LIMITS, WAYSTATION_UPSTREAM, WAYSTATION_DSNS } = set

  it('names no upstream unless relaying is asked for', () => {
    expect(collectorEnvironment(set, false)).toEqual({ SENTRY_DSN, WAYSTATION_PASS_LIMITS })
  })

  it('names the stand-in, which leaves this machine never, and no other upstream beside it', () => {
    const played = { WAYSTATION_UPSTREAM: 'stand-in' }
    expect(collectorEnvironment({ ...set, ...played, WAYSTATION_RELAY: 'on' }, false)).toEqual({
      SENTRY_DSN,
      WAYSTATION_PASS_LIMITS,
      ...played,
    })
  })

  it('names the upstreams that are configured where it is, and else SENTRY_DSN', () => {
    expect(collectorEnvironment(set, true)).toEqual({
      SENTRY_DSN,
      WAYSTATION_PASS_LIMITS,
      WAYSTATION_UPSTREAM,
      WAYSTATION_DSNS,
    })
    expect(collectorEnvironment({ WAYSTATION_DSNS }, true)).toEqual({ WAYSTATION_DSNS })
    expect(collectorEnvironment({ SENTRY_DSN, WAYSTATION_UPSTREAM: '' }, true)).toEqual({
      SENTRY_DSN,
      WAYSTATION_RELAY: 'on',
    })
  })
})
