import { afterAll, describe, expect, it } from 'vitest'
import { collectorClient } from '../../lib/wire/collector-client'
import { limitingAnswer } from '../../lib/wire/scripted-answers'
import { type CollectorProcess, endCollectors, factAfter, postEnvelope, startCollector } from './collector-process'
import { errorEnvelope, transactionEnvelope } from './envelopes'

afterAll(endCollectors)

const client = (collector: CollectorProcess) => collectorClient(collector.url, fetch)
const playing = (): Promise<CollectorProcess> => startCollector({ WAYSTATION_UPSTREAM: 'stand-in' })

describe('GET /query/status', () => {
  it('reports no trouble, no stranded envelopes, no limits and no script of the stand-in while nothing is wrong', async () => {
    const collector = await playing()
    expect(await client(collector).status()).toMatchObject({
      storage: { state: 'ok', trouble: null },
      upstreams: [{ state: 'idle', pending: 0, deadLetters: 0, deferred: 0, paused: null, standIn: true }],
      stranded: [],
      script: null,
      limits: [],
      holdErrors: false,
    })
  })

  it('reports the same delivery state as the overview', async () => {
    const collector = await playing()
    await client(collector).play({
      answers: [limitingAnswer(['transaction'], 600), { categories: ['error'], status: 413, body: 'too much' }],
    })
    await postEnvelope(collector, transactionEnvelope(collector.dsn).body)
    const first = await factAfter(collector, 'delivered')
    await postEnvelope(collector, errorEnvelope(collector.dsn).body)
    await factAfter(collector, 'delivered', first)
    const status = await client(collector).status()
    expect(status).toMatchObject({
      upstreams: [{ deadLetters: 1 }],
      script: '413 to posts with error; else 200',
      limits: [{ category: 'transaction', reason: null, sourceSeq: 1 }],
    })
    const { upstreams, stranded, script, limits } = await client(collector).overview()
    expect({ upstreams, stranded, script, limits }).toEqual({
      upstreams: status.upstreams,
      stranded: status.stranded,
      script: status.script,
      limits: status.limits,
    })
  })

  it('rejects any parameter with 400', async () => {
    const collector = await playing()
    const answer = await fetch(`${collector.url}/query/status?limit=1`)
    expect([answer.status, await answer.json()]).toEqual([400, expect.objectContaining({ detail: expect.any(String) })])
  })
})
