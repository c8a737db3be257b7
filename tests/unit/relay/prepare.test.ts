import { describe, expect, it } from 'vitest'
import { prepare } from '../../../collector/relay/prepare'
import { RateLimits } from '../../../collector/relay/running-limits'
import type { Endpoint } from '../../../lib/protocol/record'
import { dsn, HEADER, item, limit, NOW, prepared, record } from './prepared'

describe('a record without limited items', () => {
  const body = `${HEADER}${item('event')}\n`

  it.each([
    ['where there is no limit', []],
    ['where something else is limited', [limit('span', 60)]],
    ['where a limit is over', [limit('error', 0)]],
    ['where another project is limited', [limit('error', 60, { project: '2' })]],
    ['where another key is limited', [limit('error', 60, { publicKey: 'other' })]],
  ])('is posted unchanged %s', async (_where, limits) => {
    expect(await prepared(body, limits)).toEqual({
      kind: 'post',
      body,
      form: ['received'],
      leftOut: [],
      removed: [],
      toReport: [],
    })
  })

  it('is posted without copying its bytes', async () => {
    const given = record(body)
    const rateLimits = new RateLimits([], { now: () => NOW, monotonic: () => 0 })
    const uptime = { boot: 'now', uptimeMs: 0 }
    const done = await prepare({
      record: given,
      upstream: dsn,
      rateLimits,
      holdErrors: true,
      scrub: null,
      now: NOW,
      uptime,
    })
    expect(done.kind === 'post' && done.body === given.body).toBe(true)
  })
})

describe('a record with limited items', () => {
  it('is posted without them, and lists them with their reason', async () => {
    const body = `${HEADER}${item('event')}${item('attachment')}${item('session')}`
    expect(await prepared(body, [limit('error', 60)])).toEqual({
      kind: 'post',
      body: `${HEADER}${item('session')}`,
      form: ['cut'],
      leftOut: [
        { item: 0, type: 'event', category: 'error', quantity: 1, reason: 'limited' },
        { item: 1, type: 'attachment', category: 'attachment', quantity: 1, reason: 'depends_on_limited' },
      ],
      removed: [],
      toReport: [
        { category: 'error', quantity: 1, reason: 'ratelimit_backoff' },
        { category: 'attachment', quantity: 1, reason: 'ratelimit_backoff' },
      ],
    })
  })

  it('is settled without a post where every item is cut', async () => {
    expect(await prepared(`${HEADER}${item('event')}`, [limit('all', 60)])).toEqual({
      kind: 'withoutAttempt',
      decision: [{ item: 0, outcome: 'rate_limited', reason: 'limited' }],
      toReport: [{ category: 'error', quantity: 1, reason: 'ratelimit_backoff' }],
    })
  })

  it.each([
    ['its spans and itself', { spans: [{}, {}, {}] }, 4],
    ['itself where it lists none', {}, 1],
    ['itself where it cannot be read', null, 1],
    ['itself where its spans are no list', { spans: 'three' }, 1],
  ])('reports a transaction as %s', async (_what, transaction, spans) => {
    const done = await prepared(`${HEADER}${item('transaction', transaction)}`, [limit('transaction', 60)])
    expect(done).toMatchObject({
      kind: 'withoutAttempt',
      toReport: [
        { category: 'transaction', quantity: 1, reason: 'ratelimit_backoff' },
        { category: 'span', quantity: spans, reason: 'ratelimit_backoff' },
      ],
    })
  })

  it('reports sums, a container by its entries', async () => {
    const body = `${HEADER}\n{"type":"span","item_count":3}\n{"items":[{},{},{}]}${item('transaction', { spans: [{}] })}`
    expect(await prepared(body, [limit('span', 60), limit('transaction', 60)])).toMatchObject({
      toReport: [
        { category: 'span', quantity: 5 },
        { category: 'transaction', quantity: 1 },
      ],
    })
  })

  it('does not report unknown types, because a sender can invent any number of them', async () => {
    expect(await prepared(`${HEADER}${item('made_up')}${item('event')}`, [limit('all', 60)])).toMatchObject({
      decision: [{ item: 0 }, { item: 1 }],
      toReport: [{ category: 'error' }],
    })
  })

  it('does not report client reports', async () => {
    expect(await prepared(`${HEADER}${item('client_report')}`, [limit('internal', 60)])).toMatchObject({
      kind: 'withoutAttempt',
      decision: [{ item: 0 }],
      toReport: [],
    })
  })

  it.each<[Endpoint, string, string]>([
    ['store', '{"message":"x"}', 'error'],
    ['store', '{"type":"transaction","spans":[]}', 'transaction'],
    ['security', '{"csp-report":{}}', 'security'],
  ])('the relay posts a record of the endpoint %s whole or not at all', async (endpoint, body, category) => {
    const given = { record: record(body, endpoint) }
    expect(await prepared(body, [limit(category, 60)], given)).toMatchObject({ kind: 'withoutAttempt' })
    expect(await prepared(body, [limit('session', 60)], given)).toMatchObject({ body, form: ['received'] })
  })
})

describe('a limited error, where errors are deferred', () => {
  const held = { holdErrors: true }
  const body = `${HEADER}${item('event')}${item('session')}`

  it('waits for the end of its limit, together with its envelope', async () => {
    expect(await prepared(body, [limit('error', 60), limit('span', 90)], held)).toEqual({
      kind: 'defer',
      until: NOW + 60_000,
    })
  })

  it('waits for the later end where everything is limited as well', async () => {
    expect(await prepared(body, [limit('error', 60), limit('all', 90)], held)).toMatchObject({ until: NOW + 90_000 })
  })

  it('does not wait where another category is limited, which is cut', async () => {
    expect(await prepared(body, [limit('session', 60)], held)).toMatchObject({
      kind: 'post',
      body: `${HEADER}${item('event')}`,
    })
  })

  it('is the only item that waits', async () => {
    expect(await prepared(`${HEADER}${item('session')}`, [limit('session', 60)], held)).toMatchObject({
      kind: 'withoutAttempt',
    })
  })
})
