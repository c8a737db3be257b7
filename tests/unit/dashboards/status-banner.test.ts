import { describe, expect, it } from 'vitest'
import { statusLines } from '../../../dashboards/ui/status-lines'
import type { Limit } from '../../../lib/wire/limits'
import type { Status, UpstreamState } from '../../../lib/wire/overview'
import { limitOf, statusOf, upstreamOf } from './status-samples'

const NOW = 1_000_000

const upstream = upstreamOf()

const limit = (category: string, leftMs: number): Limit => limitOf({ category, receivedAt: NOW, until: NOW + leftMs })

const lines = (over: Partial<Status>) => statusLines(statusOf({ now: NOW, ...over }), NOW)
const said = (over: Partial<Status>): readonly string[] =>
  lines(over).map(({ word, says, clock }) => [`${word}.`, says, clock?.running].filter(Boolean).join(' '))

describe('what every page has to say', () => {
  it('is nothing when all is well, or an upstream is being posted to', () => {
    expect(said({})).toEqual([])
    expect(said({ upstreams: [{ ...upstream, state: 'relaying', pending: 3, open: 3, deferred: 2 }] })).toEqual([])
    expect(said({ storage: { state: 'evicting', trouble: null } })).toEqual([])
  })

  it('is why an upstream is paused, in its own words, that nothing is lost, and when it is probed', () => {
    const paused = { since: 1, status: 403, answer: ' ProjectId mismatch\u202e ' }
    expect(said({ upstreams: [{ ...upstream, state: 'paused', pending: 12, paused, retryAt: NOW + 41_200 }] })).toEqual(
      [
        'Paused: o1.ingest.sentry.io/2. It refuses the key: answered 403, “ProjectId mismatch⟨U+202E⟩”. Nothing is lost: 12 envelopes wait. Next probe in 42 s.',
      ],
    )
  })

  it.each([
    [401, null, 'It refuses the key: answered 401.'],
    [404, '', 'It knows no such project: answered 404.'],
    [302, 'Moved', 'It redirects elsewhere, which is not followed: answered 302, “Moved”.'],
  ])('tells a %i apart', (status, answer, words) => {
    const paused = { since: 1, status, answer }
    const [line] = lines({ upstreams: [{ ...upstream, state: 'paused', paused, retryAt: null }] })
    expect(line?.says).toBe(`${words} Nothing is pending.`)
    expect(line?.clock?.running).toBe('Next probe now.')
  })

  it('cuts what upstream says at the length of a line', () => {
    const paused = { since: 1, status: 404, answer: 'x'.repeat(4096) }
    expect(lines({ upstreams: [{ ...upstream, state: 'paused', paused }] })[0]?.says).toContain(`“${'x'.repeat(200)}…”`)
  })

  it('is that an upstream does not answer, and when it is tried again', () => {
    expect(said({ upstreams: [{ ...upstream, state: 'backing_off', pending: 1, retryAt: NOW + 900 }] })).toEqual([
      'Backing off: o1.ingest.sentry.io/2. It does not answer; 1 envelope kept on disk. Next try in 1 s.',
    ])
  })

  it.each<[string, UpstreamState['last']]>([
    ['The connection failed: ECONNREFUSED', { at: 1, status: null, error: 'the connection failed: ECONNREFUSED' }],
    ['It answered 503: not just now', { at: 1, status: 503, error: null }],
    ['It answered 408: not just now', { at: 1, status: 408, error: null }],
    [
      'It answered 200, but the result could not be written: the disk is full',
      { at: 1, status: 200, error: 'the result could not be written: the disk is full' },
    ],
    ['It does not take every post', { at: 1, status: 200, error: null }],
    ['No answer⟨U+202E⟩', { at: 1, status: null, error: 'no answer\u202e' }],
  ])('says of an upstream that is waited for: %s', (words, last) => {
    const [line] = lines({ upstreams: [{ ...upstream, state: 'backing_off', pending: 3, last }] })
    expect(line?.says).toBe(`${words}; 3 envelopes kept on disk.`)
  })

  it('is how many dead letters wait, of all upstreams together', () => {
    expect(said({ upstreams: [{ ...upstream, deadLetters: 1 }] })).toEqual([
      'Dead letter. 1 envelope was refused for what it is and waits for you: send again, or drop.',
    ])
    const [line] = lines({
      upstreams: [
        { ...upstream, deadLetters: 1 },
        { ...upstream, label: 'b/3', deadLetters: 2 },
      ],
    })
    expect(line).toMatchObject({
      word: 'Dead letters',
      says: expect.stringMatching(/^3 envelopes were refused/),
      link: { href: '/deliveries?show=dead-letters' },
    })
  })

  it('is what is pending by a key that no configured DSN has, and names both ways out', () => {
    expect(said({ stranded: [{ publicKey: 'mistyped', project: '42', records: 7 }] })).toEqual([
      'Stranded. 7 envelopes are pending for project 42 with a key that no configured DSN has (mist…): add the old DSN to WAYSTATION_DSNS, or clear all pending envelopes, which drops them.',
    ])
  })

  it('is what is limited, each category once, with the clock of the one that ends last', () => {
    expect(said({ limits: [limit('span', 4000), limit('error', 61_000), limit('span', 9000)] })).toEqual([
      'Limited. Upstream takes no error and span just now: what comes is cut before it is posted. 1 min 1 s left.',
    ])
    expect(said({ limits: [limit('all', 100), limit('span', 50)] })).toEqual([
      'Limited. Upstream takes nothing just now: what comes is cut before it is posted. 1 s left.',
    ])
  })

  it('names the upstream that limits where there are several', () => {
    const other = { ...upstream, label: 'b/3' }
    expect(said({ upstreams: [upstream, other], limits: [limit('all', 5000)] })).toEqual([
      'Limited: o1.ingest.sentry.io/2. Upstream takes nothing just now: what comes is cut before it is posted. 5 s left.',
    ])
    const both = lines({
      upstreams: [upstream, other],
      limits: [limit('all', 5000), { ...limit('span', 9000), upstream: 'b/3' }],
    })
    expect(both.map(({ word, says }) => [word, says.slice(0, 30)])).toEqual([
      ['Limited: b/3', 'Upstream takes no span just no'],
      ['Limited: o1.ingest.sentry.io/2', 'Upstream takes nothing just no'],
    ])
    expect(new Set(both.map(({ id }) => id)).size).toBe(2)
  })

  it('says that errors wait, where they are held', () => {
    const says = (...limits: readonly Limit[]) => lines({ holdErrors: true, limits: [...limits] })[0]?.says
    expect(says(limit('error', 1000))).toBe('Upstream takes no error just now: errors wait until it does.')
    expect(says(limit('all', 1000))).toBe(
      'Upstream takes nothing just now: errors wait until it does, what else comes is cut before it is posted.',
    )
    expect(says(limit('error', 1000), limit('span', 1000))).toMatch(
      / errors wait until it does, what else comes is cut/,
    )
    expect(says(limit('span', 1000))).toBe('Upstream takes no span just now: what comes is cut before it is posted.')
  })

  it('is a limit no longer, once its clock has run out', () => {
    expect(said({ limits: [limit('span', 0), limit('error', -5000)] })).toEqual([])
  })

  it('is what the stand-in plays', () => {
    expect(lines({ script: '413, 2 more times; then 200' })[0]).toMatchObject({
      word: 'Scripted',
      says: 'The stand-in plays: 413, 2 more times; then 200.',
      link: { href: '/stand-in' },
    })
  })

  it('begins with the worst', () => {
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
      'room',
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
