import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type StandIn, startStandIn } from '../../collector/stand-in/stand-in'
import { formatDsn } from '../../lib/protocol/dsn'
import { collectorClient } from '../../lib/wire/collector-client'
import { ledgerErrors } from '../faults/ledger-errors'
import { type CollectorProcess, endCollectors, factAfter, postEnvelope, startCollector } from './collector-process'
import { errorEnvelope } from './envelopes'

const standIns: StandIn[] = []
afterEach(async () => {
  await Promise.all(standIns.splice(0).map((one) => one.close()))
})
afterAll(endCollectors)

/** For tests that change nothing. */
let shared: CollectorProcess
beforeAll(async () => {
  shared = await startCollector()
})

const client = (collector: Pick<CollectorProcess, 'url'>) => collectorClient(collector.url, fetch)
const TOO_LARGE = { status: 413, body: '{"detail":"envelope exceeded size limits"}' }

/** A collector with `many` dead letters, whose upstream accepts later envelopes. */
async function withDeadLetters(many: number, env: Record<string, string> = {}): Promise<CollectorProcess> {
  const standIn = await startStandIn()
  standIns.push(standIn)
  standIn.play({ answers: [{ ...TOO_LARGE, times: many }] })
  const collector = await startCollector({ WAYSTATION_UPSTREAM: formatDsn(standIn.dsn), ...env })
  let after = 0
  for (let n = 0; n < many; n += 1) {
    await postEnvelope(collector, errorEnvelope(collector.dsn).body, { 'x-waystation-stamp': 'flow' })
    after = await factAfter(collector, 'delivered', after)
  }
  return collector
}

const order = (collector: CollectorProcess, body: unknown, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(`${collector.url}/control/dead-letters`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })

async function expectBalance(collector: CollectorProcess): Promise<void> {
  await collector.stop()
  const db = new Database(join(collector.folder, 'spool.db'), { readonly: true })
  expect(ledgerErrors(db)).toEqual([])
  db.close()
}

describe('an envelope that upstream refuses for its content', () => {
  it('waits for a person with upstream’s answer, over a restart, and is not posted meanwhile', async () => {
    const before = await withDeadLetters(1)
    await before.stop()
    const collector = await before.restart()
    const { deadLetters, next } = await client(collector).deadLetters()
    expect(next).toBeNull()
    expect(deadLetters).toMatchObject([
      {
        seq: 1,
        status: 413,
        answer: TOO_LARGE.body,
        attempts: 1,
        upstream: `${standIns[0]?.dsn.host}/1`,
        items: [{ category: 'error', quantity: 1 }],
      },
    ])
    expect(await client(collector).envelope(1)).toMatchObject({
      deliveryStatus: { name: 'pending', reason: 'dead_letter' },
    })
    expect(await client(collector).overview()).toMatchObject({
      items: { pending: 1 },
      upstreams: [{ pending: 0, deadLetters: 1 }],
    })
    expect((await client(collector).storage()).deadLetters.records).toBe(1)
    expect(standIns[0]?.received()).toHaveLength(1)
    expect((await client(collector).losses()).categories).toMatchObject([
      { made: 1, pending: 1, lost: 0, unexplained: 0 },
    ])
    await expectBalance(collector)
  })

  it('counts as pending next to Deliveries and in the status line after its upstream was removed', async () => {
    const before = await withDeadLetters(2)
    await before.stop()
    const collector = await before.restart({ WAYSTATION_UPSTREAM: '' })
    expect(await client(collector).overview()).toMatchObject({ localOnly: true, upstreams: [] })
    expect((await client(collector).deadLetters()).deadLetters).toHaveLength(2)
    expect(await client(collector).figures()).toMatchObject({ navigation: { openDeliveries: 2 }, line: { pending: 2 } })
  })

  it('is sent again, or dropped, by order of a person', async () => {
    const collector = await withDeadLetters(3)
    const { journal } = await client(collector).deadLetters()
    expect(await client(collector).orderDeadLetters({ do: 'send', which: [1, 77] })).toEqual({ done: 1, limited: [] })
    await factAfter(collector, 'pending', journal)
    await factAfter(collector, 'decided', journal)
    expect(await client(collector).envelope(1)).toMatchObject({ deliveryStatus: { name: 'accepted' }, deliveries: 2 })
    expect(await client(collector).orderDeadLetters({ do: 'drop', which: 'all' })).toMatchObject({ done: 2 })
    expect(await client(collector).orderDeadLetters({ do: 'send', which: 'all' })).toMatchObject({ done: 0 })
    expect(await client(collector).losses({ stamp: 'flow' })).toMatchObject({
      stamp: 'flow',
      losses: [{ by: 'person', reason: 'dead_letter', category: 'error', quantity: 2 }],
      sentence: 'error: made 3, accepted 1, lost 2 (2 dead_letter)',
    })
    await expectBalance(collector)
  })

  it.each(['off', 'on'])(
    'is not sent during a rate limit, which would cut it, with WAYSTATION_HOLD_ERRORS=%s',
    async (hold) => {
      const collector = await withDeadLetters(1, { WAYSTATION_HOLD_ERRORS: hold })
      const { journal } = await client(collector).deadLetters()
      standIns[0]?.play({ answers: [{ status: 429, headers: { 'X-Sentry-Rate-Limits': '60:error:key' } }] })
      await postEnvelope(collector, errorEnvelope(collector.dsn).body)
      await factAfter(collector, 'decided', journal)
      const { done, limited } = await client(collector).orderDeadLetters({ do: 'send', which: 'all' })
      expect([done, limited]).toEqual([0, [{ category: 'error', seconds: expect.any(Number), many: 1 }]])
      expect(limited[0]?.seconds).toBeGreaterThan(50)
      expect((await client(collector).deadLetters()).deadLetters).toMatchObject([{ seq: 1, attempts: 1 }])
      await expectBalance(collector)
    },
  )

  it('stays when settled records are cleared, and is dropped when pending ones are', async () => {
    const collector = await withDeadLetters(1)
    await client(collector).clear({ pending: false })
    expect((await client(collector).deadLetters()).deadLetters).toHaveLength(1)
    await client(collector).clear({ pending: true })
    expect((await client(collector).deadLetters()).deadLetters).toEqual([])
    expect((await client(collector).losses()).losses).toEqual([
      { by: 'person', reason: 'cleared', category: 'error', quantity: 1 },
    ])
    await expectBalance(collector)
  })

  it.each<[unknown, readonly string[]]>([
    [
      {},
      [
        'do: must be send or drop, got nothing',
        'which: must be all, or the numbers of 1 to 1000 envelopes, got nothing',
      ],
    ],
    [{ do: 'send' }, ['which: must be all, or the numbers of 1 to 1000 envelopes, got nothing']],
    [{ do: 'resend', which: 'all' }, ['do: must be send or drop, got "resend"']],
    [{ do: 'send', which: [] }, ['which: must be all, or the numbers of 1 to 1000 envelopes, got []']],
    [{ do: 'drop', which: [0] }, ['which: must be all, or the numbers of 1 to 1000 envelopes, got [0]']],
    [{ do: 'drop', which: 'some' }, ['which: must be all, or the numbers of 1 to 1000 envelopes, got "some"']],
    [['all'], ['the body is not an object']],
  ])('is not changed by %j: the answer has the value and what is valid', async (wrong, causes) => {
    const answer = await order(shared, wrong)
    expect(answer.status).toBe(400)
    expect(await answer.json()).toMatchObject({ detail: expect.stringContaining('"which": "all"'), causes })
  })

  it('is not changed by a body that is not JSON', async () => {
    const answer = await fetch(`${shared.url}/control/dead-letters`, { method: 'POST', body: 'send all' })
    expect(await answer.json()).toMatchObject({ causes: ['the body is not JSON'] })
  })

  it('is not changed by a foreign page', async () => {
    const body = { do: 'drop', which: 'all' }
    expect((await order(shared, body, { origin: 'https://elsewhere.test' })).status).toBe(403)
    expect((await order(shared, body)).status).toBe(200)
  })
})

describe('losses', () => {
  it.each([
    ['losses?stamp=%3Cb%3E', 'a stamp of 1 to 64'],
    ['losses?stmap=a', 'stamp'],
    ['losses?stamp=', 'stamp is empty'],
    ['dead-letters?limit=0', 'a whole number from 1 to 200'],
    ['dead-letters?cursor=x', 'the "next" of an earlier page'],
    ['dead-letters?stamp=a', 'cursor'],
  ])('the routes of losses and dead letters reject %s and list what is valid', async (path, valid) => {
    const answer = await fetch(`${shared.url}/query/${path}`)
    expect(answer.status).toBe(400)
    expect(await answer.json()).toMatchObject({ detail: expect.stringContaining(valid) })
  })

  it('count the discards of an SDK once, however often its report arrives', async () => {
    const collector = await startCollector()
    const report = {
      discarded_events: [
        { reason: 'ratelimit_backoff', category: 'span', quantity: 9 },
        { reason: 'sample_rate', category: 'transaction', quantity: 3 },
      ],
    }
    const body = [JSON.stringify({ dsn: collector.dsn }), '{"type":"client_report"}', JSON.stringify(report)].join('\n')
    const receipt = { 'x-waystation-receipt': '6f1c2f5e-0d55-4d0c-9f6b-6a1f3f0a1b2c' }
    for (let n = 0; n < 3; n += 1) expect((await postEnvelope(collector, body, receipt)).status).toBe(200)
    await fetch(`${collector.url}/stream`, { method: 'POST', body })
    await postEnvelope(collector, 'no envelope')
    const losses = await client(collector).losses()
    expect(losses.notSent).toEqual([{ reason: 'sample_rate', category: 'transaction', quantity: 3 }])
    expect(losses.losses.map(({ by, reason, quantity }) => [by, reason, quantity])).toEqual([
      ['sdk', 'ratelimit_backoff', 9],
      ['endpoint', expect.any(String), 1],
    ])
    await expectBalance(collector)
  })
})
