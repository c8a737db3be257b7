import { describe, expect, it } from 'vitest'
import { decidedOf, sentAgain, stepsOf } from '../../../dashboards/envelopes/timeline-steps'
import { waitingText } from '../../../dashboards/envelopes/timeline-text'
import type { DeliveryStatus } from '../../../lib/wire/delivery-status'
import type { Status } from '../../../lib/wire/overview'
import { limitOf, statusOf, upstreamOf } from './status-samples'

const NOW = 1_000_000

describe('the steps of a delivery', () => {
  const line = (digestedAt: number | null, starts: readonly number[], decidedAt: readonly number[] = []): string =>
    stepsOf(
      digestedAt,
      starts.map((startedAt) => ({ startedAt })),
      decidedAt.map((at) => ({ at, deliveryStatus: { name: 'accepted', reason: null }, items: null })),
    )
      .map((step) => (step.kind === 'attempt' ? `attempt ${step.at + 1}` : step.kind))
      .join(', ')

  it('are ordered by time, because digest and relay run independently', () => {
    expect(line(5, [5, 9])).toBe('digested, attempt 1, attempt 2')
    expect(line(7, [5, 9])).toBe('attempt 1, digested, attempt 2')
    expect(line(null, [5])).toBe('attempt 1, digested')
  })

  it('contain outcomes at their time', () => {
    expect(line(830, [], [829])).toBe('decided, digested')
    expect(line(7, [5], [6])).toBe('attempt 1, decided, digested')
    expect(line(4, [5], [5])).toBe('digested, attempt 1, decided')
    expect(line(null, [5], [6, 9])).toBe('attempt 1, decided, decided, digested')
  })
})

describe('a person who sent a dead letter again', () => {
  const places = (statuses: readonly (number | null)[], name: DeliveryStatus['name'], reason: string | null = null) => [
    ...sentAgain(
      statuses.map((status) => ({ status })),
      { name, reason },
    ),
  ]

  it('is shown after each answer that made a dead letter, if anything followed', () => {
    expect(places([413, 200], 'accepted')).toEqual([0])
    expect(places([503, 500, null, 400, 413], 'pending', 'dead_letter')).toEqual([1, 3])
    expect(places([413], 'pending')).toEqual([0])
    expect(places([413], 'rate_limited', 'limited')).toEqual([0])
  })

  it.each<[DeliveryStatus['name'], string]>([
    ['pending', 'dead_letter'],
    ['dropped', 'dead_letter'],
    ['dropped', 'cleared'],
    ['invalid', 'upstream_413'],
  ])('is not told of one that was left so: %s, %s', (name, reason) => {
    expect(places([413], name, reason)).toEqual([])
  })

  it('lists nothing for attempts that the relay retries', () => {
    expect(places([503, 403, null, 408, 200], 'accepted')).toEqual([])
  })

  it('stands before what came of it', () => {
    const attempts = [{ startedAt: 5 }, { startedAt: 9 }]
    const decided = { at: 10, deliveryStatus: { name: 'accepted' as const, reason: null }, items: null }
    const kinds = (...args: Parameters<typeof stepsOf>) => stepsOf(...args).map(({ kind }) => kind)
    expect(kinds(7, attempts, [decided], new Set([0]))).toEqual(['attempt', 'digested', 'again', 'attempt', 'decided'])
    expect(kinds(7, attempts.slice(0, 1), [decided], new Set([0]))).toEqual(['attempt', 'digested', 'again', 'decided'])
    expect(kinds(7, attempts.slice(0, 1), [], new Set([0]))).toEqual(['attempt', 'digested', 'again'])
  })
})

describe('the outcome of an envelope', () => {
  const items = ['event', 'attachment', 'transaction'].map((type, index) => ({ index, type, quantity: 1 }))

  it('is listed once when it covers the whole envelope', () => {
    expect(decidedOf(items, [{ item: null, outcome: 'accepted', reason: null, at: 7 }])).toEqual([
      { at: 7, deliveryStatus: { name: 'accepted', reason: null }, items: null },
    ])
  })

  it('an outcome at two times is shown twice', () => {
    const found = decidedOf(items, [
      { item: 1, outcome: 'accepted', reason: null, at: 9 },
      { item: 0, outcome: 'accepted', reason: null, at: 7 },
    ])
    expect(found.map(({ at }) => at)).toEqual([7, 9])
  })

  it('the outcomes of single items are grouped by status and time', () => {
    const found = decidedOf(items, [
      { item: 2, outcome: 'rate_limited', reason: 'limited', at: 9 },
      { item: 0, outcome: 'accepted', reason: null, at: 7 },
      { item: 1, outcome: 'accepted', reason: null, at: 7 },
    ])
    expect(
      found.map(({ at, deliveryStatus, items: of }) => [at, deliveryStatus.name, of?.map(({ type }) => type)]),
    ).toEqual([
      [7, 'accepted', ['event', 'attachment']],
      [9, 'rate_limited', ['transaction']],
    ])
  })
})

describe('an envelope that is pending', () => {
  const upstream = upstreamOf({ pending: 1 })
  const limit = limitOf({ category: 'error', receivedAt: NOW, until: NOW + 31_000 })
  const status = (over: Partial<Status>): Status => statusOf({ now: NOW, upstreams: [upstream], ...over })
  const envelope = { publicKey: 'old', project: '2', attempts: [], items: [{ category: 'error' }] }

  it.each<[string, Partial<Status>]>([
    [
      'Waiting: o1.ingest.sentry.io/2 is paused, next probe in 42 s.',
      { upstreams: [{ ...upstream, state: 'paused', retryAt: NOW + 41_200 }] },
    ],
    [
      'Waiting: o1.ingest.sentry.io/2 is unavailable, next try in 3 s.',
      { upstreams: [{ ...upstream, state: 'backing_off', retryAt: NOW + 3000 }] },
    ],
    ['Waiting: o1.ingest.sentry.io/2 limits errors, which ends in 31 s.', { limits: [limit], holdErrors: true }],
    ['Waiting for its turn: o1.ingest.sentry.io/2 accepts posts.', { limits: [limit] }],
    [
      'Waiting: no configured DSN has its key and project. Add the old DSN to WAYSTATION_DSNS, or drop pending envelopes.',
      { stranded: [{ publicKey: 'old', project: '2', records: 3 }] },
    ],
  ])('%s', (words, over) => {
    expect(waitingText(envelope, status(over), NOW)).toBe(words)
  })

  it('with a configured key waits for its turn, even if another key of its project is not configured', () => {
    const stranded = [{ publicKey: 'other', project: '2', records: 3 }]
    expect(waitingText(envelope, status({ stranded }), NOW)).toMatch(/^Waiting for its turn/)
  })

  it('waits for the upstream of its last attempt, or of its project', () => {
    const upstreams = [
      { ...upstream, label: 'a.test/1', state: 'paused' as const },
      { ...upstream, label: 'b.test/2' },
    ]
    const words = (project: string, posted: readonly string[]): string | null =>
      waitingText(
        { ...envelope, project, attempts: posted.map((one) => ({ upstream: one })) },
        status({ upstreams }),
        0,
      )
    expect(words('2', [])).toMatch(/b\.test/)
    expect(words('2', ['b.test/2', 'a.test/1'])).toMatch(/a\.test\/1 is paused/)
    expect(words('9', [])).toBeNull()
  })

  it('an envelope without an error does not wait for a limit of errors', () => {
    const held = status({ limits: [limit], holdErrors: true })
    expect(waitingText({ ...envelope, items: [{ category: 'span' }] }, held, NOW)).toMatch(/Waiting for its turn/)
  })
})
