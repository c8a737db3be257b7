import { describe, expect, it } from 'vitest'
import { standingLines } from '../../../dashboards/standing/lines'
import type { Limit } from '../../../lib/wire/limits'
import type { UpstreamState } from '../../../lib/wire/overview'
import { type Standing, standingSchema } from '../../../lib/wire/standing'

const NOW = 1_000_000

const upstream: UpstreamState = {
  label: 'o1.ingest.sentry.io/2',
  state: 'idle',
  owed: 0,
  open: 0,
  deadLetters: 0,
  held: 0,
  paused: null,
  retryAt: null,
  last: null,
  standIn: false,
}

const limit = (category: string, leftMs: number): Limit => ({
  upstream: upstream.label,
  category,
  toldAt: NOW,
  until: NOW + leftMs,
  reason: null,
  scope: null,
  toldBy: null,
  cut: 0,
})

const WELL: Standing = {
  now: NOW,
  room: { state: 'room', trouble: null },
  upstreams: [upstream],
  stranded: [],
  script: null,
  limits: [],
}

const lines = (over: Partial<Standing>) => standingLines(standingSchema.parse({ ...WELL, ...over }), NOW)
const said = (over: Partial<Standing>): readonly string[] =>
  lines(over).map(({ word, says, clock }) => [`${word}.`, says, clock?.running].filter(Boolean).join(' '))

describe('what every page has to say', () => {
  it('is nothing when all is well, or an upstream is being posted to', () => {
    expect(said({})).toEqual([])
    expect(said({ upstreams: [{ ...upstream, state: 'relaying', owed: 3, open: 3, held: 2 }] })).toEqual([])
    expect(said({ room: { state: 'evicting', trouble: null } })).toEqual([])
  })

  it('is why an upstream is paused, in its own words, that nothing is lost, and when it is probed', () => {
    const paused = { since: 1, status: 403, answer: ' ProjectId mismatch\u202e ' }
    expect(said({ upstreams: [{ ...upstream, state: 'paused', owed: 12, paused, retryAt: NOW + 41_200 }] })).toEqual([
      'Paused: o1.ingest.sentry.io/2. It refuses the key: answered 403, “ProjectId mismatch⟨U+202E⟩”. Nothing is lost: 12 envelopes wait. Next probe in 42 s.',
    ])
  })

  it.each([
    [401, null, 'It refuses the key: answered 401.'],
    [404, '', 'It knows no such project: answered 404.'],
    [302, 'Moved', 'It redirects elsewhere, which is not followed: answered 302, “Moved”.'],
  ])('tells a %i apart', (status, answer, words) => {
    const paused = { since: 1, status, answer }
    const [line] = lines({ upstreams: [{ ...upstream, state: 'paused', paused, retryAt: null }] })
    expect(line?.says).toBe(`${words} Nothing is owed.`)
    expect(line?.clock?.running).toBe('Next probe now.')
  })

  it('cuts what upstream says at the length of a line', () => {
    const paused = { since: 1, status: 404, answer: 'x'.repeat(4096) }
    expect(lines({ upstreams: [{ ...upstream, state: 'paused', paused }] })[0]?.says).toContain(`“${'x'.repeat(200)}…”`)
  })

  it('is that an upstream does not answer, and when it is tried again', () => {
    expect(said({ upstreams: [{ ...upstream, state: 'backing_off', owed: 1, retryAt: NOW + 900 }] })).toEqual([
      'Backing off: o1.ingest.sentry.io/2. It does not answer; 1 envelope kept on disk. Next try in 1 s.',
    ])
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

  it('is what is owed to a project that is configured no more', () => {
    expect(said({ stranded: [{ project: '42', records: 7 }] })).toEqual([
      'Stranded. 7 envelopes are owed to project 42, which is not configured any more: set its DSN again, or drop what is owed.',
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
      room: { state: 'full', trouble: null },
      upstreams: [
        { ...upstream, state: 'backing_off', retryAt: null },
        { ...upstream, label: 'b/3', state: 'paused', deadLetters: 1 },
      ],
      stranded: [{ project: '1', records: 1 }],
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
