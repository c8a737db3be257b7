import { describe, expect, test } from 'vitest'
import { collectorBlock, type StartFacts, startBlock } from '../../../collector/launch/start-block'
import { ROLES } from '../../../lib/protocol/roles'

const FACTS: StartFacts = {
  appUrl: 'http://localhost:3000',
  url: 'http://127.0.0.1:8969',
  localDsn: 'http://local@127.0.0.1:8969/1',
  dataFolder: '/home/me/app/.waystation',
  upstreams: [],
  otlp: { url: 'http://127.0.0.1:4318', taken: null, upstream: null, staysLocal: false },
  stranded: [],
  ignoresSentryDsn: false,
  guardedByToken: false,
  portInstead: null,
  roles: ROLES,
  store: null,
}

const block = (over: Partial<StartFacts> = {}, colour = false) => startBlock({ ...FACTS, ...over }, { colour })

describe('the start block', () => {
  test('prints all addresses, the relay, the DSN and how to stop', () => {
    expect(block()).toMatchInlineSnapshot(`
      "
        Waystation is running

        Live       http://localhost:3000
        Lab        http://localhost:3000/lab
        Traces     http://localhost:3000/traces
        Errors     http://localhost:3000/errors
        Logs       http://localhost:3000/logs
        Metrics    http://localhost:3000/vitals
        Envelopes  http://localhost:3000/envelopes
        Deliveries http://localhost:3000/deliveries
        Losses     http://localhost:3000/losses
        Limits     http://localhost:3000/limits
        Storage    http://localhost:3000/storage
        Contract   http://localhost:3000/contract
        Runs       http://localhost:3000/runs
        Collector  http://127.0.0.1:8969
        OTLP       http://127.0.0.1:4318

        Data       /home/me/app/.waystation
        Lifeboat   /home/me/app/.waystation/lifeboat
                   stores envelopes of the tunnel while the collector is down
        Relay      off: local only, nothing leaves this machine

        Set this DSN in any SDK:
        http://local@127.0.0.1:8969/1

        Ctrl-C stops both.
      "
    `)
  })

  test('names the place of a shared record, and says what is left in the data folder', () => {
    const store = 'db.example:5432/waystation'
    expect(block({ store })).toContain(
      `  Record     in PostgreSQL at ${store}\n  Data       /home/me/app/.waystation\n             contains a copy of the record\n  Lifeboat`,
    )
    expect(collectorBlock({ ...FACTS, store, roles: ['relay'] }, { colour: false })).not.toContain('copy')
  })

  test('names each upstream, and marks the stand-in', () => {
    const real = { label: 'o1.ingest.sentry.io/42', standIn: false, localDsn: 'http://abcdef@127.0.0.1:8969/42' }
    const standIn = { label: '127.0.0.1:4000/1', standIn: true, localDsn: 'http://k@127.0.0.1:8969/1' }
    const text = block({ upstreams: [real, standIn] })
    expect(text).toContain('Relay      to o1.ingest.sentry.io/42\n             to 127.0.0.1:4000/1, the stand-in\n')
    expect(text).not.toContain('nothing leaves')
    expect(text).toContain('Stand-in   http://localhost:3000/stand-in\n')
    expect(block({ upstreams: [real] })).not.toContain('/stand-in')
    expect(text).toContain(`
  Set the DSN of your project in any SDK:
  http://abcdef@127.0.0.1:8969/42  for o1.ingest.sentry.io/42
  http://k@127.0.0.1:8969/1        for 127.0.0.1:4000/1
`)
    expect(block({ upstreams: [real] })).toContain('Set this DSN in any SDK:\n')
  })

  test('of a collector without some roles names those that it has, and no address that needs another', () => {
    expect(
      collectorBlock({ ...FACTS, roles: ['relay'], guardedByToken: true }, { colour: false }),
    ).toMatchInlineSnapshot(`
      "
        Waystation is running

        Collector  http://127.0.0.1:8969
        Roles      relay
                   Other collectors of the same record do the rest (WAYSTATION_ROLES).

        Data       /home/me/app/.waystation
        Relay      off: local only, nothing leaves this machine

        It takes no envelopes: SDKs need the DSN of a collector with the role intake.

        Ctrl-C stops it.
      "
    `)
    const text = block({ roles: ['intake', 'query'] })
    expect(text).toContain('Collector  http://127.0.0.1:8969\n  Roles      intake, query\n')
    expect(text).toContain('Relay      by collectors with the role relay\n')
    expect(text).toContain('Live       http://localhost:3000\n')
    expect(block()).not.toContain('Roles')
  })

  test('names envelopes that are pending for an unknown key, and what to do', () => {
    const stranded = [{ publicKey: 'mistyped', project: '2', records: 3 }]
    expect(block({ stranded })).toContain(
      '\n  Stranded   3 envelopes are pending for project 2 with a key that no configured DSN has (mist…): add the old DSN to',
    )
  })

  test('says in one line that the default port of OpenTelemetry is taken, and which port to use', () => {
    const otlp = { ...FACTS.otlp, url: 'http://127.0.0.1:8969', taken: 4318 }
    expect(block({ otlp })).toContain(
      'OTLP       http://127.0.0.1:8969\n             Port 4318 is taken, so OpenTelemetry programs send to http://127.0.0.1:8969.\n',
    )
  })

  test('names the upstream of OpenTelemetry, or says that nothing selects one', () => {
    const upstreams = [
      { label: 'o1.ingest.sentry.io/42', standIn: false, localDsn: 'http://abcdef@127.0.0.1:8969/42' },
      { label: 'o1.ingest.sentry.io/43', standIn: false, localDsn: 'http://abcdef@127.0.0.1:8969/43' },
    ]
    const otlp = { ...FACTS.otlp, upstream: 'otel.test (OpenTelemetry)' }
    expect(block({ upstreams, otlp })).toContain(
      'to o1.ingest.sentry.io/43\n             OpenTelemetry without a key: to otel.test (OpenTelemetry)\n',
    )
    expect(block({ otlp })).toContain(
      'Relay      off for envelopes: they stay on this machine\n             OpenTelemetry without a key: to otel.test (OpenTelemetry)\n',
    )
    expect(block({ upstreams, otlp: { ...FACTS.otlp, staysLocal: true } })).toContain(
      'OpenTelemetry without a key stays on this machine; set WAYSTATION_OTLP_UPSTREAM to one of these DSNs to relay it\n',
    )
  })

  test('says that SENTRY_DSN is not used, and how to use it', () => {
    expect(block({ ignoresSentryDsn: true })).toContain(
      'SENTRY_DSN is set but not used; set WAYSTATION_RELAY=on to relay to it',
    )
  })

  test('names the port that is used instead, and the variable that sets it', () => {
    const text = block({ appUrl: 'http://localhost:3001', portInstead: { taken: 3000, used: 3001 } })
    expect(text).toContain('Port 3000 is taken, so the app uses 3001; PORT sets another port.')
  })

  test('prints the sign-in address when a token is required', () => {
    expect(block({ guardedByToken: true })).toContain('sign in at http://localhost:3000/login')
  })

  test('prints colour only on a terminal', () => {
    expect(block({}, true)).toContain('\u001b[1m')
    expect(block()).not.toContain('\u001b')
  })

  test('escapes control characters', () => {
    const text = block({ dataFolder: '/tmp/\u001b]0;owned\u0007\u202e' })
    expect(text).toContain('/tmp/\\u001b]0;owned\\u0007\\u202e')
    expect(text).not.toContain('\u001b')
  })
})
