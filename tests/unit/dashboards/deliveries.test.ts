import { describe, expect, it } from 'vitest'
import { deliveryProgress, PROGRESS_LEGEND } from '../../../dashboards/deliveries/delivery-progress'
import {
  attemptText,
  leftOutText,
  removedPath,
  removedText,
  waitBefore,
} from '../../../dashboards/envelopes/timeline-text'
import { ledgerHref, shownLedger } from '../../../dashboards/ui/links'
import { scrubRecord } from '../../../lib/scrub/scrub-record'
import type { Delivery } from '../../../lib/wire/delivery'
import { answerText, deliveryStatusText, reasonText } from '../../../lib/wire/status-text'

type Progressing = Parameters<typeof deliveryProgress>[0]
type Status = Progressing['deliveryStatus']

describe('the progress of an envelope', () => {
  const answered = (status: number | null): Progressing['lastDelivery'] => ({
    at: 9,
    upstream: 'host/1',
    status,
    error: null,
    answer: null,
  })
  const envelope: Progressing = {
    receivedAt: 0,
    digestedAt: 4,
    digest: 'digested',
    deliveries: 0,
    lastDelivery: null,
    deliveryStatus: { name: 'pending', reason: null },
  }

  /** An envelope that was posted this often, with the last answer and the status. */
  const tried = (
    deliveries: number,
    status: number | null,
    name: Status['name'] = 'pending',
    reason: string | null = null,
  ) => ({
    deliveries,
    lastDelivery: answered(status),
    deliveryStatus: { name, reason },
  })
  const unposted = (name: Status['name'], reason: string | null) => ({ deliveryStatus: { name, reason } })

  it.each<[string, Partial<Progressing>, string]>([
    ['stored', { digest: 'pending', digestedAt: null }, 'done open open open'],
    ['waiting', {}, 'done done open open'],
    ['2 tries', tried(2, 503), 'done done failed open'],
    ['1 try', tried(1, null), 'done done failed open'],
    ['1 try', tried(1, 413, 'pending', 'dead_letter'), 'done done failed failed'],
    ['posted', tried(1, 200, 'accepted'), 'done done done done'],
    ['posted', tried(1, 429, 'rate_limited', 'upstream_429'), 'done done done lost'],
    ['not posted', unposted('rate_limited', 'limited'), 'done done skipped lost'],
    ['not posted', unposted('overflow', 'backlog_full'), 'done done skipped lost'],
    ['9 tries', tried(9, 503, 'expired'), 'done done failed failed'],
    ['posted', tried(1, 413, 'invalid', 'upstream_413'), 'done done done failed'],
    ['posted', tried(1, 413, 'dropped', 'dead_letter'), 'done done done lost'],
    ['not posted', unposted('kept', 'no_upstream'), 'done done skipped done'],
    ['not posted', { digest: 'undigested', ...unposted('kept', null) }, 'done failed skipped done'],
    ['shown', unposted('copy', null), 'done done skipped skipped'],
  ])('is %s with %j', (word, more, states) => {
    const progress = deliveryProgress({ ...envelope, ...more })
    expect([progress.word, progress.steps.map(({ state }) => state).join(' ')]).toEqual([word, states])
  })

  it('has a legend for every shape', () => {
    expect(PROGRESS_LEGEND.map(({ state }) => state)).toEqual(['done', 'open', 'failed', 'lost', 'skipped'])
  })

  it('is also a sentence', () => {
    expect(deliveryProgress(envelope).meaning).toBe('Stored, digested after 4.00 ms, never posted, pending.')
    expect(deliveryProgress({ ...envelope, digestedAt: null, deliveries: 3 }).meaning).toBe(
      'Stored, not digested yet, 3 tries, pending.',
    )
  })
})

it('a dead letter has its own word although it is pending', () => {
  expect(deliveryStatusText({ name: 'pending', reason: 'dead_letter' })).toMatchObject({
    word: 'dead letter',
    tone: 'bad',
  })
  expect(deliveryStatusText({ name: 'pending', reason: null }).word).toBe('pending')
  expect(deliveryStatusText({ name: 'dropped', reason: 'dead_letter' }).word).toBe('dropped')
})

it.each([
  ['limited', /so it was cut here/],
  ['depends_on_limited', /the item that it belongs to, so both were cut/],
  ['upstream_429', /was posted, and upstream answered 429/],
  ['upstream_200', /was posted, and the answer itself/],
  [null, /cut here, or upstream answered 429/],
])('an item limited by %s says whether it was posted', (reason, meaning) => {
  expect(deliveryStatusText({ name: 'rate_limited', reason }).meaning).toMatch(meaning)
})

it.each([
  ['limited', 'cut: upstream limits this category'],
  ['depends_on_limited', 'cut with the item it belongs to, which upstream limits'],
  ['upstream_413', 'upstream answered 413'],
  ['some_new_one', 'some new one'],
])('the reason %s is %s', (reason, words) => {
  expect(reasonText(reason)).toBe(words)
})

it.each<[number, string, RegExp]>([
  [200, 'good', /Delivered/],
  [202, 'good', /Delivered/],
  [307, 'warn', /refuses the DSN/],
  [400, 'bad', /refused this envelope/],
  [401, 'warn', /Nothing is lost/],
  [403, 'warn', /refuses the DSN/],
  [404, 'warn', /refuses the DSN/],
  [408, 'warn', /retried automatically/],
  [413, 'bad', /refused this envelope/],
  [429, 'warn', /final/],
  [500, 'bad', /Upstream failed/],
  [501, 'bad', /A person decides/],
  [503, 'warn', /retried automatically/],
])('the answer %i is %s', (status, tone, meaning) => {
  expect(answerText({ status, error: null })).toEqual({
    word: String(status),
    tone,
    meaning: expect.stringMatching(meaning),
  })
})

it('the error replaces an answer that never arrived', () => {
  expect(answerText({ status: null, error: 'ECONNREFUSED' })).toMatchObject({ word: 'ECONNREFUSED', tone: 'warn' })
  expect(answerText({ status: null, error: null }).word).toBe('no answer')
})

it('an answer of a damaged record says that it was never posted', () => {
  expect(answerText({ status: null, error: 'submission 3: its bytes are damaged' }, false)).toEqual({
    word: 'submission 3: its bytes are damaged',
    tone: 'bad',
    meaning: 'The record is damaged on disk, so it was never posted. It will not be retried.',
  })
})

describe('an attempt to deliver', () => {
  const attempt: Delivery = {
    id: 1,
    journal: 1,
    seq: 1,
    attempt: 1,
    upstream: 'host/1',
    startedAt: 0,
    endedAt: 5,
    status: 200,
    error: null,
    rateLimits: null,
    retryAfter: null,
    answer: null,
    form: ['received'],
    sha256: 'a'.repeat(64),
    bytes: 1,
    maybeDelivered: false,
    leftOut: [],
    removed: [],
  }

  it('says whether it may have arrived, and how the bytes differ', () => {
    expect(attemptText(attempt).notes).toEqual([])
    expect(attemptText({ ...attempt, form: ['cut', 'late'] }).notes).toEqual([
      'Items were cut before posting.',
      'Posted long after arrival; its sent_at was moved forward by the delay.',
    ])
    expect(attemptText({ ...attempt, status: null, maybeDelivered: true }).meaning).toBe(
      'No answer arrived. It is retried automatically. The post may still have arrived: upstream may get it twice.',
    )
  })

  it('an attempt for a damaged record is final', () => {
    const damaged = { ...attempt, status: null, error: 'submission 1: its bytes are damaged', sha256: '', bytes: 0 }
    expect(attemptText(damaged)).toMatchObject({ tone: 'bad', meaning: expect.stringMatching(/not be retried/) })
  })

  it('shows the delay since the previous attempt', () => {
    const attempts = [attempt, { ...attempt, startedAt: 1505, endedAt: 1600 }]
    expect([waitBefore(attempts, 0), waitBefore(attempts, 1)]).toEqual([null, '1.50 s after the previous attempt'])
  })

  it('names left-out items and removed values, counting items from 1', () => {
    const left = { item: 1, type: 'span', category: 'span', quantity: 12, reason: 'limited' }
    expect(leftOutText(left)).toBe('item 2, span ×12: cut: upstream limits this category')
    expect(removedPath('0.request.headers.Authorization')).toBe('item 1, request.headers.Authorization')
    expect(removedPath('1.header.filename')).toBe('item 2, header.filename')
    expect(removedPath('header.trace.transaction')).toBe('envelope header, trace.transaction')
    expect(removedPath('user.email')).toBe('user.email')
  })

  it('says when a record reports only the first removed values', () => {
    const event = `{"type":"event"}\n${JSON.stringify(Array.from({ length: 300 }, () => ({ token: 'x' })))}`
    const { removed } = scrubRecord('envelope', Buffer.from(`{}\n${event}`), 'on')
    expect(removedText(removed)).toBe('200 or more values')
    expect([removedText(removed.slice(1)), removedText(removed.slice(199))]).toEqual(['199 values', '1 value'])
  })
})

it('the address of the ledger names one of three lists, and the first by default', () => {
  expect([null, 'attempts', 'dead-letters', 'other'].map(shownLedger)).toEqual([
    'envelopes',
    'attempts',
    'dead-letters',
    'envelopes',
  ])
  expect([ledgerHref('envelopes'), ledgerHref('dead-letters')]).toEqual([
    '/deliveries',
    '/deliveries?show=dead-letters',
  ])
})
