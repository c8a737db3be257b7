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
import { answerText, deliveryStatusText, reasonText } from '../../../dashboards/ui/status-text'
import { scrubRecord } from '../../../lib/scrub/scrub-record'
import type { Delivery } from '../../../lib/wire/delivery'

type OnItsWay = Parameters<typeof deliveryProgress>[0]

describe('how far an envelope is', () => {
  const answered = (status: number | null): OnItsWay['lastDelivery'] => ({
    at: 9,
    upstream: 'host/1',
    status,
    error: null,
    answer: null,
  })
  const envelope: OnItsWay = {
    receivedAt: 0,
    digestedAt: 4,
    digest: 'digested',
    deliveries: 0,
    lastDelivery: null,
    deliveryStatus: { name: 'pending', reason: null },
  }

  it.each<[string, Partial<OnItsWay>, string]>([
    ['stored', { digest: 'pending', digestedAt: null }, 'done open open open'],
    ['digested', {}, 'done done open open'],
    ['2 tries', { deliveries: 2, lastDelivery: answered(503) }, 'done done failed open'],
    ['1 try', { deliveries: 1, lastDelivery: answered(null) }, 'done done failed open'],
    [
      'refused',
      { deliveries: 1, lastDelivery: answered(413), deliveryStatus: { name: 'pending', reason: 'dead_letter' } },
      'done done failed failed',
    ],
    [
      'decided',
      { deliveries: 1, lastDelivery: answered(200), deliveryStatus: { name: 'accepted', reason: null } },
      'done done done done',
    ],
    [
      'decided',
      { deliveries: 1, lastDelivery: answered(429), deliveryStatus: { name: 'rate_limited', reason: 'upstream_429' } },
      'done done done failed',
    ],
    ['decided', { deliveryStatus: { name: 'rate_limited', reason: 'limited' } }, 'done done skipped failed'],
    ['decided', { deliveryStatus: { name: 'overflow', reason: 'backlog_full' } }, 'done done skipped failed'],
    [
      'decided',
      { deliveries: 9, lastDelivery: answered(503), deliveryStatus: { name: 'expired', reason: null } },
      'done done failed failed',
    ],
    [
      'decided',
      { deliveries: 1, lastDelivery: answered(413), deliveryStatus: { name: 'dropped', reason: 'dead_letter' } },
      'done done done failed',
    ],
    ['decided', { deliveryStatus: { name: 'kept', reason: 'no_upstream' } }, 'done done skipped done'],
    ['decided', { digest: 'undigested', deliveryStatus: { name: 'kept', reason: null } }, 'done failed skipped done'],
    ['shown', { deliveryStatus: { name: 'copy', reason: null } }, 'done done skipped skipped'],
  ])('is told as %s where it is %j', (word, more, states) => {
    const way = deliveryProgress({ ...envelope, ...more })
    expect([way.word, way.steps.map(({ state }) => state).join(' ')]).toEqual([word, states])
  })

  it('has a legend for every shape', () => {
    expect(PROGRESS_LEGEND.map(({ state }) => state)).toEqual(['done', 'open', 'failed', 'skipped'])
  })

  it('is a sentence, too', () => {
    expect(deliveryProgress(envelope).meaning).toBe('Stored, digested after 4.00 ms, never posted, pending.')
    expect(deliveryProgress({ ...envelope, digestedAt: null, deliveries: 3 }).meaning).toBe(
      'Stored, not digested yet, 3 tries, pending.',
    )
  })
})

describe('a dead letter', () => {
  it('is called so, though it is pending', () => {
    expect(deliveryStatusText({ name: 'pending', reason: 'dead_letter' })).toMatchObject({
      word: 'dead letter',
      tone: 'bad',
    })
    expect(deliveryStatusText({ name: 'pending', reason: null }).word).toBe('pending')
    expect(deliveryStatusText({ name: 'dropped', reason: 'dead_letter' }).word).toBe('dropped')
  })
})

describe('what was rate limited', () => {
  it.each([
    ['limited', /cut here, and not posted/],
    ['depends_on_limited', /what it belongs to: it was cut here/],
    ['upstream_429', /was posted, and upstream answered 429/],
    ['upstream_200', /was posted, and the very answer/],
    [null, /cut here, or answered 429/],
  ])('by %s says whether it was posted', (reason, meaning) => {
    expect(deliveryStatusText({ name: 'rate_limited', reason }).meaning).toMatch(meaning)
  })
})

describe('a reason', () => {
  it.each([
    ['limited', 'cut: upstream limits this category'],
    ['depends_on_limited', 'cut with what it belongs to, which upstream limits'],
    ['upstream_413', 'upstream answered 413'],
    ['some_new_one', 'some new one'],
  ])('%s is %s', (reason, words) => {
    expect(reasonText(reason)).toBe(words)
  })
})

describe('an answer', () => {
  it.each<[number, string, RegExp]>([
    [200, 'good', /took it/],
    [202, 'good', /took it/],
    [307, 'warn', /refuses the DSN/],
    [400, 'bad', /for what it is/],
    [401, 'warn', /nothing is lost/],
    [403, 'warn', /refuses the DSN/],
    [404, 'warn', /refuses the DSN/],
    [408, 'warn', /posted again by itself/],
    [413, 'bad', /for what it is/],
    [429, 'warn', /final/],
    [500, 'bad', /Upstream itself failed/],
    [501, 'bad', /a person decides/],
    [503, 'warn', /posted again by itself/],
  ])('%i is %s', (status, tone, meaning) => {
    expect(answerText({ status, error: null })).toEqual({
      word: String(status),
      tone,
      meaning: expect.stringMatching(meaning),
    })
  })

  it('that never came is told by why', () => {
    expect(answerText({ status: null, error: 'ECONNREFUSED' })).toMatchObject({ word: 'ECONNREFUSED', tone: 'warn' })
    expect(answerText({ status: null, error: null }).word).toBe('no answer')
  })

  it('is none to a damaged record, which was never posted and never will be', () => {
    expect(answerText({ status: null, error: 'submission 3: its bytes are damaged' }, false)).toEqual({
      word: 'submission 3: its bytes are damaged',
      tone: 'bad',
      meaning: 'Its bytes on disk are damaged, so that nothing could be posted: that is final.',
    })
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

  it('says when it may have arrived, and when other bytes went', () => {
    expect(attemptText(attempt).notes).toEqual([])
    expect(attemptText({ ...attempt, form: ['cut', 'late'] }).notes).toEqual([
      'Items were cut before it was posted.',
      'It was posted long after it came; its sent_at was moved forward by the wait.',
    ])
    expect(attemptText({ ...attempt, status: null, maybeDelivered: true }).meaning).toBe(
      'No answer came: it is posted again by itself. The post may have arrived all the same: upstream may get it twice.',
    )
  })

  it('of which nothing went out is final', () => {
    const damaged = { ...attempt, status: null, error: 'submission 1: its bytes are damaged', sha256: '', bytes: 0 }
    expect(attemptText(damaged)).toMatchObject({ tone: 'bad', meaning: expect.stringMatching(/that is final/) })
  })

  it('says how long after the end of the one before it began', () => {
    const attempts = [attempt, { ...attempt, startedAt: 1505, endedAt: 1600 }]
    expect([waitBefore(attempts, 0), waitBefore(attempts, 1)]).toEqual([null, '1.50 s after the one before'])
  })

  it('names what was left out and what was removed by their place, counted from 1 as items are', () => {
    const left = { item: 1, type: 'span', category: 'span', quantity: 12, reason: 'limited' }
    expect(leftOutText(left)).toBe('item 2, span ×12: cut: upstream limits this category')
    expect(removedPath('0.request.headers.Authorization')).toBe('item 1, request.headers.Authorization')
    expect(removedPath('1.header.filename')).toBe('item 2, header.filename')
    expect(removedPath('header.trace.transaction')).toBe('the envelope’s header, trace.transaction')
    expect(removedPath('user.email')).toBe('user.email')
  })

  it('says that more may have been removed than is told of one record', () => {
    const event = `{"type":"event"}\n${JSON.stringify(Array.from({ length: 300 }, () => ({ token: 'x' })))}`
    const { removed } = scrubRecord('envelope', Buffer.from(`{}\n${event}`), 'on')
    expect(removedText(removed)).toBe('values at 200 or more places')
    expect([removedText(removed.slice(1)), removedText(removed.slice(199))]).toEqual([
      'values at 199 places',
      'values at 1 place',
    ])
  })
})

describe('the address of the ledger', () => {
  it('names one of three lists, the first where it names none', () => {
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
})
