import { setImmediate } from 'node:timers/promises'
import { deflateSync, gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { SIZE_LIMITS, type SizeLimits } from '../../lib/protocol/size-limits'
import { createTunnel } from '../../lib/tunnel/tunnel'
import { type CollectorProcess, endCollectors, postEnvelope, startCollector } from './collector-process'

afterAll(endCollectors)

const DSN = 'http://local@127.0.0.1/1'
const envelopeOf = (...items: readonly (readonly [type: string, size: number])[]): Buffer =>
  Buffer.concat([
    Buffer.from(JSON.stringify({ dsn: DSN })),
    ...items.flatMap(([type, size]) => [
      Buffer.from(`\n${JSON.stringify({ type, length: size })}\n`),
      Buffer.alloc(size, '0'),
    ]),
  ])
/** An envelope of exactly this size: an attachment of about half of it, and newlines, which may end an envelope. */
const envelopeOfSize = (size: number): Buffer => {
  const bytes = envelopeOf(['attachment', Math.floor(size / 2)])
  return Buffer.concat([bytes, Buffer.alloc(size - bytes.length, '\n')])
}
const headerLineOf = (size: number): string => {
  const line = JSON.stringify({ dsn: DSN, x: '' })
  return JSON.stringify({ dsn: DSN, x: 'x'.repeat(size - line.length) })
}
const itemHeaderOf = (size: number): string => `{"type":"x","y":"${'y'.repeat(size - 19)}"}`
const jsonOf = (size: number): string => JSON.stringify({ m: 'x'.repeat(size - 8) })

type Post = (collector: CollectorProcess) => Promise<Response>
const store =
  (body: string | Uint8Array): Post =>
  (collector) =>
    fetch(`${collector.url}/api/1/store/?sentry_key=local`, { method: 'POST', body: body as string })
const report =
  (body: string): Post =>
  (collector) =>
    fetch(`${collector.url}/api/1/security/?sentry_key=local`, {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json' },
    })
const envelope =
  (body: string | Uint8Array, coding?: string): Post =>
  (collector) =>
    postEnvelope(collector, body, coding === undefined ? {} : { 'content-encoding': coding })

interface Case {
  readonly limit: keyof SizeLimits
  readonly what: string
  readonly of: (size: number) => Post
  readonly message: RegExp
}
const here = (limit: keyof SizeLimits): string =>
  `at most \\d+${limit === 'items' ? '' : ' bytes'} here: ${limit} in WAYSTATION_LIMITS\\)`
const exceeds = (type: string, limit: keyof SizeLimits): RegExp =>
  new RegExp(`^envelope exceeded size limits for type '${type}' \\(\\d+ bytes; ${here(limit)}$`)
/** The size is unknown, because the body is not read to its end. */
const exceedsUnread = new RegExp(`^envelope exceeded size limits for type 'event' \\(${here('event')}$`)
const itemCase = (type: string, limit: keyof SizeLimits): Case => ({
  limit,
  what: `an item ${type}`,
  of: (size) => envelope(envelopeOf([type, size])),
  message: exceeds(type, limit),
})

const CASES: readonly Case[] = [
  {
    limit: 'wire',
    what: 'a body before decoding',
    of: (size) => envelope(envelopeOfSize(size)),
    message: /^the body is larger than \d+ bytes on the wire \(wire in WAYSTATION_LIMITS\)$/,
  },
  {
    limit: 'header_line',
    what: 'an envelope header',
    of: (size) => envelope(headerLineOf(size)),
    message: new RegExp(`^a header is longer than its limit \\(${here('header_line')}$`),
  },
  {
    limit: 'header_line',
    what: 'an item header',
    of: (size) => envelope(`{"dsn":"${DSN}"}\n${itemHeaderOf(size)}\n`),
    message: new RegExp(`^a header is longer than its limit \\(${here('header_line')}$`),
  },
  {
    limit: 'items',
    what: 'the items of an envelope',
    of: (count) => envelope(envelopeOf(...Array.from({ length: count }, () => ['attachment', 1] as const))),
    message: new RegExp(`^the envelope has more items than its limit \\(${here('items')}$`),
  },
  { limit: 'event', what: 'a bare event', of: (size) => store(jsonOf(size)), message: exceedsUnread },
  {
    limit: 'event',
    what: 'a bare event in base64 of zlib',
    of: (size) => store(deflateSync(jsonOf(size)).toString('base64')),
    message: exceedsUnread,
  },
  { limit: 'event', what: 'a report of a browser', of: (size) => report(jsonOf(size)), message: exceedsUnread },
  itemCase('event', 'event'),
  itemCase('transaction', 'event'),
  itemCase('feedback', 'event'),
  itemCase('raw_security', 'event'),
  itemCase('span', 'container'),
  itemCase('log', 'container'),
  itemCase('trace_metric', 'container'),
  itemCase('session', 'session'),
  itemCase('sessions', 'session'),
  itemCase('replay_recording', 'replay'),
  itemCase('replay_event', 'replay'),
  itemCase('check_in', 'check_in'),
  itemCase('client_report', 'client_report'),
]
/** Cases that are larger than the limit `wire`, so they are compressed. */
const LARGE_CASES: readonly Case[] = [
  {
    limit: 'decoded',
    what: 'a body after gzip',
    of: (size) => envelope(gzipSync(envelopeOfSize(size), { level: 1 }), 'gzip'),
    message: /^the body is larger than \d+ bytes decoded \(decoded in WAYSTATION_LIMITS\)$/,
  },
  {
    limit: 'profile',
    what: 'an item profile',
    of: (size) => envelope(gzipSync(envelopeOf(['profile', size]), { level: 1 }), 'gzip'),
    message: exceeds('profile', 'profile'),
  },
]

async function holdsAt(collector: CollectorProcess, { of, message }: Case, limit: number): Promise<void> {
  // Created before any post: while this process computes for seconds, the collector may close an idle connection.
  const [below, at, above] = [of(limit - 1), of(limit), of(limit + 1)]
  for (const _ of [1, 2]) await setImmediate()
  expect((await below(collector)).status).toBe(200)
  expect((await at(collector)).status).toBe(200)
  const beyond = await above(collector)
  expect(beyond.status).toBe(413)
  expect(((await beyond.json()) as { detail: string }).detail).toMatch(message)
  expect(beyond.headers.get('x-sentry-error')).toMatch(message)
}

describe('a default limit', () => {
  let collector: CollectorProcess
  beforeAll(async () => {
    collector = await startCollector()
  })

  it.each([...CASES, ...LARGE_CASES])(
    '$limit accepts $what up to the limit, and answers 413 to one more',
    async (one) => {
      await holdsAt(collector, one, SIZE_LIMITS[one.limit])
    },
  )
})

describe('a configured limit', () => {
  /** All values differ from each other and from the defaults. */
  const SET = {
    wire: 90_001,
    decoded: 200_001,
    header_line: 1001,
    items: 7,
    event: 2001,
    container: 3001,
    session: 4001,
    replay: 5001,
    profile: 6001,
    check_in: 701,
    client_report: 801,
    attachment: 190_001,
  }
  let collector: CollectorProcess
  beforeAll(async () => {
    collector = await startCollector({
      WAYSTATION_LIMITS: Object.entries(SET)
        .map(([name, value]) => `${name}=${value}`)
        .join(','),
    })
  })

  it.each([
    ...CASES,
    ...LARGE_CASES,
    {
      limit: 'attachment',
      what: 'an attachment',
      of: (size: number) => envelope(gzipSync(envelopeOf(['attachment', size])), 'gzip'),
      message: exceeds('attachment', 'attachment'),
    },
    {
      limit: 'attachment',
      what: 'an item of an unknown type',
      of: (size: number) => envelope(gzipSync(envelopeOf(['of_tomorrow', size])), 'gzip'),
      message: exceeds('of_tomorrow', 'attachment'),
    },
  ] satisfies readonly Case[])('$limit accepts $what up to the limit, and answers 413 to one more', async (one) => {
    await holdsAt(collector, one, SET[one.limit as keyof typeof SET])
  })

  it('is the same in the tunnel and the collector', async () => {
    const tunnel = createTunnel({
      collectorUrl: collector.url,
      accepts: () => true,
      lifeboat: null,
      report: () => undefined,
      maxBytes: SET.wire,
      maxHeaderLine: SET.header_line,
    })
    const statuses = async (body: string | Uint8Array): Promise<readonly number[]> => [
      (await tunnel.send(body)).statusCode,
      (await postEnvelope(collector, body)).status,
    ]
    expect(await statuses(headerLineOf(SET.header_line))).toEqual([200, 200])
    expect(await statuses(headerLineOf(SET.header_line + 1))).toEqual([413, 413])
    expect(await statuses(envelopeOfSize(SET.wire))).toEqual([200, 200])
    expect(await statuses(envelopeOfSize(SET.wire + 1))).toEqual([413, 413])
    await tunnel.close()
  })
})

describe('bodies in flight', () => {
  it('over their common limit wait for each other, and all are stored', async () => {
    const collector = await startCollector({ WAYSTATION_LIMITS: 'in_flight=200000' })
    const sent = Array.from({ length: 30 }, () => postEnvelope(collector, envelopeOfSize(98_000)))
    expect((await Promise.all(sent)).map(({ status }) => status)).toEqual(sent.map(() => 200))
  })

  it('a body beyond the common limit gets 503 without headers that make an SDK back off', async () => {
    const collector = await startCollector({ WAYSTATION_LIMITS: 'in_flight=200000' })
    expect((await postEnvelope(collector, envelopeOfSize(200_000))).status).toBe(200)
    const refused = await postEnvelope(collector, envelopeOfSize(200_001))
    expect(refused.status).toBe(503)
    expect(refused.headers.get('retry-after')).toBeNull()
    expect(refused.headers.get('x-sentry-rate-limits')).toBeNull()
    expect(((await refused.json()) as { detail: string }).detail).toMatch(/^request bodies of 200000 bytes together/)
    expect((await postEnvelope(collector, envelopeOfSize(1000))).status).toBe(200)
  })
})
