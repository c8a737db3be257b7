import { describe, expect, it } from 'vitest'
import { CLIENT_PREFIXES, programEnvironment, proxiesOf } from '../../../collector/cli/run/run-program'

describe("the program's environment", () => {
  it('adds the local DSN and the address of the collector to the environment of the shell', () => {
    const at = { localDsn: 'http://local@127.0.0.1:4/1', url: 'http://127.0.0.1:4', suite: '/run/suite' }
    const env = programEnvironment({ HOME: '/home', SENTRY_DSN: 'https://real@sentry.test/1', VITE_SENTRY_DSN: '' }, at)
    const { HOME, WAYSTATION_COLLECTOR_URL, WAYSTATION_RUN_FOLDER, NO_PROXY, no_proxy, ...others } = env
    const dsns = Object.fromEntries(Object.entries(others).filter(([name]) => !name.startsWith('OTEL_')))
    expect({ HOME, WAYSTATION_COLLECTOR_URL, WAYSTATION_RUN_FOLDER }).toEqual({
      HOME: '/home',
      WAYSTATION_COLLECTOR_URL: at.url,
      WAYSTATION_RUN_FOLDER: at.suite,
    })
    const sentry = ['', ...CLIENT_PREFIXES].map((prefix) => `${prefix}SENTRY_DSN`)
    expect(new Set(Object.keys(dsns))).toEqual(new Set(['WAYSTATION_DSN', ...sentry]))
    expect(new Set(Object.values(dsns))).toEqual(new Set([at.localDsn]))
  })

  it('sends every signal of OpenTelemetry to the collector by HTTP, and overrides the variables of the shell', () => {
    const own = { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'https://prod.test', OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }
    const env = programEnvironment(own, { localDsn: 'd', url: 'http://127.0.0.1:4', suite: 's' })
    expect(Object.entries(env).filter(([name, value]) => name.startsWith('OTEL_') && value !== undefined)).toEqual([
      ['OTEL_EXPORTER_OTLP_PROTOCOL', 'http/protobuf'],
      ['OTEL_EXPORTER_OTLP_ENDPOINT', 'http://127.0.0.1:4'],
    ])
  })

  it.each<[string, Readonly<Record<string, string>>, string]>([
    ['none', { HTTP_PROXY: 'http://proxy.test:3128' }, '127.0.0.1,localhost'],
    ['one spelling', { no_proxy: 'intra.test, localhost' }, 'intra.test,localhost,127.0.0.1'],
    ['both', { NO_PROXY: 'a.test', no_proxy: 'b.test,' }, 'a.test,b.test,127.0.0.1,localhost'],
    ['everything', { NO_PROXY: '*' }, '*'],
  ])('excludes this machine from proxies, in addition to the exceptions in %s', (_which, own, hosts) => {
    const env = programEnvironment(own, { localDsn: 'd', url: 'u', suite: 's' })
    expect([env.NO_PROXY, env.no_proxy]).toEqual([hosts, hosts])
  })

  it('uses proxies from variables in upper and lower case', () => {
    expect(proxiesOf({ HTTP_PROXY: 'http://p', https_proxy: 'http://p', ALL_PROXY: '', NO_PROXY: '*' })).toEqual([
      'HTTP_PROXY',
      'https_proxy',
    ])
  })
})
