import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { CollectorError, collectorClient } from '../../lib/wire/collector-client'
import { type CollectorProcess, digested, endCollectors, postEnvelope, startCollector } from './collector-process'
import { errorEnvelope, type MadeEnvelope, spanEnvelope, transactionEnvelope } from './envelopes'

afterAll(endCollectors)

describe('filters', () => {
  let collector: CollectorProcess
  let checkout: MadeEnvelope
  let cart: MadeEnvelope
  let streamed: MadeEnvelope
  const client = () => collectorClient(collector.url, fetch)
  const ids = (page: { readonly traces: readonly { readonly traceId: string }[] }) =>
    page.traces.map(({ traceId }) => traceId)

  beforeAll(async () => {
    collector = await startCollector()
    checkout = transactionEnvelope(collector.dsn, { name: '/checkout' })
    cart = transactionEnvelope(collector.dsn, { name: '/cart', platform: 'node' })
    streamed = spanEnvelope(collector.dsn)
    const error = errorEnvelope(collector.dsn, { message: 'card refused', traceId: cart.traceId })
    for (const { body } of [checkout, cart, streamed, error])
      expect((await postEnvelope(collector, body)).status).toBe(200)
    await digested(collector, 4)
  })

  it('narrow the list of traces', async () => {
    expect(ids(await client().traces({ filter: { name: '/cart' } }))).toEqual([cart.traceId])
    expect(ids(await client().traces({ filter: { service: 'server', status: 'error', text: 'REFUSED' } }))).toEqual([
      cart.traceId,
    ])
    expect(ids(await client().traces({ filter: { name: '/checkout', min_duration: '1s' } }))).toContain(
      checkout.traceId,
    )
    expect(ids(await client().traces({ filter: { min_duration: '1h' } }))).toEqual([])
    expect(ids(await client().traces({ filter: { since: '1s', op: '' } }))).toEqual([])
  })

  it('narrow the list of segments; each segment has an address with its ids', async () => {
    const { segments } = await client().segments({ filter: { lifecycle: 'stream' } })
    expect(segments).toMatchObject([{ traceId: streamed.traceId, segmentId: streamed.spanId, lifecycle: 'stream' }])
    const one = await client().segment(streamed.traceId, streamed.spanId)
    expect(one?.segment).toEqual(segments[0])
    expect(await client().segment(streamed.traceId, 'f'.repeat(16))).toBeNull()
    const ofTrace = await client().segments({ filter: { trace: cart.traceId } })
    expect(ofTrace.segments.map(({ segmentId }) => segmentId)).toEqual([cart.spanId])
  })

  it.each([
    ['traces?stats=ok', 'there is no parameter "stats" here; did you mean status?'],
    ['traces?status=errors', 'status=errors: must be one of ok, error, unset; did you mean error?'],
    ['segments?trace=12', 'trace=12: must be a trace id of 32 hex digits'],
    ['segments/12/34', '"12" is not a trace id; it must have 32 hex digits'],
    [`segments/${'a'.repeat(32)}/34`, '"34" is not a segment id; it must have 16 hex digits'],
  ])('are rejected with the valid values: %s', async (path, detail) => {
    const response = await fetch(`${collector.url}/query/${path}`)
    expect([response.status, await response.json()]).toMatchObject([400, { detail, causes: [] }])
  })

  it('reject the call of the client with the same message', async () => {
    const answer = client().traces({ filter: { min_duration: 'long' } })
    await expect(answer).rejects.toThrow(CollectorError)
    await expect(answer).rejects.toThrow('min_duration=long: must be a duration')
  })
})
