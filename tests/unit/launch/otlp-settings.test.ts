import { describe, expect, it } from 'vitest'
import { otlpPortOf, refuseOwnUpstream, upstreamsOf } from '../../../collector/config'
import { readEnvironment } from '../../../lib/config/environment'
import { valueIn } from '../value-in'

const settings = (variables: Readonly<Record<string, string>>) => valueIn(readEnvironment(variables))

describe('an OTLP upstream that is the collector itself', () => {
  const refusal = (variables: Readonly<Record<string, string>>) => refuseOwnUpstream(settings(variables), 8969)

  it.each([
    ['its port', { WAYSTATION_OTLP_UPSTREAM: 'http://localhost:8969/base' }, 'http://localhost:8969/base'],
    [
      'its port for OTLP',
      { WAYSTATION_OTLP_UPSTREAM: 'http://127.0.0.1:4400', WAYSTATION_OTLP_PORT: '4400' },
      'http://127.0.0.1:4400',
    ],
  ])('is refused at %s, without its password', (_port, variables, shown) => {
    expect(refusal(variables)).toBe(
      `WAYSTATION_OTLP_UPSTREAM ${shown} is this collector itself: use the address of another OTLP endpoint.`,
    )
    const withPassword = variables.WAYSTATION_OTLP_UPSTREAM.replace('//', '//ada:hunter2@')
    expect(refusal({ ...variables, WAYSTATION_OTLP_UPSTREAM: withPassword })).not.toContain('hunter2')
  })

  it('is refused as a DSN, too', () => {
    expect(refusal({ WAYSTATION_OTLP_UPSTREAM: 'http://local@127.0.0.1:8969/1' })).toContain('not the local DSN')
  })

  it('is allowed on another machine or port', () => {
    expect(refusal({ WAYSTATION_OTLP_UPSTREAM: 'http://otel.test:8969' })).toBeNull()
    expect(refusal({ WAYSTATION_OTLP_UPSTREAM: 'http://127.0.0.1:4318' })).toBeNull()
  })
})

it('the second port is left to an upstream on this machine, unless it is set', () => {
  const upstream = { WAYSTATION_OTLP_UPSTREAM: 'http://127.0.0.1:4318' }
  expect(otlpPortOf(settings({}))).toBe(4318)
  expect(otlpPortOf(settings(upstream))).toBeNull()
  expect(otlpPortOf(settings({ ...upstream, WAYSTATION_OTLP_PORT: '4319' }))).toBe(4319)
  expect(otlpPortOf(settings({ WAYSTATION_OTLP_PORT: 'off' }))).toBeNull()
})

it('the configured upstreams end with the one of requests without a key, unless it is one of the others', () => {
  const upstreams = (variables: Readonly<Record<string, string>>) =>
    upstreamsOf(
      { environment: settings(variables), isShown: false, folder: '/', hosts: [], port: 0, version: '' },
      undefined,
    ).map(({ upstream }) => upstream.projectId)
  const dsns = { WAYSTATION_DSNS: 'https://a@sentry.test/7,https://b@sentry.test/8' }
  expect(upstreams({ ...dsns, WAYSTATION_OTLP_UPSTREAM: 'https://otel.test' })).toEqual(['7', '8', '0'])
  expect(upstreams({ ...dsns, WAYSTATION_OTLP_UPSTREAM: 'https://b@sentry.test/8' })).toEqual(['7', '8'])
})
