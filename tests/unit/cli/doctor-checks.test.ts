import { describe, expect, it } from 'vitest'
import {
  type Check,
  type CheckResult,
  checkClock,
  checkDigest,
  checkDisk,
  checkDsn,
  checkEndpoint,
  checkStore,
  checksText,
  checkUpstreams,
  checkVariables,
} from '../../../collector/cli/doctor/doctor-checks'
import type { Storage } from '../../../lib/wire/storage'
import { limitOf } from '../dashboards/status-samples'
import { sampleOverview } from './sample-overview'
import { EMPTY_STORAGE } from './sample-storage'

describe('the checks of the SDK', () => {
  const at = { collectorUrl: 'http://127.0.0.1:8969', localDsn: 'http://k@127.0.0.1:8969/1', behindTunnel: false }
  const dsn = (text: string) => ({ from: '--dsn', text }) as const

  it.each([
    ['http://k@localhost:8969/1', 'ok'],
    ['http://k@[::1]:8969/1', 'ok'],
    ['http://k@127.0.0.1:8970/1', 'broken'],
    ['https://k@o1.ingest.sentry.io/1', 'broken'],
    ['nonsense', 'broken'],
  ])('find the DSN %s %s', (text, state) => {
    expect(checkDsn(dsn(text), at).state).toBe(state)
  })

  it('accept a DSN of Sentry behind a tunnel, and skip a missing DSN', () => {
    expect(checkDsn(dsn('https://k@o1.ingest.sentry.io/1'), { ...at, behindTunnel: true })).toMatchObject({
      state: 'ok',
      found: expect.stringContaining('requests of pages arrive through the tunnel'),
      fix: `Servers and scripts without the tunnel need the local DSN: ${at.localDsn}`,
    })
    expect(checkDsn(null, at)).toMatchObject({ state: 'skipped', fix: expect.stringContaining(at.localDsn) })
  })

  it('refuse a DSN of this machine that does not lead to the collector, even behind a tunnel', () => {
    expect(checkDsn(dsn('http://k@localhost:46100/1'), { ...at, behindTunnel: true })).toEqual({
      state: 'broken',
      found:
        '--dsn leads to localhost:46100, but the collector is at 127.0.0.1:8969: requests of pages arrive through the tunnel, those of servers and scripts do not.',
      fix: `Give the SDK the local DSN: ${at.localDsn}`,
    })
  })

  it.each([
    [{}, 'ok', 'No proxy is set.'],
    [{ https_proxy: 'http://p', NO_PROXY: 'a.test, localhost' }, 'ok', 'https_proxy: not used for this machine.'],
    [{ https_proxy: 'http://p', no_proxy: '*' }, 'ok', 'https_proxy: not used for this machine.'],
    [
      { HTTP_PROXY: 'http://p', ALL_PROXY: 'http://p', NO_PROXY: 'a.test' },
      'broken',
      'HTTP_PROXY, ALL_PROXY send requests to a proxy, which cannot reach this machine.',
    ],
    [{ NODE_ENV: 'test' }, 'ok', expect.stringContaining('many apps disable their SDK there')],
  ])('find the variables %j %s', (variables, state, found) => {
    expect(checkVariables(variables)).toMatchObject({ state, found })
  })
})

const UNPROVEN = { isProven: false }

describe('the checks of the collector', () => {
  it('report an endpoint that refused everything, and skip one without requests', () => {
    expect(
      checkEndpoint(sampleOverview({ refusals: [{ reason: 'origin', envelopes: 2 }] }), [], UNPROVEN),
    ).toMatchObject({
      state: 'broken',
      found: 'No envelope was accepted, 2 refused: 2 origin.',
    })
    expect(checkEndpoint(sampleOverview({}), [], UNPROVEN)).toMatchObject({
      state: 'skipped',
      found: 'No envelope has arrived yet.',
    })
  })

  it.each<[string, readonly ('received' | 'refused')[], number, CheckResult['state'], string]>([
    ['recently', ['refused', 'received'], 300_000, 'broken', '2 refused, the last 300 s ago: 2 origin.'],
    [
      'long ago, before the last accepted one',
      ['refused', 'received'],
      300_001,
      'ok',
      '2 refused, none recently: 2 origin.',
    ],
    [
      'after the last accepted one',
      ['received', 'refused'],
      600_000,
      'broken',
      '2 refused, the last 600 s ago: 2 origin.',
    ],
    ['before the oldest fact', ['received'], 0, 'ok', '2 refused, none recently: 2 origin.'],
  ])('report envelopes that were refused %s', (_when, kinds, now, state, found) => {
    const facts = kinds.map((kind, index) => ({ n: index + 1, at: 0, kind, seq: null }))
    const overview = { ...sampleOverview({ envelopes: 3, refusals: [{ reason: 'origin', envelopes: 2 }] }), now }
    const sentence = { found: expect.stringMatching(new RegExp(`; ${found}$`)) }
    expect(checkEndpoint(overview, facts, UNPROVEN)).toMatchObject({ state, ...sentence })
    // An envelope of the app was accepted just now.
    expect(checkEndpoint(overview, facts, { isProven: true })).toMatchObject({ state: 'ok', ...sentence })
  })

  it('find nothing broken where only another program was refused', () => {
    const refused = sampleOverview({ refusals: [{ reason: 'origin', envelopes: 1 }] })
    expect(checkEndpoint(refused, [{ n: 1, at: refused.now, kind: 'refused', seq: null }], { isProven: true })).toEqual(
      {
        state: 'ok',
        found: expect.stringMatching(/^0 envelopes arrived.*; 1 refused, the last 0 s ago: 1 origin\.$/),
        fix: 'This page or program is accepted, so another one sent these: check each page with explain --app URL. The board Live has the reasons.',
      },
    )
  })

  it.each<[Partial<Storage>, string]>([
    [{}, 'ok'],
    [{ state: 'evicting' }, 'ok'],
    [{ state: 'backlog_full' }, 'broken'],
    [{ state: 'full' }, 'broken'],
    [{ state: 'evicting', trouble: 'another program reads' }, 'broken'],
  ])('find the disk budget %j %s', (given, state) => {
    expect(checkDisk({ ...EMPTY_STORAGE, ...given }).state).toBe(state)
  })

  it('say that PostgreSQL is away, and what to do', () => {
    const store = { place: 'db:5432/waystation', away: null, lanes: null }
    expect(checkStore(store)).toEqual({ state: 'ok', found: 'PostgreSQL at db:5432/waystation answers.', fix: null })
    expect(checkStore({ ...store, away: 'PostgreSQL at db:5432/waystation is away: connect ECONNREFUSED' })).toEqual({
      state: 'broken',
      found:
        'PostgreSQL at db:5432/waystation is away: connect ECONNREFUSED. Envelopes are refused with 503 until it answers.',
      fix: 'Start PostgreSQL, or make it reachable from the collector; its address is in WAYSTATION_STORE.',
    })
  })

  it('report a digest that is 15 s late, except during a rebuild', () => {
    const late = { ...sampleOverview({ digest: 'pending' }), now: 15_001 }
    expect(checkDigest(late, EMPTY_STORAGE).state).toBe('broken')
    expect(checkDigest({ ...late, now: 15_000 }, EMPTY_STORAGE).state).toBe('ok')
    const rebuild = { done: 1, of: 2, startedAt: 0 }
    expect(checkDigest(late, { ...EMPTY_STORAGE, rebuild })).toMatchObject({
      state: 'ok',
      found: expect.stringContaining('1 of 2'),
    })
  })

  it('accept a clock difference of 2 s plus the duration of the request', () => {
    const overview = { ...sampleOverview({}), now: 10_000 }
    expect(checkClock(overview, 12_500, 500).state).toBe('ok')
    expect(checkClock(overview, 12_501, 500)).toMatchObject({
      state: 'broken',
      found: 'The clock of the collector is 2.5 s behind ours.',
    })
  })

  it.each([
    [{ localOnly: true }, 'ok', 'No upstream is configured: nothing leaves this machine.'],
    [{ pending: 3 }, 'ok', 'sentry.test/1 accepts envelopes, 3 pending'],
    [
      { state: 'paused', pending: 3, paused: { since: 0, status: 403, answer: null } },
      'broken',
      'sentry.test/1 refuses with 403; 3 pending',
    ],
    [
      { state: 'backing_off', pending: 1, last: { at: 0, status: 503, error: null } },
      'broken',
      'sentry.test/1 is unreachable: it answered 503; 1 pending',
    ],
    [{ deadLetters: 2 }, 'broken', 'sentry.test/1 rejected 2 envelopes (dead letters)'],
  ] as const)('find the upstream %j %s', (given, state, found) => {
    expect(checkUpstreams(sampleOverview(given))).toMatchObject({ state, found })
  })

  it('report active limits and stranded envelopes', () => {
    const limit = { ...limitOf({ category: 'error', receivedAt: 0, until: 1500 }), upstream: 'u/1', reason: 'quota' }
    const stranded = [{ publicKey: 'k', project: '9', records: 4 }]
    const result = checkUpstreams({ ...sampleOverview({}), limits: [limit, { ...limit, until: 0 }], stranded })
    expect(result).toMatchObject({
      state: 'broken',
      found: expect.stringMatching(
        /4.*; u\/1 limits error until 1970-01-01T00:00:01\.500Z, for another 2 s \(quota\)$/,
      ),
    })
  })
})

it('prints a line for each check, the fix below it, and no control characters', () => {
  const check = (given: Partial<Check>): Check => ({
    id: 'a',
    title: 'Endpoint',
    state: 'ok',
    found: 'fine',
    fix: null,
    ...given,
  })
  expect(checksText([check({}), check({ state: 'skipped' })])).toBe(
    '✓ Endpoint     fine\n? Endpoint     fine\n\nNo check failed, 1 skipped.',
  )
  expect(checksText([check({ state: 'broken', found: 'a\u001bb', fix: 'do this' })])).toBe(
    '✗ Endpoint     a\\u001bb\n               do this\n\n1 check failed.',
  )
})
