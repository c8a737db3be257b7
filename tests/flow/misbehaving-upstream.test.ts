import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { pipeline, Readable } from 'node:stream'
import { createGzip } from 'node:zlib'
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type StandIn, startStandIn } from '../../collector/stand-in/stand-in'
import { formatDsn } from '../../lib/protocol/dsn'
import { collectorClient } from '../../lib/wire/collector-client'
import type { GivenScript } from '../../lib/wire/stand-in'
import { aboutSeconds } from './about-seconds'
import { type CollectorProcess, endCollectors, factAfter, postEnvelope, startCollector } from './collector-process'
import { errorEnvelope, transactionEnvelope } from './envelopes'

type Given = GivenScript['answers'][number]

let standIn: StandIn
let collector: CollectorProcess
beforeEach(async () => {
  standIn = await startStandIn()
  collector = await startCollector({ WAYSTATION_UPSTREAM: formatDsn(standIn.dsn) })
})
afterEach(async () => {
  await collector.kill()
  await standIn.close()
})
afterAll(endCollectors)

const client = () => collectorClient(collector.url, fetch)

/** Sends an error while upstream answers with this script; resolves after the first attempt. */
async function sendWhile(...answers: Given[]): Promise<number> {
  standIn.play({ answers })
  await postEnvelope(collector, errorEnvelope(collector.dsn).body)
  return factAfter(collector, 'delivered')
}
const attempts = async (seq = 1) =>
  (await client().deliveries({ filter: { envelope: String(seq) } })).deliveries.reverse()
const deliveryStatus = async (seq = 1) => (await client().envelope(seq))?.deliveryStatus

describe('a rate limit of upstream', () => {
  const inAnHour = () => new Date(Date.now() + 3_600_000).toUTCString()
  const limits = (header: string) => ({ 'X-Sentry-Rate-Limits': header })
  type ReportedLimit = readonly [category: string, seconds: number, scope: string | null, reason: string | null]

  it.each<[string, () => Record<string, string>, ReportedLimit[]]>([
    ['429 without a header', () => ({}), [['all', 60, null, null]]],
    ['Retry-After in seconds', () => ({ 'Retry-After': '17' }), [['all', 17, null, null]]],
    ['Retry-After as a date', () => ({ 'Retry-After': inAnHour() }), [['all', 3600, null, null]]],
    ['one category', () => limits('30:error:key'), [['error', 30, 'key', null]]],
    ['everything', () => limits('30::organization'), [['all', 30, 'organization', null]]],
    [
      'several limits with reasons',
      () => limits('60:transaction;span:key:quota_exceeded, 2700:error:organization'),
      [
        ['error', 2700, 'organization', null],
        ['span', 60, 'key', 'quota_exceeded'],
        ['transaction', 60, 'key', 'quota_exceeded'],
      ],
    ],
    [
      'a limit and a Retry-After: the limit counts',
      () => ({ ...limits('9:session:project'), 'Retry-After': '99' }),
      [['session', 9, 'project', null]],
    ],
    ['an unknown category', () => limits('30:novel:key'), [['novel', 30, 'key', null]]],
  ])('is read from %s', async (_name, headers, expected) => {
    await sendWhile({ status: 429, headers: headers() })
    await factAfter(collector, 'decided')
    const { now, limits: running } = await client().limits()
    expect(
      running
        .map(
          (limit): ReportedLimit => [limit.category, Math.round((limit.until - now) / 1000), limit.scope, limit.reason],
        )
        .sort(([one], [other]) => one.localeCompare(other)),
    ).toEqual(expected.map(([category, seconds, ...rest]) => [category, aboutSeconds(seconds), ...rest]))
    expect(await deliveryStatus()).toEqual({ name: 'rate_limited', reason: 'upstream_429' })
    expect(await attempts()).toMatchObject([{ status: 429, error: null, maybeDelivered: false }])
  })

  it('is read from a 200, which accepts the categories that it does not limit', async () => {
    await sendWhile({ headers: limits('30:transaction:key') })
    await factAfter(collector, 'decided')
    expect(await deliveryStatus()).toEqual({ name: 'accepted', reason: null })
    expect((await client().overview()).limits).toMatchObject([{ category: 'transaction', sourceSeq: 1 }])
    expect(await attempts()).toMatchObject([{ status: 200, rateLimits: '30:transaction:key' }])
  })
})

describe('an upstream that refuses', () => {
  it.each([400, 413, 500])(
    'the answer %i creates a dead letter with the text of the answer, even if compressed',
    async (status) => {
      await sendWhile({ status, body: '{"detail":"upstream says no"}', gzip: true })
      expect(await deliveryStatus()).toEqual({ name: 'pending', reason: 'dead_letter' })
      expect(await attempts()).toMatchObject([{ status, answer: '{"detail":"upstream says no"}' }])
      expect((await client().overview()).upstreams).toMatchObject([{ state: 'idle', pending: 0, deadLetters: 1 }])
    },
  )

  it('another final status gives the envelope the outcome invalid', async () => {
    await sendWhile({ status: 422 })
    expect(await deliveryStatus()).toEqual({ name: 'invalid', reason: 'upstream_422' })
  })

  it('a 403 pauses the upstream; the envelope stays pending, and the overview shows the answer', async () => {
    await sendWhile({ status: 403, body: 'unknown project' })
    expect((await client().overview()).upstreams).toMatchObject([
      { state: 'paused', pending: 1, deadLetters: 0, paused: { status: 403, answer: 'unknown project' } },
    ])
    expect(await deliveryStatus()).toEqual({ name: 'pending', reason: null })
    const ready = await fetch(`${collector.url}/health/ready`)
    expect([ready.status, await ready.text()]).toEqual([503, expect.stringContaining('403')])
  })

  it('an upstream that refuses one category still gets the other categories', async () => {
    standIn.play({ answers: [{ categories: ['transaction'], status: 413 }] })
    await postEnvelope(collector, transactionEnvelope(collector.dsn).body)
    await postEnvelope(collector, errorEnvelope(collector.dsn).body)
    await factAfter(collector, 'delivered', await factAfter(collector, 'delivered'))
    expect(await deliveryStatus(1)).toEqual({ name: 'pending', reason: 'dead_letter' })
    expect(await deliveryStatus(2)).toEqual({ name: 'accepted', reason: null })
  })
})

describe('an upstream that fails', () => {
  it.each([502, 503, 504])(
    'after %i the envelope is posted again, and the attempt counts as not delivered',
    async (status) => {
      await sendWhile({ status, times: 1 })
      await factAfter(collector, 'decided')
      expect(await attempts()).toMatchObject([
        { status, maybeDelivered: false },
        { status: 200, maybeDelivered: false },
      ])
      expect(await deliveryStatus()).toEqual({ name: 'accepted', reason: null })
    },
  )

  it('after a reset connection the envelope is posted again, and the attempt counts as maybe delivered', async () => {
    await sendWhile({ does: 'reset', times: 1 })
    await factAfter(collector, 'decided')
    expect(await attempts()).toMatchObject([
      { status: null, error: expect.stringContaining('ECONNRESET'), maybeDelivered: true },
      { status: 200, error: null },
    ])
  })
})

describe('an upstream that answers slowly or without end', () => {
  it('may take seconds to answer', async () => {
    await relayTo((_body, response) => drip(response, '{}'))
    await postEnvelope(collector, errorEnvelope(collector.dsn).body)
    await factAfter(collector, 'decided')
    const [attempt] = await attempts()
    expect(attempt).toMatchObject({ status: 200, answer: '{}' })
    expect((attempt?.endedAt ?? 0) - (attempt?.startedAt ?? 0)).toBeGreaterThan(1900)
  })

  it('times out after 10 s, without an answer or with an endless one, and gets the envelopes again', async () => {
    let hangs = 1
    let drips = 1
    await relayTo((body, response) => {
      const isTransaction = body.includes('"type":"transaction"')
      if (!isTransaction && hangs > 0) hangs -= 1
      else if (isTransaction && drips > 0) {
        drips -= 1
        drip(response, ENDLESS)
      } else response.end('{}')
    })
    await postEnvelope(collector, errorEnvelope(collector.dsn).body)
    await postEnvelope(collector, transactionEnvelope(collector.dsn).body)
    await factAfter(collector, 'decided', await factAfter(collector, 'decided'))
    for (const seq of [1, 2])
      expect(await attempts(seq)).toMatchObject([
        { status: null, error: 'no answer within 10 s', maybeDelivered: true },
        { status: 200, error: null },
      ])
  })

  it('may answer 64 MiB, of which the collector reads only a part, with little memory', async () => {
    let posts = 0
    await relayTo((_body, response) => {
      posts += 1
      if (posts === 1) response.end('{}')
      else pour(response, posts > 6)
    })
    await postEnvelope(collector, errorEnvelope(collector.dsn).body)
    let after = await factAfter(collector, 'decided')
    const before = memory(collector)
    for (let sent = 0; sent < 10; sent += 1) {
      await postEnvelope(collector, errorEnvelope(collector.dsn).body)
      after = await factAfter(collector, 'decided', after)
    }
    const { deliveries } = await client().deliveries()
    expect(deliveries).toHaveLength(11)
    for (const { status, answer } of deliveries) {
      expect(status).toBe(200)
      expect(answer?.length).toBeLessThanOrEqual(4096)
    }
    expect(memory(collector) - before).toBeLessThan(64 * 1024 * 1024)
  })
})

const servers: Server[] = []
afterEach(() => {
  for (const server of servers.splice(0)) server.close().closeAllConnections()
})

/** Replaces the collector by one whose upstream is this server. */
async function relayTo(answer: (body: string, response: ServerResponse) => void): Promise<void> {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    answer(Buffer.concat(chunks).toString(), response)
  })
  servers.push(server)
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  await collector.kill()
  collector = await startCollector({ WAYSTATION_UPSTREAM: formatDsn({ ...standIn.dsn, host: `127.0.0.1:${port}` }) })
}

const ENDLESS = ' '.repeat(1000)

/** Answers one byte per second. */
function drip(response: ServerResponse, body: string): void {
  response.writeHead(200).flushHeaders()
  let at = 0
  const timer = setInterval(() => {
    response.write(body.charAt(at))
    at += 1
    if (at === body.length) response.end()
  }, 1000)
  response.on('close', () => clearInterval(timer))
}

/** Answers 64 MiB, or 64 KiB that inflate to them. */
function pour(response: ServerResponse, isZipped: boolean): void {
  response.writeHead(200, isZipped ? { 'content-encoding': 'gzip' } : {})
  const body = Readable.from(zeros(), { objectMode: false })
  // The collector closes the connection when it has read enough.
  const onEnd = (): void => undefined
  if (isZipped) pipeline(body, createGzip(), response, onEnd)
  else pipeline(body, response, onEnd)
}

function* zeros(): Generator<Buffer> {
  const chunk = Buffer.alloc(64 * 1024)
  for (let sent = 0; sent < 64 * 1024 * 1024; sent += chunk.length) yield chunk
}

/** The peak memory of the process in bytes; 0 where the system does not report it. */
function memory({ pid }: CollectorProcess): number {
  const status = `/proc/${pid}/status`
  if (!existsSync(status)) return 0
  return Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(status, 'utf8'))?.[1]) * 1024
}
