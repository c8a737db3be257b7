import { describe, expect, it } from 'vitest'
import { CLIENT_PREFIXES, collectorEnvironment, programEnvironment } from '../../../collector/cli/run-environment'

describe("the program's environment", () => {
  it('is the shell’s, but for the DSN under every name that tools look for and the address of the collector', () => {
    const at = { localDsn: 'http://local@127.0.0.1:4/1', url: 'http://127.0.0.1:4' }
    const env = programEnvironment({ HOME: '/home', SENTRY_DSN: 'https://real@sentry.test/1', VITE_SENTRY_DSN: '' }, at)
    const { HOME, WAYSTATION_COLLECTOR_URL, ...dsns } = env
    expect({ HOME, WAYSTATION_COLLECTOR_URL }).toEqual({ HOME: '/home', WAYSTATION_COLLECTOR_URL: at.url })
    expect(Object.keys(dsns)).toEqual(['SENTRY_DSN', 'VITE_SENTRY_DSN', ...Object.keys(dsns).slice(2)])
    expect(new Set(Object.keys(dsns))).toEqual(new Set(['', ...CLIENT_PREFIXES].map((prefix) => `${prefix}SENTRY_DSN`)))
    expect(new Set(Object.values(dsns))).toEqual(new Set([at.localDsn]))
  })
})

describe("the collector's environment", () => {
  const set = {
    WAYSTATION_UPSTREAM: 'stand-in',
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
