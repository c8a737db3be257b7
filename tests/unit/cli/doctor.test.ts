import { describe, expect, it } from 'vitest'
import {
  lookAtClock,
  lookAtDigest,
  lookAtEndpoint,
  lookAtRoom,
  lookAtUpstreams,
} from '../../../collector/cli/doctor-collector'
import { type Link, type Look, toldChain } from '../../../collector/cli/doctor-link'
import { lookAtDsn, lookAtVariables } from '../../../collector/cli/doctor-sender'
import type { Storage } from '../../../lib/wire/storage'
import { told } from './told-overview'
import { EMPTY_STORAGE } from './told-storage'

describe('the links from the SDK to the endpoint', () => {
  const at = { collectorUrl: 'http://127.0.0.1:8969', localDsn: 'http://k@127.0.0.1:8969/1', behindTunnel: false }
  const dsn = (text: string) => ({ from: '--dsn', text }) as const

  it.each([
    ['http://k@localhost:8969/1', 'ok'],
    ['http://k@[::1]:8969/1', 'ok'],
    ['http://k@127.0.0.1:8970/1', 'broken'],
    ['https://k@o1.ingest.sentry.io/1', 'broken'],
    ['nonsense', 'broken'],
  ])('a DSN %s is %s', (text, state) => {
    expect(lookAtDsn(dsn(text), at).state).toBe(state)
  })

  it('behind a tunnel a DSN of Sentry’s is in order for pages, and none is not looked at', () => {
    expect(lookAtDsn(dsn('https://k@o1.ingest.sentry.io/1'), { ...at, behindTunnel: true })).toMatchObject({
      state: 'ok',
      seen: expect.stringContaining('what pages send by the tunnel arrives here'),
      mend: `A server or script that does not send by it needs the local DSN: ${at.localDsn}`,
    })
    expect(lookAtDsn(null, at)).toMatchObject({ state: 'not looked at', mend: expect.stringContaining(at.localDsn) })
  })

  it('a DSN of this machine that does not lead to the collector is broken behind a tunnel, too', () => {
    expect(lookAtDsn(dsn('http://k@localhost:46100/1'), { ...at, behindTunnel: true })).toEqual({
      state: 'broken',
      seen: '--dsn leads to localhost:46100, and the collector is at 127.0.0.1:8969: what pages send by the tunnel arrives, what servers and scripts send there does not.',
      mend: `Give the SDK the local DSN: ${at.localDsn}`,
    })
  })

  it.each([
    [{}, 'ok', 'No proxy is set.'],
    [{ https_proxy: 'http://p', NO_PROXY: 'a.test, localhost' }, 'ok', 'https_proxy leave this machine out.'],
    [{ https_proxy: 'http://p', no_proxy: '*' }, 'ok', 'https_proxy leave this machine out.'],
    [
      { HTTP_PROXY: 'http://p', ALL_PROXY: 'http://p', NO_PROXY: 'a.test' },
      'broken',
      'HTTP_PROXY, ALL_PROXY send what a program posts to a proxy, which does not reach this machine.',
    ],
    [{ NODE_ENV: 'test' }, 'ok', expect.stringContaining('many apps switch their SDK off there')],
  ])('of the variables %j it is %s', (variables, state, seen) => {
    expect(lookAtVariables(variables)).toMatchObject({ state, seen })
  })
})

describe('the links from the endpoint to upstream', () => {
  it('a endpoint that let nothing in and refused something is broken, one that nobody knocked at is not', () => {
    expect(lookAtEndpoint(told({ refusals: [{ reason: 'origin', envelopes: 2 }] }), [])).toMatchObject({
      state: 'broken',
      seen: 'Nothing was let in, and 2 refused: 2 origin.',
    })
    expect(lookAtEndpoint(told({}), [])).toMatchObject({ state: 'not looked at', seen: 'Nothing has arrived yet.' })
  })

  it.each<[string, readonly ('received' | 'refused')[], number, Look['state'], string]>([
    ['lately', ['refused', 'received'], 300_000, 'broken', '2 refused at the endpoint, the last 300 s ago: 2 origin.'],
    [
      'long ago, and let in since',
      ['refused', 'received'],
      300_001,
      'ok',
      '2 refused at the endpoint, none lately: 2 origin.',
    ],
    [
      'after all that was let in',
      ['received', 'refused'],
      600_000,
      'broken',
      '2 refused at the endpoint, the last 600 s ago: 2 origin.',
    ],
    ['before all that the journal has', ['received'], 0, 'ok', '2 refused at the endpoint, none lately: 2 origin.'],
  ])('a endpoint that refused %s is told so', (_when, kinds, now, state, seen) => {
    const facts = kinds.map((kind, index) => ({ n: index + 1, at: 0, kind, seq: null }))
    const overview = { ...told({ envelopes: 3, refusals: [{ reason: 'origin', envelopes: 2 }] }), now }
    expect(lookAtEndpoint(overview, facts)).toMatchObject({
      state,
      seen: expect.stringMatching(new RegExp(`; ${seen}$`)),
    })
  })

  it.each<[Partial<Storage>, string]>([
    [{}, 'ok'],
    [{ state: 'evicting' }, 'ok'],
    [{ state: 'overflow' }, 'broken'],
    [{ state: 'full' }, 'broken'],
    [{ state: 'evicting', trouble: 'another program reads' }, 'broken'],
  ])('room that is %j is %s', (given, state) => {
    expect(lookAtRoom({ ...EMPTY_STORAGE, ...given }).state).toBe(state)
  })

  it('a digest is late 15 s after an envelope came, unless all rows are being made anew', () => {
    const late = { ...told({ digest: 'pending' }), now: 15_001 }
    expect(lookAtDigest(late, EMPTY_STORAGE).state).toBe('broken')
    expect(lookAtDigest({ ...late, now: 15_000 }, EMPTY_STORAGE).state).toBe('ok')
    const rebuild = { done: 1, of: 2, startedAt: 0 }
    expect(lookAtDigest(late, { ...EMPTY_STORAGE, rebuild })).toMatchObject({
      state: 'ok',
      seen: expect.stringContaining('1 of 2'),
    })
  })

  it('clocks may be 2 s apart, and as long as the question took', () => {
    const overview = { ...told({}), now: 10_000 }
    expect(lookAtClock(overview, 12_500, 500).state).toBe('ok')
    expect(lookAtClock(overview, 12_501, 500)).toMatchObject({
      state: 'broken',
      seen: 'Its clock is 2.5 s behind ours.',
    })
  })

  it.each([
    [{ localOnly: true }, 'ok', 'There is none: local only, nothing leaves this machine.'],
    [{ pending: 3 }, 'ok', 'sentry.test/1 takes what it is sent, 3 pending'],
    [
      { state: 'paused', pending: 3, paused: { since: 0, status: 403, answer: null } },
      'broken',
      'sentry.test/1 refuses us with 403; 3 wait',
    ],
    [
      { state: 'backing_off', pending: 1, last: { at: 0, status: 503, error: null } },
      'broken',
      'sentry.test/1 is away: it answered 503; 1 wait',
    ],
    [{ deadLetters: 2 }, 'broken', 'sentry.test/1 refused 2 for what they are'],
  ] as const)('an upstream that is %j is %s', (given, state, seen) => {
    expect(lookAtUpstreams(told(given))).toMatchObject({ state, seen })
  })

  it('a limit that runs and what is stranded are broken links', () => {
    const limit = {
      upstream: 'u/1',
      category: 'error',
      toldAt: 0,
      until: 1500,
      reason: 'quota',
      scope: null,
      toldBy: 1,
      cut: 0,
    }
    const stranded = [{ publicKey: 'k', project: '9', records: 4 }]
    const look = lookAtUpstreams({ ...told({}), limits: [limit, { ...limit, until: 0 }], stranded })
    expect(look).toMatchObject({
      state: 'broken',
      seen: expect.stringMatching(/4.*; u\/1 limits error for 2 s more \(quota\)$/),
    })
  })
})

it('the chain is told a line each, with what mends it below, and nothing in it that a terminal obeys', () => {
  const link = (given: Partial<Link>): Link => ({
    id: 'a',
    title: 'Endpoint',
    state: 'ok',
    seen: 'fine',
    mend: null,
    ...given,
  })
  expect(toldChain([link({}), link({ state: 'not looked at' })])).toBe(
    '✓ Endpoint     fine\n? Endpoint     fine\n\nNothing is broken; 1 not looked at.',
  )
  expect(toldChain([link({ state: 'broken', seen: 'a\u001bb', mend: 'do this' })])).toBe(
    '✗ Endpoint     a\\u001bb\n               do this\n\nOne link is broken.',
  )
})
