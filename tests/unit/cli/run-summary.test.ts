import { describe, expect, it } from 'vitest'
import { runBeginning, runSummary } from '../../../collector/cli/run/run-summary'
import type { LedgerRow, Losses } from '../../../lib/wire/losses'
import { ledgerRowOf, lossesOf } from '../verdict/expectations/sample-losses'
import { type OverviewSample, sampleOverview } from './sample-overview'

interface More {
  readonly losses?: Partial<Losses>
  readonly proxies?: readonly string[]
  readonly signal?: string
  readonly code?: number
  readonly unknown?: readonly string[]
}

function summary(
  given: OverviewSample,
  { losses = {}, proxies = [], signal, code = 0, unknown = [] }: More = {},
): string {
  const facts = {
    overview: sampleOverview(given),
    losses: lossesOf({ sentence: 'made 0, accepted 0, lost 0', ...losses }),
    localDsn: 'http://local@127.0.0.1:4/1',
    folder: '/data/runs/one',
    show: 'npx waystation show /data/runs/one',
    proxies,
    unknown,
    code,
    signal: signal ?? null,
  }
  return runSummary(facts, { colour: false, width: 100 })
}

const book = (category: string, received: number): LedgerRow => ledgerRowOf({ category, received })
/** The texts of one label. */
const linesOf = (text: string, label: string): readonly string[] => {
  const lines = text.split('\n')
  const from = lines.findIndex((line) => line.startsWith(`  ${label} `))
  const length = lines.slice(from + 1).findIndex((line) => !line.startsWith(' '.repeat(13)))
  return from < 0 ? [] : lines.slice(from, from + 1 + length).map((line) => line.slice(13))
}

describe('the summary of a recording', () => {
  it('contains what arrived, the losses, the relay and the folder', () => {
    const losses = {
      categories: [book('error', 1), book('span', 20), book('session', 0)],
      sentence: 'made 21, kept 21',
    }
    expect(summary({ envelopes: 2, localOnly: true }, { losses })).toBe(`
  Waystation recorded 2 envelopes

  Arrived    20 span, 1 error
  Account    made 21, kept 21
  Relay      off: local only, nothing leaves this machine
  Recording  /data/runs/one
             npx waystation show /data/runs/one
             serves the links of this run again
`)
  })

  it('names why buffered logs and spans are unknown', () => {
    const unknown = ['server process 7 ended and never flushed']
    expect(linesOf(summary({ envelopes: 1 }, { unknown }), 'Unknown')).toEqual([
      'logs and spans that were still buffered:',
      'server process 7 ended and never flushed',
    ])
    expect(linesOf(summary({ envelopes: 1 }), 'Unknown')).toEqual([])
  })

  it('prints a line per data category, which are never added', () => {
    const sentence = 'error: made 2, kept 2, lost 0; span: made 9, kept 5, lost 0, not sent by choice 4 (4 sample_rate)'
    expect(linesOf(summary({ envelopes: 1 }, { losses: { sentence } }), 'Account')).toEqual([
      'error: made 2, kept 2, lost 0',
      'span: made 9, kept 5, lost 0, not sent by choice 4 (4 sample_rate)',
    ])
  })

  it('begins with the address of the collector and the folder', () => {
    expect(runBeginning({ url: 'http://127.0.0.1:4', folder: '/data/one' })).toBe(
      'Waystation listens at http://127.0.0.1:4 and records in /data/one',
    )
  })

  it('lists client reports last', () => {
    const reported = (reports: number) => ({ losses: { categories: [book('internal', reports), book('error', 1)] } })
    expect(linesOf(summary({ envelopes: 3 }, reported(2)), 'Arrived')).toEqual(['1 error, 2 client reports'])
    expect(linesOf(summary({ envelopes: 3 }, reported(1)), 'Arrived')).toEqual(['1 error, 1 client report'])
  })

  it('lists what to check when nothing arrived, and what the endpoint refused', () => {
    const text = summary({
      refusals: [
        { reason: 'foreign_key', envelopes: 3 },
        { reason: 'framing', envelopes: 1 },
      ],
    })
    expect(text).toContain('  Waystation recorded nothing\n')
    expect(linesOf(text, 'Check').slice(0, 2)).toEqual([
      'Does the program start an SDK?',
      'Where does its DSN come from? SENTRY_DSN was http://local@127.0.0.1:4/1, also with the',
    ])
    expect(Math.max(...linesOf(text, 'Check').map(({ length }) => length))).toBeLessThanOrEqual(87)
    expect(linesOf(text, 'Refused')).toEqual(['4 envelopes at the endpoint: 3 foreign_key, 1 framing'])
    expect(linesOf(text, 'Account')).toEqual([])
  })

  it('names proxies when nothing arrived', () => {
    expect(linesOf(summary({}, { proxies: ['HTTP_PROXY', 'https_proxy'] }), 'Check').join(' ')).toMatch(
      / Does it use a proxy\? HTTP_PROXY, https_proxy are set\. NO_PROXY and no_proxy contain this machine/,
    )
    expect(summary({}, { proxies: ['HTTP_PROXY'] })).toContain('HTTP_PROXY is set.')
    expect(summary({ envelopes: 1 }, { proxies: ['HTTP_PROXY'] })).not.toContain('proxy')
  })

  it('names the signal that ended the program', () => {
    expect(linesOf(summary({ envelopes: 1 }, { signal: 'SIGSEGV' }), 'Program')).toEqual(['ended by signal SIGSEGV'])
    expect(linesOf(summary({}, { signal: 'SIGKILL' }), 'Program')).toEqual(['ended by signal SIGKILL'])
    expect(linesOf(summary({ envelopes: 1 }), 'Program')).toEqual([])
  })

  it('contains the exit code of a program that failed', () => {
    expect(linesOf(summary({ envelopes: 1 }, { code: 7 }), 'Program')).toEqual(['ended with code 7'])
  })

  it('counts copies separately', () => {
    const text = summary({ envelopes: 0, copies: 1 })
    expect(text).toContain('  Waystation recorded 1 envelope\n')
    expect(linesOf(text, 'Arrived')).toEqual(['1 copy only shown, not relayed and not counted'])
  })

  it.each<[string, OverviewSample, string]>([
    ['nothing', {}, 'nothing is pending'],
    [
      'a network that fails',
      { pending: 2, state: 'backing_off', last: { at: 0, status: null, error: 'ECONNREFUSED' } },
      '2 envelopes still pending, because ECONNREFUSED',
    ],
    [
      'an answer that is tried again',
      { pending: 1, state: 'backing_off', last: { at: 0, status: 503, error: null } },
      '1 envelope still pending, because it answered 503',
    ],
    [
      'a wrong key',
      { pending: 1, state: 'paused', paused: { since: 0, status: 403, answer: ' bad\n  sentry key ' } },
      '1 envelope still pending, because it answers 403: bad sentry key',
    ],
    ['a limit', { pending: 3, deferred: 3 }, '3 envelopes deferred until a limit ends'],
    ['a person', { deadLetters: 1 }, '1 dead letter to send again or drop'],
  ])('explains pending envelopes by %s', (_what, given, words) => {
    expect(linesOf(summary({ envelopes: 1, ...given }), 'Relay')).toEqual([`to sentry.test/1: ${words}`])
  })

  it('escapes control characters', () => {
    expect(summary({ envelopes: 1 }, { losses: { categories: [book('a\u001b[2J\u202e', 1)] } })).toContain(
      '1 a\\u001b[2J\\u202e',
    )
  })
})
