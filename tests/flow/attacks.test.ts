import { connect, type Socket } from 'node:net'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { SIZE_LIMITS } from '../../lib/protocol/size-limits'
import { collectorClient } from '../../lib/wire/collector-client'
import { rawZstd } from '../unit/intake/zstd-frames'
import { type CollectorProcess, endCollectors, postEnvelope, startCollector } from './collector-process'
import { errorEnvelope } from './envelopes'

let collector: CollectorProcess
beforeAll(async () => {
  collector = await startCollector()
})
afterAll(endCollectors)
afterEach(async () => {
  expect((await postEnvelope(collector, errorEnvelope(DSN).body)).status).toBe(200)
})

const DSN = 'http://local@127.0.0.1/1'
const HEADER = JSON.stringify({ dsn: DSN })
const GOOD = `${HEADER}\n{"type":"event"}\n{}`

type Statuses = readonly number[]
const post = async (path: string, body: string | Uint8Array, headers: Record<string, string> = {}): Promise<number> =>
  (await fetch(`${collector.url}${path}`, { method: 'POST', body: body as string, headers })).status
const tunnel = (body: string | Uint8Array, headers: Record<string, string> = {}): Promise<number> =>
  post('/tunnel', body, headers)
const event = (json: string): Promise<number> => tunnel(`${HEADER}\n{"type":"event"}\n${json}`)

/** Writes raw bytes to a socket. Resolves with the status of the answer; 0 when the connection ends without one. */
function rawStatus(text: string | Uint8Array, end: 'half closed' | 'left open' | 'cut'): Promise<number> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(collector.url)
    const socket = connect(Number(port), hostname)
    let answer = ''
    const settle = (): void => {
      resolve(Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1] ?? 0))
      socket.destroy()
    }
    socket.on('error', reject)
    socket.on('close', settle)
    socket.on('data', (chunk: Buffer) => {
      answer += chunk.toString('latin1')
      if (answer.includes('\r\n\r\n')) settle()
    })
    socket.write(text, () => {
      if (end === 'half closed') socket.end()
      if (end === 'cut') socket.destroy()
    })
  })
}
const raw = (headers: readonly string[], body: string): string =>
  [`POST /tunnel HTTP/1.1`, `Host: 127.0.0.1`, ...headers, '', body].join('\r\n')

describe('credentials in several places', () => {
  const KEYED = '/api/1/envelope/?sentry_key=local'
  const bare = '{}\n{"type":"event"}\n{}'
  const auth = (key: string) => ({ 'x-sentry-auth': `Sentry sentry_key=${key}` })
  it.each<[string, string, string, Record<string, string>, number]>([
    ['a DSN with another key than the query', '/api/1/envelope/?sentry_key=other', GOOD, {}, 400],
    ['a DSN with another key than the header', '/api/1/envelope/', GOOD, auth('other'), 400],
    ['a DSN with another project than the path', '/api/2/envelope/?sentry_key=local', GOOD, {}, 400],
    ['the same key by header and by query', KEYED, bare, auth('local'), 401],
    ['the same key by Authorization and by query', KEYED, bare, { authorization: 'Sentry sentry_key=local' }, 401],
    ['two keys by two headers', '/api/1/envelope/', bare, { ...auth('local'), authorization: 'Basic b3RoZXI6' }, 401],
    ['two keys in one query', `${KEYED}&sentry_key=other`, bare, {}, 401],
    ['an invalid key', '/api/1/envelope/?sentry_key=%00', bare, {}, 400],
    ['an unknown protocol version', `${KEYED}&sentry_version=99`, bare, {}, 400],
    ['no credentials', '/api/1/envelope/', bare, {}, 401],
    ['a project that is not a number', '/api/1%3Fx=/envelope/?sentry_key=local', bare, {}, 400],
    ['a project with a parent folder', '/api/..%2f1/envelope/?sentry_key=local', bare, {}, 400],
    ['a header and a DSN that agree', '/api/1/envelope/', GOOD, auth('local'), 200],
    ['a query and a DSN that agree', KEYED, GOOD, {}, 200],
    [
      'the same key by two headers',
      '/api/1/envelope/',
      bare,
      { ...auth('local'), authorization: 'Basic bG9jYWw6' },
      200,
    ],
  ])('are accepted only without a contradiction: %s', async (_name, path, body, headers, status) => {
    expect(await post(path, body, headers)).toBe(status)
  })

  it('are refused when one header is sent twice', async () => {
    const twice = ['X-Sentry-Auth: Sentry sentry_key=local', 'X-Sentry-Auth: Sentry sentry_key=other']
    const request = raw([...twice, 'Content-Length: 2'], '{}').replace('/tunnel', '/api/1/envelope/')
    expect(await rawStatus(request, 'left open')).toBe(401)
  })
})

describe('a content encoding', () => {
  const zipped = gzipSync(GOOD)
  it.each<[string, string, Uint8Array, number]>([
    ['gzip cut short', 'gzip', zipped.subarray(0, -5), 400],
    ['deflate cut short', 'deflate', deflateSync(GOOD).subarray(0, -5), 400],
    ['br cut short', 'br', brotliCompressSync(GOOD).subarray(0, -5), 400],
    ['zstd cut short', 'zstd', rawZstd(Buffer.from(GOOD)).subarray(0, -5), 400],
    ['gzip of nothing', 'gzip', Buffer.alloc(0), 400],
    ['gzip over gzip', 'gzip, gzip', gzipSync(zipped), 415],
    ['gzip over gzip, declared once', 'gzip', gzipSync(zipped), 400],
    ['random bytes as br', 'br', Buffer.from([0x1b, 0xff, 0xff, 0x00, 0x93, 0x12, 0x77, 0xaa]), 400],
    ['zstd with a window of 2 TiB', 'zstd', Buffer.from('28b52ffd00f8010000', 'hex'), 400],
    ['zstd that requires a dictionary', 'zstd', Buffer.from('28b52ffd013807010000', 'hex'), 400],
    ['gzip in two members', 'gzip', Buffer.concat([gzipSync(GOOD.slice(0, 20)), gzipSync(GOOD.slice(20))]), 200],
    ['an unknown name', 'UTF-8', Buffer.from(GOOD), 200],
  ])('is answered with 200, 400 or 415: %s', async (_name, coding, body, status) => {
    expect(await tunnel(body, { 'content-encoding': coding })).toBe(status)
  })

  it('inside a replay is not decoded, so a bomb is stored', async () => {
    const bomb = deflateSync(Buffer.alloc(64 * 1024 * 1024))
    const recording = Buffer.concat([Buffer.from('{"segment_id":0}\n'), bomb])
    const item = `{"type":"replay_recording","length":${recording.length}}`
    expect(await tunnel(Buffer.concat([Buffer.from(`${HEADER}\n${item}\n`), recording]))).toBe(200)
  })
})

describe('a wrong length', () => {
  it.each<[string, string, 'half closed' | 'left open', Statuses]>([
    ['shorter than the body', raw(['Content-Length: 3', 'Connection: close'], GOOD), 'half closed', [400]],
    ['longer than the body', raw(['Content-Length: 900'], GOOD), 'half closed', [400, 0]],
    ['negative', raw(['Content-Length: -1'], GOOD), 'half closed', [400]],
    ['not a number', raw(['Content-Length: many'], GOOD), 'half closed', [400]],
    ['twice', raw(['Content-Length: 3', 'Content-Length: 4'], GOOD), 'half closed', [400]],
    [
      'with Transfer-Encoding',
      raw(['Content-Length: 3', 'Transfer-Encoding: chunked'], '0\r\n\r\n'),
      'half closed',
      [400],
    ],
    ['of malformed chunks', raw(['Transfer-Encoding: chunked'], 'xyz\r\n'), 'half closed', [400]],
    ['of chunks without an end', raw(['Transfer-Encoding: chunked'], '5\r\nhello\r\n'), 'half closed', [400, 0]],
    ['of zero chunks', raw(['Transfer-Encoding: chunked'], '0\r\n\r\n'), 'left open', [400]],
    ['zero', raw(['Content-Length: 0'], ''), 'left open', [400]],
    ['missing', raw([], ''), 'left open', [400]],
    ['larger than the body limit', raw([`Content-Length: ${SIZE_LIMITS.wire + 1}`], ''), 'left open', [413]],
    ['larger than an integer', raw(['Content-Length: 99999999999999999999'], ''), 'left open', [400, 413]],
  ])('is refused: %s', async (_name, request, end, statuses) => {
    expect(statuses).toContain(await rawStatus(request, end))
  })

  it('the collector refuses a wrong length in an item header', async () => {
    for (const length of ['-1', '1.5', '"2"', '2147483648', '9007199254740993', '1e309', 'true', '[]', '3'])
      expect(await tunnel(`${HEADER}\n{"type":"event","length":${length}}\n{}`)).toBe(400)
    expect(await tunnel(`${HEADER}\n{"type":"event","length":null}\n{}`)).toBe(200)
  })

  it('does not delay other requests while the rest of a body is missing', async () => {
    const slow: Socket[] = []
    const { hostname, port } = new URL(collector.url)
    for (let count = 0; count < 50; count += 1) {
      const socket = connect(Number(port), hostname)
      socket.on('error', () => undefined)
      socket.write(count % 2 === 0 ? raw(['Content-Length: 1000'], '{') : 'POST /tunnel HTTP/1.1\r\nHost: 127')
      slow.push(socket)
    }
    expect(await tunnel(GOOD)).toBe(200)
    for (const socket of slow) socket.destroy()
  })
})

describe('malicious JSON', () => {
  const deep = (levels: number): string => `${'['.repeat(levels)}${']'.repeat(levels)}`
  it.each<[string, () => Promise<number>, number]>([
    ['an event 100 000 levels deep', () => event(`{"a":${deep(100_000)}}`), 200],
    ['a bare event 100 000 levels deep', () => post('/api/1/store/?sentry_key=local', `{"a":${deep(100_000)}}`), 200],
    ['a header 3000 levels deep', () => tunnel(`{"dsn":"${DSN}","a":${deep(3000)}}`), 400],
    ['a header line of 1 MiB', () => tunnel(`{"dsn":"${DSN}","a":"${'a'.repeat(1024 * 1024)}"}`), 413],
    [
      'duplicate keys, of which the last counts',
      () => tunnel(`{"dsn":"http://x@y/z","dsn":"${DSN}"}\n{"type":"event"}\n{}`),
      200,
    ],
    ['__proto__ and constructor', () => event('{"__proto__":{"level":"x"},"constructor":{"prototype":1}}'), 200],
    ['__proto__ in a header', () => tunnel(`{"__proto__":{"dsn":"${DSN}"}}`), 401],
    ['lone surrogates', () => event('{"message":"\\ud800","tags":{"\\udc00":"x"}}'), 200],
    ['NaN', () => event('{"timestamp":NaN}'), 200],
    ['numbers beyond the range', () => event('{"timestamp":1e400,"exception":{"values":[1e999]}}'), 200],
    ['NUL', () => event('{"message":"a\\u0000b\0"}'), 200],
    ['NUL in a header', () => tunnel(`{"dsn":"${DSN}\0"}`), 400],
    ['a header that is not UTF-8', () => tunnel(Buffer.from(`{"dsn":"${DSN}","a":"\xff"}`, 'latin1')), 400],
    [
      'a payload that is not UTF-8',
      () => tunnel(Buffer.from(`${GOOD}\n{"type":"event"}\n{"a":"\xff"}`, 'latin1')),
      200,
    ],
    ['a list as the header', () => tunnel('[]'), 400],
    ['a type with the name of an object property', () => tunnel(`${HEADER}\n{"type":"constructor"}\n{}`), 200],
    ['a type that is a number', () => tunnel(`${HEADER}\n{"type":7}\n{}`), 400],
  ])('is stored or refused: %s', async (_name, send, status) => {
    expect(await send()).toBe(status)
  })
})

describe('extreme quantities', () => {
  const many = (count: number, one: string): string => `[${Array.from({ length: count }, () => one).join(',')}]`
  it.each<[string, () => Promise<number>, number]>([
    ['100 001 items', () => tunnel(`${HEADER}${'\n{"type":"x"}\n'.repeat(100_001)}`), 413],
    ['1 000 000 empty lines', () => tunnel(`${HEADER}${'\n'.repeat(1_000_000)}`), 200],
    ['300 000 breadcrumbs', () => event(`{"breadcrumbs":${many(300_000, '{}')}}`), 200],
    ['1 000 000 breadcrumbs', () => event(`{"breadcrumbs":${many(1_000_000, '{}')}}`), 413],
    [
      '10 000 tags',
      () => event(`{"tags":{${Array.from({ length: 10_000 }, (_, at) => `"t${at}":"v"`).join(',')}}}`),
      200,
    ],
    [
      'an item_count of 10^15',
      () => tunnel(`${HEADER}\n{"type":"log","item_count":1000000000000000}\n{"items":[]}`),
      200,
    ],
  ])('are stored or refused: %s', async (_name, send, status) => {
    expect(await send()).toBe(status)
  })

  it('accept one event sent a thousand times', async () => {
    const { body } = errorEnvelope(DSN)
    const statuses = new Set<number>()
    for (let round = 0; round < 20; round += 1)
      for (const status of await Promise.all(Array.from({ length: 50 }, () => tunnel(body)))) statuses.add(status)
    expect([...statuses]).toEqual([200])
  })

  it('accept 500 keys and projects', async () => {
    for (let index = 0; index < 500; index += 1)
      expect(await tunnel(`{"dsn":"http://key${index}@127.0.0.1/${index + 1}"}\n{"type":"event"}\n{}`)).toBe(200)
  })
})

describe('concurrency', () => {
  it('serves requests next to 1000 idle connections', async () => {
    const { hostname, port } = new URL(collector.url)
    const idle = await Promise.all(
      Array.from(
        { length: 1000 },
        () =>
          new Promise<Socket>((resolve, reject) => {
            const socket = connect(Number(port), hostname, () => resolve(socket))
            socket.on('error', reject)
          }),
      ),
    )
    expect(await tunnel(GOOD)).toBe(200)
    for (const socket of idle) socket.destroy()
  })
})

it('the collector after all attacks runs without an exception', async () => {
  expect(collector.output()).not.toMatch(/Unhandled|uncaught|^\s+at /m)
  expect((await fetch(`${collector.url}/health/live`)).status).toBe(200)
  expect((await collectorClient(collector.url, fetch).overview()).journal).toBeGreaterThan(1000)
})
