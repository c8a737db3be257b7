import { afterAll, describe, expect, it } from 'vitest'
import type { StandIn } from '../../collector/stand-in/stand-in'
import { formatDsn } from '../../lib/protocol/dsn'
import { parseEnvelope } from '../../lib/protocol/envelope'
import { collectorClient } from '../../lib/wire/collector-client'
import { aboutSeconds, firstLimit } from './about-seconds'
import { type CollectorProcess, endCollectors, factAfter, postEnvelope } from './collector-process'
import { errorEnvelope, transactionEnvelope } from './envelopes'
import { relaying, upstream } from './upstream'

afterAll(endCollectors)
const client = (collector: CollectorProcess) => collectorClient(collector.url, fetch)
const limiting = (header: string, status = 429) => ({
  answers: [{ status, headers: { 'x-sentry-rate-limits': header }, times: 1 }],
})

/** Posts an envelope and waits for its outcome. @returns its number, and the limits in the answer to its sender */
async function decided(collector: CollectorProcess, body: string, headers: Record<string, string> = {}) {
  const { journal } = await client(collector).overview()
  const answer = await postEnvelope(collector, body, headers)
  await factAfter(collector, 'decided', journal)
  const { envelopes } = await client(collector).envelopes({})
  return { seq: envelopes[0]?.seq ?? 0, reportedLimits: answer.headers.get('x-sentry-rate-limits') }
}

/** The envelope header of a post, the types of its items, and their payloads as JSON. */
function itemsOf(post: Awaited<ReturnType<StandIn['nextPost']>> | undefined) {
  const parsed = parseEnvelope(post?.body ?? new Uint8Array())
  if (!parsed.ok) throw new Error(parsed.error.message)
  const payloads = parsed.value.items.map(({ payload }): unknown => JSON.parse(Buffer.from(payload).toString()))
  return { header: parsed.value.header, types: parsed.value.items.map(({ header }) => header.type), payloads }
}

const deliveryStatuses = async (collector: CollectorProcess, seq: number) =>
  (await client(collector).envelope(seq))?.items.map(({ deliveryStatus }) => deliveryStatus)

describe('a limited category', () => {
  it('is cut from later envelopes, whose other items are relayed, and is reported upstream', async () => {
    const standIn = await upstream()
    standIn.play(limiting('60:transaction:key:quota'))
    const collector = await relaying(standIn)
    await decided(collector, transactionEnvelope(collector.dsn).body)
    const transaction = transactionEnvelope(collector.dsn, { children: 4 }).body
    const error = errorEnvelope(collector.dsn).body.split('\n').slice(1).join('\n')
    const mixed = await decided(collector, `${transaction}\n{"type":"profile"}\n{}\n${error}`)
    const alone = await decided(collector, transactionEnvelope(collector.dsn, { children: 2 }).body)

    expect(standIn.received().map((post) => itemsOf(post).types)).toEqual([['transaction'], ['event']])
    expect(firstLimit(mixed.reportedLimits)).toEqual({ seconds: aboutSeconds(60), rest: 'transaction:key:quota' })
    expect(await deliveryStatuses(collector, 1)).toMatchObject([{ name: 'rate_limited', reason: 'upstream_429' }])
    expect(await deliveryStatuses(collector, mixed.seq)).toMatchObject([
      { name: 'rate_limited', reason: 'limited' },
      { name: 'rate_limited', reason: 'depends_on_limited' },
      { name: 'accepted', reason: null },
    ])
    expect(await deliveryStatuses(collector, alone.seq)).toMatchObject([{ name: 'rate_limited', reason: 'limited' }])
    const { deliveries } = await client(collector).deliveries({})
    expect(deliveries[0]).toMatchObject({
      seq: mixed.seq,
      status: 200,
      form: ['cut'],
      leftOut: [
        { item: 0, type: 'transaction', category: 'transaction', quantity: 1, reason: 'limited' },
        { item: 1, type: 'profile', category: 'profile', quantity: 1, reason: 'depends_on_limited' },
      ],
    })
    const { limits, ended, holdErrors, passLimits } = await client(collector).limits()
    expect({ limits, ended, holdErrors, passLimits }).toMatchObject({
      limits: [{ category: 'transaction', reason: 'quota', scope: 'key', sourceSeq: 1, cut: 2 }],
      ended: [],
      holdErrors: false,
      passLimits: true,
    })

    const reported = standIn.nextPost()
    expect(await collector.stop()).toBe(0)
    const { header, types, payloads } = itemsOf(await reported)
    expect(types).toEqual(['client_report'])
    expect(header).toEqual({ dsn: formatDsn(standIn.dsn), sent_at: expect.stringMatching(/^\d{4}-.*Z$/) })
    expect(payloads).toEqual([
      {
        timestamp: expect.any(Number),
        discarded_events: [
          { reason: 'ratelimit_backoff', category: 'profile', quantity: 1 },
          { reason: 'ratelimit_backoff', category: 'span', quantity: 8 },
          { reason: 'ratelimit_backoff', category: 'transaction', quantity: 2 },
        ],
      },
    ])
  })

  it('stays limited over a restart, after which unreported cuts are reported', async () => {
    const standIn = await upstream()
    standIn.play(limiting('60:transaction:key'))
    const collector = await relaying(standIn)
    await decided(collector, transactionEnvelope(collector.dsn).body)
    await decided(collector, transactionEnvelope(collector.dsn).body)
    await collector.kill()
    const again = await collector.restart()
    const cut = await decided(again, transactionEnvelope(again.dsn).body)
    expect(await deliveryStatuses(again, cut.seq)).toMatchObject([{ reason: 'limited' }])
    expect((await client(again).limits()).limits).toMatchObject([{ category: 'transaction', sourceSeq: 1, cut: 2 }])
    const reported = standIn.nextPost()
    await again.stop()
    expect(itemsOf(await reported).payloads).toMatchObject([
      {
        discarded_events: [
          { category: 'span', quantity: 6 },
          { category: 'transaction', quantity: 2 },
        ],
      },
    ])
    expect((await client(await again.restart()).overview()).counts.envelopes).toBe(3)
    expect(standIn.received()).toHaveLength(2)
  })

  it('is relayed again after the limit', async () => {
    const standIn = await upstream()
    standIn.play(limiting('5:transaction:key', 200))
    const collector = await relaying(standIn)
    await decided(collector, errorEnvelope(collector.dsn).body)
    const cut = await decided(collector, transactionEnvelope(collector.dsn).body)
    expect(await deliveryStatuses(collector, cut.seq)).toMatchObject([{ reason: 'limited' }])
    await expect.poll(async () => (await client(collector).limits()).limits).toEqual([])
    const later = await decided(collector, transactionEnvelope(collector.dsn).body)
    expect(await deliveryStatuses(collector, later.seq)).toMatchObject([{ name: 'accepted' }])
    expect((await client(collector).limits()).ended).toMatchObject([{ category: 'transaction', sourceSeq: 1, cut: 1 }])
  })

  it('is cut by either of its names, and SDKs receive both', async () => {
    const standIn = await upstream()
    standIn.play(limiting('60:trace_metric:key', 200))
    const collector = await relaying(standIn)
    await decided(collector, errorEnvelope(collector.dsn).body)
    const body = `{"dsn":"${collector.dsn}"}\n{"type":"trace_metric","item_count":2}\n{"items":[{},{}]}`
    const cut = await decided(collector, body)
    expect(cut.reportedLimits).toMatch(/:trace_metric;metric:key$/)
    expect((await client(collector).limits()).limits).toMatchObject([{ category: 'trace_metric', cut: 2 }])
  })

  it('can be all categories, for a 429 without names, and SDKs receive each name', async () => {
    const standIn = await upstream()
    standIn.play({ answers: [{ status: 429, times: 1 }] })
    const collector = await relaying(standIn)
    await decided(collector, errorEnvelope(collector.dsn).body)
    const cut = await decided(collector, `{"dsn":"${collector.dsn}"}\n{"type":"client_report"}\n{}`)
    const { seconds, rest } = firstLimit(cut.reportedLimits)
    expect(seconds).toEqual(aboutSeconds(60))
    expect(rest).toMatch(new RegExp(`^:organization, ${seconds}:error;transaction;`))
    expect(standIn.received()).toHaveLength(1)
    await collector.stop()
    expect(standIn.received()).toHaveLength(1)
  })
})

describe('an error of a limited category with WAYSTATION_HOLD_ERRORS=on', () => {
  it('waits for the end of the limit while other items are cut, and is then delivered', async () => {
    const standIn = await upstream()
    standIn.play(limiting('6:error;transaction:key'))
    const collector = await relaying(standIn, { WAYSTATION_HOLD_ERRORS: 'on' })
    await decided(collector, errorEnvelope(collector.dsn).body)
    const held = errorEnvelope(collector.dsn).body
    await postEnvelope(collector, held)
    const cut = await decided(collector, transactionEnvelope(collector.dsn).body, { 'x-waystation-page': 'p' })
    expect(await deliveryStatuses(collector, cut.seq)).toMatchObject([{ reason: 'limited' }])
    // The limit of errors is not passed on: the SDK would drop errors, so none would arrive to be deferred.
    expect(cut.reportedLimits).toMatch(/^[1-6]:transaction:key$/)
    expect((await client(collector).limits()).pages).toMatchObject([{ page: 'p', category: 'transaction' }])
    expect(await deliveryStatuses(collector, 2)).toMatchObject([{ name: 'pending' }])
    const { upstreams, journal } = await client(collector).overview()
    expect(upstreams).toMatchObject([{ pending: 1, deferred: 1 }])
    await factAfter(collector, 'decided', journal)
    expect(await deliveryStatuses(collector, 2)).toMatchObject([{ name: 'accepted' }])
    expect(Buffer.from(standIn.received().at(-1)?.body ?? []).toString()).toBe(held)
  })
})

describe('a page that received a limit', () => {
  it('is judged by what it sends during the limit and after it', async () => {
    const standIn = await upstream()
    standIn.play(limiting('6:transaction:key', 200))
    const collector = await relaying(standIn)
    const from = (page: string) => ({ 'x-waystation-page': page })
    await decided(collector, errorEnvelope(collector.dsn).body)
    const good = await decided(collector, errorEnvelope(collector.dsn).body, from('good'))
    await decided(collector, errorEnvelope(collector.dsn).body, from('bad'))
    await decided(collector, errorEnvelope(collector.dsn).body)
    const { pages, unnamed } = await client(collector).limits()
    expect(unnamed).toBe(1)
    expect(pages).toMatchObject([
      { page: 'bad', category: 'transaction', verdict: 'waiting' },
      { page: 'good', category: 'transaction', sentWith: good.seq, violated: null, resumed: null, verdict: 'waiting' },
    ])
    const underWay = (pages[0]?.sentAt ?? 0) + 500
    await expect.poll(() => Date.now()).toBeGreaterThan(underWay)
    const violating = await decided(collector, transactionEnvelope(collector.dsn).body, from('bad'))
    await expect.poll(async () => (await client(collector).limits()).limits).toEqual([])
    const resumed = await decided(collector, transactionEnvelope(collector.dsn).body, from('good'))
    const judged = (await client(collector).limits()).pages
    expect(judged).toMatchObject([
      { page: 'bad', verdict: 'violated', violated: { seq: violating.seq } },
      { page: 'good', verdict: 'obeyed', violated: null, resumed: { seq: resumed.seq } },
    ])
    expect(judged[0]?.violated?.afterMs).toBeGreaterThan(500)
  })

  it('receives no limit and is not judged with WAYSTATION_PASS_LIMITS=off', async () => {
    const standIn = await upstream()
    standIn.play(limiting('60:transaction:key', 200))
    const collector = await relaying(standIn, { WAYSTATION_PASS_LIMITS: 'off' })
    await decided(collector, errorEnvelope(collector.dsn).body)
    const cut = await decided(collector, transactionEnvelope(collector.dsn).body, { 'x-waystation-page': 'p' })
    expect(cut.reportedLimits).toBeNull()
    expect(await client(collector).limits()).toMatchObject({ passLimits: false, pages: [], unnamed: 0 })
    expect(await deliveryStatuses(collector, cut.seq)).toMatchObject([{ reason: 'limited' }])
  })
})
