import { describe, expect, test } from 'vitest'
import { type StartFacts, startBlock } from '../../../collector/launch/start-block'

const FACTS: StartFacts = {
  appUrl: 'http://localhost:3000',
  collectorUrl: 'http://127.0.0.1:8969',
  localDsn: 'http://local@127.0.0.1:8969/1',
  dataFolder: '/home/me/app/.waystation',
  upstreams: [],
  stranded: [],
  script: null,
  ignoresSentryDsn: false,
  guardedByToken: false,
  portInstead: null,
}

const block = (over: Partial<StartFacts> = {}, colour = false) => startBlock({ ...FACTS, ...over }, { colour })

describe('the start block', () => {
  test('tells where everything is, that nothing leaves, what to paste and how to stop', () => {
    expect(block()).toMatchInlineSnapshot(`
      "
        Waystation is running

        Home       http://localhost:3000
        Lab        http://localhost:3000/lab
        Traces     http://localhost:3000/traces
        Errors     http://localhost:3000/events
        Signals    http://localhost:3000/signals
        Envelopes  http://localhost:3000/envelopes
        Deliveries http://localhost:3000/deliveries
        Losses     http://localhost:3000/losses
        Limits     http://localhost:3000/limits
        Contract   http://localhost:3000/contract
        Storage    http://localhost:3000/storage
        Collector  http://127.0.0.1:8969

        Data       /home/me/app/.waystation
        Lifeboat   /home/me/app/.waystation/lifeboat
                   keeps what comes by the tunnel while the collector is down
        Relay      off: local only, nothing leaves this machine

        Any SDK gets on the path with this DSN:
        http://local@127.0.0.1:8969/1

        Ctrl-C stops both.
      "
    `)
  })

  test('names each upstream, and the stand-in as what it is', () => {
    const text = block({
      upstreams: [
        { label: 'o1.ingest.sentry.io/42', standIn: false, localDsn: 'http://abcdef@127.0.0.1:8969/42' },
        { label: '127.0.0.1:4000/1', standIn: true, localDsn: 'http://k@127.0.0.1:8969/1' },
      ],
    })
    expect(text).toContain('Relay      to o1.ingest.sentry.io/42\n             to 127.0.0.1:4000/1, the stand-in\n')
    expect(text).not.toContain('nothing leaves')
    expect(text).toContain('Stand-in   http://localhost:3000/stand-in\n')
    const real = { label: 'o1.ingest.sentry.io/42', standIn: false, localDsn: 'http://abcdef@127.0.0.1:8969/42' }
    expect(block({ upstreams: [real] })).not.toContain('/stand-in')
    expect(text).toContain(`
  Any SDK gets on the path with the DSN of its project:
  http://abcdef@127.0.0.1:8969/42  for o1.ingest.sentry.io/42
  http://k@127.0.0.1:8969/1        for 127.0.0.1:4000/1
`)
    expect(block({ upstreams: [real] })).toContain('on the path with this DSN:\n')
  })

  test('says what is pending by a key that nobody has configured, and what can be done', () => {
    const stranded = [{ publicKey: 'mistyped', project: '2', records: 3 }]
    expect(block({ stranded })).toContain(
      '\n  Stranded   3 envelopes are pending to project 2 by a key that no configured DSN has (mist…): put the old DSN into',
    )
  })

  test('tells what the stand-in still plays from an earlier start', () => {
    const text = block({
      upstreams: [{ label: '127.0.0.1:4000/1', standIn: true, localDsn: 'x' }],
      script: '503 for 9 s more',
    })
    expect(text).toContain(
      'to 127.0.0.1:4000/1, the stand-in\n             plays the script it was told to keep: 503 for 9 s more\n',
    )
  })

  test('says that a SENTRY_DSN is not used, and what would use it', () => {
    expect(block({ ignoresSentryDsn: true })).toContain(
      'SENTRY_DSN is set and not used; WAYSTATION_RELAY=on relays to it',
    )
  })

  test('says that the port is another one, and which variable chooses it', () => {
    const text = block({ appUrl: 'http://localhost:3001', portInstead: { taken: 3000, used: 3001 } })
    expect(text).toContain('Port 3000 is taken, so the app is on 3001; PORT chooses another.')
  })

  test('says where to sign in when a token guards it', () => {
    expect(block({ guardedByToken: true })).toContain('sign in at http://localhost:3000/login')
  })

  test('has colour only when asked for', () => {
    expect(block({}, true)).toContain('\u001b[1m')
    expect(block()).not.toContain('\u001b')
  })

  test('shows what a terminal would obey instead of letting it be obeyed', () => {
    const text = block({ dataFolder: '/tmp/\u001b]0;owned\u0007\u202e' })
    expect(text).toContain('/tmp/\\u001b]0;owned\\u0007\\u202e')
    expect(text).not.toContain('\u001b')
  })
})
