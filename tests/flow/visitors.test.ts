import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type StandIn, startStandIn } from '../../collector/stand-in/stand-in'
import { formatDsn } from '../../lib/protocol/dsn'
import { visitorHash } from '../../lib/tunnel/visitor'
import { collectorClient } from '../../lib/wire/collector-client'
import { visitorDeletedSchema, visitorDetailSchema, visitorRecordsSchema } from '../../lib/wire/visitor'
import { type CollectorProcess, digested, endCollectors, startCollector } from './collector-process'

afterAll(endCollectors)

const MINE = visitorHash('mine')
const THEIRS = visitorHash('theirs')

let standIn: StandIn
beforeEach(async () => {
  standIn = await startStandIn()
})
afterEach(() => standIn.close())

const post = (collector: CollectorProcess, message: string, headers: Record<string, string> = {}, path = '/tunnel') =>
  fetch(`${collector.url}${path}`, {
    method: 'POST',
    headers,
    body: `${JSON.stringify({ dsn: collector.dsn })}\n{"type":"event"}\n${JSON.stringify({ message })}\n`,
  })
const by = (visitor: string) => ({ 'x-waystation-visitor': visitor })

const list = async (collector: CollectorProcess, visitor: string) => {
  const answer = await fetch(`${collector.url}/query/visitor?visitors=${visitor}`)
  return visitorRecordsSchema.parse(await answer.json())
}
const order = (collector: CollectorProcess, body: object, headers: Record<string, string> = {}) =>
  fetch(`${collector.url}/control/visitor`, { method: 'POST', headers, body: JSON.stringify(body) })

/** Every category has an account in which nothing is unexplained. */
async function expectBalance(collector: CollectorProcess): Promise<void> {
  const losses = await collectorClient(collector.url, fetch).losses()
  expect(losses.categories.map(({ unexplained }) => unexplained)).toEqual(losses.categories.map(() => 0))
}

describe('the records of a visitor', () => {
  it('are listed and read by its hash alone; a post that is not of a tunnel names no visitor', async () => {
    const collector = await startCollector()
    await post(collector, 'mine', by(MINE))
    await post(collector, 'theirs', by(THEIRS))
    await post(collector, 'claimed', by(MINE), '/api/1/envelope/')
    await digested(collector, 3)
    const { records, total } = await list(collector, MINE)
    expect({ total, seqs: records.map(({ seq }) => seq) }).toEqual({ total: 1, seqs: [1] })
    const detail = await fetch(`${collector.url}/query/visitor/1?visitors=${MINE}`)
    const { record, newer, older } = visitorDetailSchema.parse(await detail.json())
    expect([record.items[0]?.text, newer, older]).toEqual(['{"message":"mine"}', null, null])
    const raw = await fetch(`${collector.url}/query/visitor/1?visitors=${MINE}&raw`)
    expect(await raw.text()).toContain('{"message":"mine"}')
    for (const address of ['/query/visitor/2', '/query/visitor/3', '/query/visitor/4', '/query/visitor/2']) {
      const refused = await fetch(`${collector.url}${address}?visitors=${MINE}&raw`)
      expect([address, refused.status]).toEqual([address, 404])
    }
  })

  it.each([
    ['/query/visitor', 'visitors=: must be 1 to 32 hashes'],
    ['/query/visitor?visitors=mine', 'visitors=mine: must be 1 to 32 hashes'],
    [`/query/visitor?visitors=${Array(33).fill(MINE).join()}`, 'must be 1 to 32 hashes'],
    [`/query/visitor?visitors=${MINE}&limit=101`, 'limit=101: must be a whole number from 1 to 100'],
    [`/query/visitor/one?visitors=${MINE}`, 'one'],
  ])('are refused for %s', async (address, detail) => {
    const collector = await startCollector()
    const answer = await fetch(`${collector.url}${address}`)
    expect([answer.status, await answer.text()]).toEqual([400, expect.stringContaining(detail)])
  })

  it('need the token where there is one, and never answer a page of another origin', async () => {
    const open = await startCollector()
    const foreign = { origin: 'https://evil.test' }
    const list = (url: string, headers: Record<string, string>) =>
      fetch(`${url}/query/visitor?visitors=${MINE}`, { headers }).then(({ status }) => status)
    expect([await list(open.url, {}), await list(open.url, foreign)]).toEqual([200, 403])
    expect((await order(open, { do: 'delete', visitors: [MINE] }, foreign)).status).toBe(403)
    const closed = await startCollector({ WAYSTATION_TOKEN: 'a-token-of-this-test' })
    const holder = { authorization: 'Bearer a-token-of-this-test' }
    const login = await fetch(`${closed.url}/login/enter`, {
      method: 'POST',
      body: new URLSearchParams({ token: 'a-token-of-this-test' }),
      redirect: 'manual',
    })
    const session = { cookie: login.headers.get('set-cookie')?.split(';', 1)[0] ?? '' }
    expect([await list(closed.url, {}), await list(closed.url, session), await list(closed.url, holder)]).toEqual([
      401, 401, 200,
    ])
    expect((await order(closed, { do: 'delete', visitors: [MINE] })).status).toBe(401)
    expect((await order(closed, { do: 'delete', visitors: [MINE] }, holder)).status).toBe(200)
  })
})

describe('a visitor who deletes', () => {
  it('removes records and rows, also while a post is in progress, and keeps the ledger balanced', async () => {
    const collector = await startCollector({ WAYSTATION_UPSTREAM: formatDsn(standIn.dsn) })
    await post(collector, 'accepted', by(MINE))
    await post(collector, 'theirs', by(THEIRS))
    const accepted = async () => (await list(collector, MINE)).records[0]?.deliveryStatus.name
    await expect.poll(accepted).toBe('accepted')
    standIn.play({ answers: [{ status: 503 }] })
    await post(collector, 'in progress', by(MINE))
    await digested(collector, 3)
    // The order comes at once after the start of the post.
    standIn.play({ answers: [{ delayMs: 2000, status: 200 }] })
    const started = standIn.nextPost()
    await fetch(`${collector.url}/control/probe`, { method: 'POST' })
    await started
    const answer = await order(collector, { do: 'delete', visitors: [MINE] })
    expect(visitorDeletedSchema.parse(await answer.json())).toEqual({ records: 2, dropped: 0, posted: 2, awaited: 1 })
    expect(await list(collector, MINE)).toMatchObject({ records: [], total: 0, pending: 0 })
    const { events } = await collectorClient(collector.url, fetch).events()
    expect(events.map(({ title }) => title)).toEqual(['theirs'])
    await expectBalance(collector)
  })

  it('ends what is pending as dropped: it is never posted, and what arrives late is dropped too', async () => {
    standIn.play({ answers: [{ status: 503 }] })
    const collector = await startCollector({ WAYSTATION_UPSTREAM: formatDsn(standIn.dsn) })
    await post(collector, 'first', by(MINE))
    await post(collector, 'second', by(MINE))
    await expect.poll(async () => (await list(collector, MINE)).pending).toBe(2)
    const answer = await order(collector, { do: 'delete', visitors: [MINE, THEIRS] })
    expect(visitorDeletedSchema.parse(await answer.json())).toMatchObject({ records: 2, dropped: 2 })
    const posts = standIn.received().length
    standIn.play({ answers: [] })
    await post(collector, 'late', { ...by(MINE), 'x-waystation-kept': '60000' })
    await post(collector, 'next', by(MINE))
    await fetch(`${collector.url}/control/probe`, { method: 'POST' })
    const posted = () =>
      standIn
        .received()
        .slice(posts)
        .map(({ body }) => Buffer.from(body).toString())
        .join()
    await expect.poll(posted).toContain('next')
    expect(posted()).not.toMatch(/first|second|late/)
    expect((await list(collector, MINE)).total).toBe(1)
    const losses = await collectorClient(collector.url, fetch).losses()
    expect(losses.losses).toContainEqual(expect.objectContaining({ reason: 'visitor', quantity: 3 }))
    await expectBalance(collector)
  })

  it('is refused with another body', async () => {
    const collector = await startCollector()
    for (const body of [{}, { do: 'delete' }, { do: 'delete', visitors: [] }, { do: 'delete', visitors: ['x'] }]) {
      const answer = await order(collector, body)
      expect([answer.status, await answer.text()]).toEqual([400, expect.stringContaining('1 to 32 hashes')])
    }
  })
})
