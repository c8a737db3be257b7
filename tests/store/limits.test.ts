import { expect, it } from 'vitest'
import { readLimitHistory, readStoredLimits } from '../../collector/spool/read/read-limits'
import { MAX_LIMITS_PER_PROJECT } from '../../collector/spool/submission'
import { seqOf, submission } from '../unit/spool/in-process-spool'
import { storedLimit } from '../unit/spool/stored-limit'
import { describeStores, type OpenedStore } from './engines'

/** Close to the real time, because a server may end limits by its own clock. */
const NOW = Date.now()
const MINUTE_S = 60
const limit = (category: string, minutes: number, given: Parameters<typeof storedLimit>[2] = {}) =>
  storedLimit(category, minutes * MINUTE_S, { receivedAt: NOW, ...given })

const openAt = (open: (options: { now: () => number }) => Promise<OpenedStore>) => open({ now: () => NOW })

describeStores('limits of upstream', (open) => {
  it('are stored with all their fields, the longest first', async () => {
    const store = await openAt(open)
    const seq = await seqOf(store.append(submission()))
    const short = limit('error', 10, { scope: 'key', reason: 'quota', sourceSeq: seq })
    const long = limit('all', 20)
    const other = limit('error', 15, { publicKey: 'other', project: '2' })
    await store.storeLimits([short, long])
    await store.storeLimits([other])
    await store.storeLimits([])
    expect(await store.limits()).toEqual([long, other, short])
    expect(readStoredLimits(await store.readSide())).toEqual([long, other, short])
  })

  it('are prolonged, never shortened; after the clock was set back the later answer holds', async () => {
    const store = await openAt(open)
    await store.storeLimits([limit('error', 10), limit('error', 20, { reason: 'longer' }), limit('error', 5)])
    await store.storeLimits([limit('error', 15)])
    expect(await store.limits()).toEqual([limit('error', 20, { reason: 'longer' })])
    const earlier = limit('error', 12, { receivedAt: NOW - MINUTE_S * 1000 })
    await store.storeLimits([earlier])
    expect(await store.limits()).toEqual([earlier])
    expect(readStoredLimits(await store.readSide())).toEqual([earlier])
  })

  it('end when their time is over', async () => {
    let now = NOW
    const store = await open({ now: () => now })
    await store.storeLimits([limit('error', 10), limit('span', 10), limit('log_item', -1)])
    expect(await store.limits()).toHaveLength(2)
    now += 11 * MINUTE_S * 1000
    const later = limit('transaction', 10, { receivedAt: now })
    await store.storeLimits([later])
    const running = (await store.limits()).filter(({ until }) => until > now)
    expect(running).toEqual([later])
  })

  it('are kept up to 100 for a key and project', async () => {
    const store = await openAt(open)
    const made = Array.from({ length: MAX_LIMITS_PER_PROJECT + 5 }, (_, n) => limit(`made-up-${n}`, 10))
    await store.storeLimits(made)
    await store.storeLimits([limit('error', 10, { project: '2' }), limit('made-up-0', 30)])
    const stored = await store.limits()
    expect(stored.filter(({ project }) => project === '1')).toHaveLength(MAX_LIMITS_PER_PROJECT)
    expect(stored.filter(({ project }) => project === '2')).toHaveLength(1)
    expect(stored[0]).toEqual(limit('made-up-0', 30))
    expect(readStoredLimits(await store.readSide())).toHaveLength(MAX_LIMITS_PER_PROJECT + 1)
  })

  it('end before their time when upstream takes one back, and may begin again in the same call', async () => {
    const store = await openAt(open)
    await store.storeLimits([limit('error', 20), limit('span', 20)])
    const ended = { ...limit('error', 0), until: 0 }
    await store.storeLimits([ended])
    expect(await store.limits()).toEqual([limit('span', 20)])
    await store.storeLimits([{ ...ended, category: 'span' }, limit('span', 5)])
    expect(await store.limits()).toEqual([limit('span', 5)])
    await store.storeLimits([limit('span', 10), { ...ended, category: 'span' }])
    expect(await store.limits()).toEqual([])
    expect(readStoredLimits(await store.readSide())).toEqual([])
  })

  it('cut what was settled before a later one, also when a mirror reads both at once', async () => {
    let now = NOW
    const store = await open({ now: () => now, pageFacts: 1000 })
    const seq = await seqOf(store.append(submission({ quantities: [{ category: 'error', quantity: 3 }] })))
    await store.storeLimits([limit('error', 1)])
    await store.decideWithoutAttempt(seq, [{ item: -1, outcome: 'rate_limited', reason: 'limited' }], [])
    now += 10 * MINUTE_S * 1000
    await store.storeLimits([limit('error', 1, { receivedAt: now })])
    const { periods } = readLimitHistory(await store.readSide())
    expect(periods.map(({ receivedAt, cut }) => [receivedAt, cut]).sort()).toEqual([
      [NOW, 3],
      [now, 0],
    ])
  })

  it('have a history with the quantity that each cut', async () => {
    const store = await openAt(open)
    await store.storeLimits([limit('error', 10, { scope: 'key' })])
    await store.storeLimits([limit('error', 20, { scope: 'key', receivedAt: NOW + 1000 })])
    const seq = await seqOf(store.append(submission({ quantities: [{ category: 'error', quantity: 3 }] })))
    await store.decideWithoutAttempt(seq, [{ item: -1, outcome: 'rate_limited', reason: 'limited' }], [])
    const { publicKey, project, reason, sourceSeq } = limit('error', 0)
    const until = NOW + 1000 + 20 * MINUTE_S * 1000
    expect(readLimitHistory(await store.readSide()).periods).toEqual([
      { publicKey, project, category: 'error', scope: 'key', reason, sourceSeq, receivedAt: NOW, until, cut: 3 },
    ])
  })

  it('that a page was sent are kept with the first envelope that violated each', async () => {
    const store = await openAt(open)
    const facts = { ...submission().facts, page: 'page-1', forwardedFor: '192.0.2.1' }
    const reportedLimits = [{ category: 'error', until: NOW + MINUTE_S * 1000 }]
    const sentWith = await seqOf(store.append(submission({ facts, receivedAt: NOW, reportedLimits })))
    const violated = await seqOf(store.append(submission({ facts, receivedAt: NOW + 10_000 })))
    await store.append(submission({ facts, receivedAt: NOW + 11_000 }))
    const resumed = await seqOf(store.append(submission({ facts, receivedAt: NOW + 2 * MINUTE_S * 1000 })))
    await store.append(submission({ receivedAt: NOW, reportedLimits }))
    const { pages, unnamed } = readLimitHistory(await store.readSide())
    expect(pages).toMatchObject([
      { page: 'page-1', category: 'error', sentAt: NOW, sentWith, violatedSeq: violated, resumedSeq: resumed },
    ])
    expect(unnamed).toBe(1)
  })
})
