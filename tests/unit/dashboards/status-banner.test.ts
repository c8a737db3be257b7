import { describe, expect, it } from 'vitest'
import { statusLines } from '../../../dashboards/ui/status-lines'
import type { Limit } from '../../../lib/wire/limits'
import type { Status, UpstreamState } from '../../../lib/wire/overview'
import { STORE_AWAY } from '../cli/sample-store'
import { limitOf, statusOf, upstreamOf } from './status-samples'

const NOW = 1_000_000

const upstream = upstreamOf()

const limit = (category: string, leftMs: number): Limit => limitOf({ category, receivedAt: NOW, until: NOW + leftMs })

const lines = (over: Partial<Status>) => statusLines(statusOf({ now: NOW, ...over }), NOW)
const textOf = (over: Partial<Status>): readonly string[] =>
  lines(over).map(({ word, text, clock }) => [`${word}.`, text, clock?.running].filter(Boolean).join(' '))

describe('the status banner', () => {
  it('is empty when all is well, and while envelopes are relayed', () => {
    expect(textOf({})).toEqual([])
    expect(textOf({ upstreams: [{ ...upstream, state: 'relaying', pending: 3, open: 3, deferred: 2 }] })).toEqual([])
    expect(textOf({ storage: { state: 'evicting', trouble: null } })).toEqual([])
  })

  it('shows why an upstream is paused, its answer, the pending envelopes and the next probe', () => {
    const paused = { since: 1, status: 403, answer: ' ProjectId mismatch\u202e ' }
    expect(
      textOf({ upstreams: [{ ...upstream, state: 'paused', pending: 12, paused, retryAt: NOW + 41_200 }] }),
    ).toEqual([
      'Paused: o1.ingest.sentry.io/2. It refuses the key: answered 403, “ProjectId mismatch⟨U+202E⟩”. Nothing is lost: 12 envelopes wait. Next probe in 42 s.',
    ])
  })

  it.each([
    [401, null, 'It refuses the key: answered 401.'],
    [404, '', 'It does not have this project: answered 404.'],
    [302, 'Moved', 'It redirects elsewhere, which is not followed: answered 302, “Moved”.'],
  ])('explains status %i', (status, answer, words) => {
    const paused = { since: 1, status, answer }
    const [line] = lines({ upstreams: [{ ...upstream, state: 'paused', paused, retryAt: null }] })
    expect(line?.text).toBe(`${words} Nothing is pending.`)
    expect(line?.clock?.running).toBe('Next probe now.')
  })

  it('cuts a long answer', () => {
    const paused = { since: 1, status: 404, answer: 'x'.repeat(4096) }
    expect(lines({ upstreams: [{ ...upstream, state: 'paused', paused }] })[0]?.text).toContain(`“${'x'.repeat(200)}…”`)
  })

  it('shows that an upstream does not answer, and the next try', () => {
    expect(textOf({ upstreams: [{ ...upstream, state: 'backing_off', pending: 1, retryAt: NOW + 900 }] })).toEqual([
      'Backing off: o1.ingest.sentry.io/2. It does not answer; 1 envelope pending on disk. Next try in 1 s.',
    ])
  })

  it.each<[string, UpstreamState['last']]>([
    ['The connection failed: ECONNREFUSED', { at: 1, status: null, error: 'the connection failed: ECONNREFUSED' }],
    ['It answered 503: temporarily unavailable', { at: 1, status: 503, error: null }],
    ['It answered 408: temporarily unavailable', { at: 1, status: 408, error: null }],
    [
      'It answered 200, but the result could not be written: the disk is full',
      { at: 1, status: 200, error: 'the result could not be written: the disk is full' },
    ],
    ['Some posts fail', { at: 1, status: 200, error: null }],
    ['No answer⟨U+202E⟩', { at: 1, status: null, error: 'no answer\u202e' }],
  ])('explains a back-off: %s', (words, last) => {
    const [line] = lines({ upstreams: [{ ...upstream, state: 'backing_off', pending: 3, last }] })
    expect(line?.text).toBe(`${words}; 3 envelopes pending on disk.`)
  })

  it('counts the dead letters of all upstreams', () => {
    expect(textOf({ upstreams: [{ ...upstream, deadLetters: 1 }] })).toEqual([
      '1 dead letter. Upstream refused this envelope, or failed while processing it. Send it again, or drop it.',
    ])
    const [line] = lines({
      upstreams: [
        { ...upstream, deadLetters: 1 },
        { ...upstream, label: 'b/3', deadLetters: 2 },
      ],
    })
    expect(line).toMatchObject({
      word: '3 dead letters',
      text: expect.stringMatching(/^Upstream refused these envelopes, or failed/),
      link: { href: '/deliveries?show=dead-letters' },
    })
  })

  it('shows envelopes whose key no configured DSN has, with both remedies', () => {
    expect(textOf({ stranded: [{ publicKey: 'mistyped', project: '42', records: 7 }] })).toEqual([
      'Stranded. 7 envelopes are pending for project 42 with a key that no configured DSN has (mist…): add the old DSN to WAYSTATION_DSNS, or clear all pending envelopes, which drops them.',
    ])
  })

  it('lists each limited category once, with the countdown of its last end', () => {
    expect(textOf({ limits: [limit('span', 4000), limit('error', 61_000), limit('span', 9000)] })).toEqual([
      'Limited. Upstream limits error and span. Limited items are cut before posting. Left: error 1 min 1 s, span 9 s.',
    ])
    expect(textOf({ limits: [limit('all', 100), limit('span', 50)] })).toEqual([
      'Limited. Upstream limits everything. Limited items are cut before posting. 1 s left.',
    ])
    const many = ['a', 'b', 'c', 'd', 'all'].map((category, at) => limit(category, 1000 * (at + 1)))
    expect(lines({ limits: many })[0]?.clock?.running).toBe('Left: everything 5 s, d 4 s, c 3 s, 2 more.')
    expect(lines({ limits: [limit('span', 9000)] })[0]?.clock?.still).toMatch(/^Until \d\d:\d\d:\d\d\.$/)
  })

  it('names the limiting upstream when there are several', () => {
    const other = { ...upstream, label: 'b/3' }
    expect(textOf({ upstreams: [upstream, other], limits: [limit('all', 5000)] })).toEqual([
      'Limited: o1.ingest.sentry.io/2. Upstream limits everything. Limited items are cut before posting. 5 s left.',
    ])
    const both = lines({
      upstreams: [upstream, other],
      limits: [limit('all', 5000), { ...limit('span', 9000), upstream: 'b/3' }],
    })
    expect(both.map(({ word, text }) => [word, text.slice(0, 26)])).toEqual([
      ['Limited: b/3', 'Upstream limits span. Limi'],
      ['Limited: o1.ingest.sentry.io/2', 'Upstream limits everything'],
    ])
    expect(new Set(both.map(({ id }) => id)).size).toBe(2)
  })

  it('says that errors wait, when they are deferred', () => {
    const text = (...limits: readonly Limit[]) => lines({ holdErrors: true, limits: [...limits] })[0]?.text
    expect(text(limit('error', 1000))).toBe('Upstream limits error. Errors wait until the limit ends.')
    expect(text(limit('all', 1000))).toBe(
      'Upstream limits everything. Errors wait until the limit ends; other limited items are cut before posting.',
    )
    expect(text(limit('error', 1000), limit('span', 1000))).toMatch(
      /Errors wait until the limit ends; other limited items are cut/,
    )
    expect(text(limit('span', 1000))).toBe('Upstream limits span. Limited items are cut before posting.')
  })

  it('drops a limit when it has ended', () => {
    expect(textOf({ limits: [limit('span', 0), limit('error', -5000)] })).toEqual([])
  })

  it('shows the script of the stand-in', () => {
    expect(lines({ script: '413, 2 more times; then 200' })[0]).toMatchObject({
      word: 'Scripted',
      text: 'The stand-in plays: 413, 2 more times; then 200.',
      link: { href: '/stand-in' },
    })
  })

  it('sorts by severity', () => {
    const all = lines({
      storage: { state: 'full', trouble: null },
      upstreams: [
        { ...upstream, state: 'backing_off', retryAt: null },
        { ...upstream, label: 'b/3', state: 'paused', deadLetters: 1 },
      ],
      stranded: [{ publicKey: 'k', project: '1', records: 1 }],
      limits: [limit('error', 1000)],
      script: '503',
    })
    expect(all.map(({ kind }) => kind)).toEqual([
      'disk',
      'paused',
      'backing_off',
      'dead_letters',
      'stranded',
      'limited',
      'script',
    ])
    expect(new Set(all.map(({ id }) => id)).size).toBe(all.length)
  })
})

it('the banner names a store that is away, and never the disk budget of the copy', () => {
  const trouble = `${STORE_AWAY.away}; envelopes are refused with 503`
  const [line] = lines({ storage: { state: 'full', trouble }, store: STORE_AWAY })
  expect(line).toMatchObject({ word: 'PostgreSQL is away', text: `${trouble}.`, tone: 'bad' })
})
