import { describe, expect, it } from 'vitest'
import { collectorEnvironment } from '../../../collector/launch/recorder-environment'

describe("the collector's environment", () => {
  const set = {
    WAYSTATION_UPSTREAM: 'https://a@sentry.test/9',
    WAYSTATION_DSNS: 'https://b@sentry.test/2',
    WAYSTATION_RELAY: 'on',
    WAYSTATION_COLLECTOR_URL: 'http://127.0.0.1:8969',
    WAYSTATION_PASS_LIMITS: 'off',
    SENTRY_DSN: 'https://real@sentry.test/1',
    WAYSTATION_OTLP_UPSTREAM: 'https://otel.test',
    WAYSTATION_LANES: '4',
  }
  const { SENTRY_DSN, WAYSTATION_PASS_LIMITS, WAYSTATION_UPSTREAM, WAYSTATION_DSNS } = set

  const always = { WAYSTATION_OTLP_PORT: 'off' }

  it('contains no upstream without --relay, and leaves the port of OpenTelemetry alone', () => {
    expect(collectorEnvironment(set, false)).toEqual({ SENTRY_DSN, WAYSTATION_PASS_LIMITS, ...always })
  })

  it('contains the stand-in without --relay, but no other upstream', () => {
    const played = { WAYSTATION_UPSTREAM: 'stand-in' }
    expect(collectorEnvironment({ ...set, ...played, WAYSTATION_RELAY: 'on' }, false)).toEqual({
      SENTRY_DSN,
      WAYSTATION_PASS_LIMITS,
      ...played,
      ...always,
    })
  })

  it('contains the configured upstreams with --relay, or else uses SENTRY_DSN', () => {
    expect(collectorEnvironment(set, true)).toEqual({
      SENTRY_DSN,
      WAYSTATION_PASS_LIMITS,
      WAYSTATION_UPSTREAM,
      WAYSTATION_DSNS,
      WAYSTATION_OTLP_UPSTREAM: 'https://otel.test',
      ...always,
    })
    expect(collectorEnvironment({ WAYSTATION_DSNS }, true)).toEqual({ WAYSTATION_DSNS, ...always })
    expect(collectorEnvironment({ SENTRY_DSN, WAYSTATION_UPSTREAM: '' }, true)).toEqual({
      SENTRY_DSN,
      WAYSTATION_RELAY: 'on',
      ...always,
    })
  })
})
