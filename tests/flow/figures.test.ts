import { afterAll, describe, expect, it } from 'vitest'
import { collectorClient } from '../../lib/wire/collector-client'
import { limitingAnswer } from '../../lib/wire/scripted-answers'
import {
  type CollectorProcess,
  digested,
  endCollectors,
  factAfter,
  postEnvelope,
  startCollector,
} from './collector-process'
import { errorEnvelope, transactionEnvelope } from './envelopes'
import { relaying, upstream } from './upstream'

afterAll(endCollectors)

const client = ({ url }: CollectorProcess) => collectorClient(url, fetch)
const OWN = { 'x-waystation-own': '1' }

describe('GET /query/figures', () => {
  it('counts what came, what upstream decided and what intake refused, without own telemetry', async () => {
    const standIn = await upstream()
    const collector = await relaying(standIn)
    standIn.play({ answers: [limitingAnswer(['transaction'], 600)] })
    await postEnvelope(collector, transactionEnvelope(collector.dsn).body)
    const first = await factAfter(collector, 'decided')
    await postEnvelope(collector, errorEnvelope(collector.dsn).body, { origin: 'http://localhost:3000' })
    await factAfter(collector, 'decided', first)
    await postEnvelope(collector, errorEnvelope(collector.dsn).body, OWN)
    await postEnvelope(collector, 'no envelope')
    await factAfter(collector, 'refused')
    await digested(collector, 3)
    const { navigation, line, own, minutes } = await client(collector).figures(true)
    expect(navigation).toMatchObject({
      ...{ traces: 2, errors: 1, newGroups: 0, logs: 0, envelopes: 2, openDeliveries: 0, refused: 1 },
      ...{ losses: [{ category: 'transaction', quantity: 1 }], activeLimits: 1, contract: null, runs: 0 },
    })
    expect(line).toMatchObject({ apps: 2, received: 2, accepted: 1, pending: 0, limited: 1, lost: 1 })
    expect([own, line.lastEnvelope]).toEqual([1, expect.any(Number)])
    const total = (counts: readonly number[] = []) => counts.reduce((sum, one) => sum + one, 0)
    expect(minutes?.envelopes).toHaveLength(60)
    expect(minutes?.losses.map((loss) => [loss.by, loss.category, total(loss.minutes)])).toEqual([
      ['upstream', 'transaction', 1],
    ])
    expect([total(minutes?.envelopes), total(minutes?.traces), total(minutes?.categories.error)]).toEqual([2, 2, 1])
  })

  it('has the same counts after a restart, and the last verdict only once one was made', async () => {
    const collector = await relaying(await upstream())
    await postEnvelope(collector, errorEnvelope(collector.dsn).body)
    await factAfter(collector, 'decided')
    await postEnvelope(collector, errorEnvelope(collector.dsn).body, OWN)
    await postEnvelope(collector, 'no envelope')
    await factAfter(collector, 'refused')
    await digested(collector, 2)
    const before = await client(collector).figures()
    await client(collector).contract()
    expect((await client(collector).figures()).navigation.contract).toMatchObject({ verdict: expect.any(String) })
    await collector.stop()
    const again = await collector.restart()
    await expect.poll(async () => (await client(again).figures()).own).toBe(1)
    const after = await client(again).figures()
    expect({ line: after.line, navigation: after.navigation }).toEqual({
      line: before.line,
      navigation: before.navigation,
    })
  })

  it('refuses another number of minutes with the one that is valid', async () => {
    const collector = await startCollector({})
    const answer = await fetch(`${collector.url}/query/figures?minutes=5`)
    expect([answer.status, await answer.json()]).toEqual([
      400,
      expect.objectContaining({ detail: 'minutes=5: must be 60, the minutes that are counted' }),
    ])
  })
})

describe('GET /query/slow and GET /query/programs', () => {
  it('answer in their shapes with what came in the last hour, and take no parameters', async () => {
    const collector = await startCollector({})
    await postEnvelope(collector, transactionEnvelope(collector.dsn, { name: '/orders/7' }).body)
    await digested(collector, 1)
    const [slow, { programs }] = await Promise.all([client(collector).slow(), client(collector).programs()])
    expect(slow.operations).toMatchObject([{ name: '/orders/?', service: 'browser', count: 1, lastUs: [1_500_000] }])
    expect(slow.pageLoads).toMatchObject({ p95Us: 1_500_000, count: 1 })
    expect(programs).toMatchObject([{ service: 'browser', project: '1' }])
    expect((await fetch(`${collector.url}/query/slow?limit=5`)).status).toBe(400)
    expect((await fetch(`${collector.url}/query/programs?limit=5`)).status).toBe(400)
  })
})
