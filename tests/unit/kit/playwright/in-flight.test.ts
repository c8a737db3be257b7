import { expect, it } from 'vitest'
import { createInFlight, emptyHistory, type WaitHistory } from '../../../../lib/kit/playwright/in-flight'
import type { SeenRequest } from '../../../../lib/verdict/rules/rule'
import { transactionEnvelope } from '../../../flow/envelopes'
import { opened } from '../opened'

const OWN = 'http://localhost:3000'
const TRACE = '0af7651916cd43dd8448eb211c80319c'
const SPAN = 'b7ad6b7169203331'
const ANSWER = { status: 200, headers: {}, fromCache: false }

function requestOf(given: Partial<SeenRequest> = {}): SeenRequest {
  return {
    method: 'GET',
    url: `${OWN}/api/cart?token=1`,
    pageUrl: `${OWN}/`,
    isEmbedded: false,
    document: 'load-1',
    resourceType: 'fetch',
    headers: { 'sentry-trace': `${TRACE}-${SPAN}-1` },
    startedAt: 0,
    endedAt: null,
    answer: null,
    ...given,
  }
}

/** The server segment of the request that the span made. */
const segmentOf = (span: string): string => {
  const lines = transactionEnvelope('http://local@127.0.0.1:8969/1', { children: 0 }).body.split('\n')
  const payload = JSON.parse(lines[2] ?? '')
  const { trace } = payload.contexts
  Object.assign(trace, { trace_id: TRACE, parent_span_id: span, op: 'http.server' })
  Object.assign(payload, { platform: 'node', sdk: { name: 'sentry.javascript.nextjs', version: '11.8.0' } })
  return [lines[0], lines[1], JSON.stringify(payload)].join('\n')
}

async function watched(requests: SeenRequest[], timeout: WaitHistory = emptyHistory()) {
  const { collector, recording, clock } = await opened()
  const underWay = createInFlight({
    requests: () => requests,
    open: () => requests.filter(({ endedAt }) => endedAt === null),
    evidence: recording.evidence,
    origins: [OWN],
    clock,
    endReason: recording.endReason,
    history: timeout,
  })
  /** @returns the duration of a wait in ms */
  const lasting = async (wait: Promise<void>): Promise<() => number | null> => {
    const began = clock.now()
    let ms: number | null = null
    void wait.then(() => {
      ms = clock.now() - began
    })
    await clock.advance(0)
    return () => ms
  }
  const ended = () => requestOf({ endedAt: clock.today(), answer: ANSWER })
  return { collector, clock, underWay, lasting, ended, recording }
}

it('answers are awaited until they have ended', async () => {
  const requests = [requestOf()]
  const { underWay, lasting, clock } = await watched(requests)
  const waited = await lasting(underWay.answers(10_000))
  await clock.advance(2_000)
  expect(waited()).toBeNull()
  requests[0] = requestOf({ endedAt: 1, answer: ANSWER })
  await clock.advance(25)
  expect(waited()).toBe(2_025)
})

it.each<[string, Partial<SeenRequest>]>([
  ['of another origin', { url: 'https://pay.example/' }],
  ['an image', { resourceType: 'image' }],
  ['events without an end', { headers: { accept: 'text/event-stream' } }],
])('answers are not awaited for %s', async (_, given) => {
  const { underWay, lasting } = await watched([requestOf(given)])
  expect((await lasting(underWay.answers(10_000)))()).toBe(0)
})

it('answers are awaited once; later tests of the worker skip the wait', async () => {
  const timeout = emptyHistory()
  const { underWay, lasting, clock } = await watched([requestOf()], timeout)
  const waited = await lasting(underWay.answers(1_000))
  await clock.advance(1_000)
  expect(waited()).toBe(1_000)
  const other = await watched([requestOf({ url: `${OWN}/api/cart?token=2` })], timeout)
  expect((await other.lasting(other.underWay.answers(1_000)))()).toBe(0)
})

it('server segments are awaited if the request carried trace headers', async () => {
  const requests: SeenRequest[] = []
  const { underWay, lasting, clock, ended, collector } = await watched(requests)
  requests.push(ended())
  const waited = await lasting(underWay.segments(10_000))
  await clock.advance(5_000)
  expect(waited()).toBeNull()
  collector.record(segmentOf(SPAN), 'mine')
  await clock.advance(25)
  expect(waited()).toBe(5_025)
})

it.each<[string, Partial<SeenRequest>]>([
  ['carried no trace', { headers: {} }],
  ['was not sampled', { headers: { 'sentry-trace': `${TRACE}-${SPAN}-0` } }],
  ['was fetched ahead', { headers: { 'sentry-trace': `${TRACE}-${SPAN}-1`, 'next-router-prefetch': '1' } }],
  ['was not answered', { answer: null }],
  ['ended long ago', { endedAt: 0 }],
])('server segments are not awaited if the request %s', async (_, given) => {
  const requests: SeenRequest[] = []
  const { underWay, lasting, ended } = await watched(requests)
  requests.push({ ...ended(), ...given })
  expect((await lasting(underWay.segments(10_000)))()).toBe(0)
})

it('server segments are not awaited from a silent server until it sends one', async () => {
  const timeout = emptyHistory()
  const requests: SeenRequest[] = []
  const { underWay, lasting, clock, ended } = await watched(requests, timeout)
  requests.push(ended())
  const waited = await lasting(underWay.segments(10_000))
  await clock.advance(7_000)
  expect(waited()).toBe(6_000)
  const other = await watched([], timeout)
  const of = (path: string): SeenRequest[] => [{ ...other.ended(), url: `${OWN}${path}` }]
  const next = async (requested: SeenRequest[]) => {
    const one = await watched(requested, timeout)
    return (await one.lasting(one.underWay.segments(100)))()
  }
  expect(await next(of('/api/user'))).toBe(0)
  timeout.answering.add(OWN)
  expect(await next(of('/api/user'))).toBeNull()
  expect(await next(of('/api/cart'))).toBe(0)
})
