import { afterAll, describe, expect, it } from 'vitest'
import { collectorClient } from '../../lib/wire/collector-client'
import { limitingAnswer } from '../../lib/wire/limiting-answer'
import { type CollectorProcess, endCollectors, factAfter, postEnvelope, startCollector } from './collector-process'
import { errorEnvelope, transactionEnvelope } from './envelopes'

afterAll(endCollectors)

const client = (collector: CollectorProcess) => collectorClient(collector.url, fetch)
const playing = (): Promise<CollectorProcess> => startCollector({ WAYSTATION_UPSTREAM: 'stand-in' })

describe('what every page says under its header', () => {
  it('is of room, of upstreams, and of what is stranded, limited and scripted: nothing of a collector that is well', async () => {
    const collector = await playing()
    expect(await client(collector).standing()).toMatchObject({
      room: { state: 'room', trouble: null },
      upstreams: [{ state: 'idle', pending: 0, deadLetters: 0, held: 0, paused: null, standIn: true }],
      stranded: [],
      script: null,
      limits: [],
      holdErrors: false,
    })
  })

  it('is what the overview says of delivery, at the same moment', async () => {
    const collector = await playing()
    await client(collector).play({
      answers: [limitingAnswer(['transaction'], 600), { categories: ['error'], status: 413, body: 'too much' }],
    })
    await postEnvelope(collector, transactionEnvelope(collector.dsn).body)
    const first = await factAfter(collector, 'delivered')
    await postEnvelope(collector, errorEnvelope(collector.dsn).body)
    await factAfter(collector, 'delivered', first)
    const standing = await client(collector).standing()
    expect(standing).toMatchObject({
      upstreams: [{ deadLetters: 1 }],
      script: '413 to posts with error; else 200',
      limits: [{ category: 'transaction', reason: null, toldBy: 1 }],
    })
    const { upstreams, stranded, script, limits } = await client(collector).overview()
    expect({ upstreams, stranded, script, limits }).toEqual({
      upstreams: standing.upstreams,
      stranded: standing.stranded,
      script: standing.script,
      limits: standing.limits,
    })
  })

  it('takes no parameter', async () => {
    const collector = await playing()
    const answer = await fetch(`${collector.url}/query/standing?limit=1`)
    expect([answer.status, await answer.json()]).toEqual([400, expect.objectContaining({ detail: expect.any(String) })])
  })
})
