import { connect, type Socket } from 'node:net'
import { brotliCompressSync, constants, deflateSync, gzipSync } from 'node:zlib'

/** The addresses of app and collector, and the connections that an attack opens. */
export interface Target {
  readonly collectorUrl: string
  readonly appUrl: string
  /** Adds a connection, which is closed at the end of the attack. */
  readonly keep: (socket: Socket) => void
  /** Ends with the attack. */
  readonly signal: AbortSignal
}

export interface Attack {
  readonly name: string
  /** Settings of app and collector; attacks with the same ones share a start. */
  readonly env: Readonly<Record<string, string>>
  /** Begins the attack. It goes on until the signal, at most for the time of a measurement. */
  readonly begin: (target: Target) => Promise<void>
}

const MIB = 1024 * 1024
const NO_KEY = Buffer.from('{}\n{"type":"attachment"}\n')
const LOCAL: Readonly<Record<string, string>> = {}
/** The longest time that one request of an attack takes. */
const TIMEOUT_MS = 30_000

const FORM = 'Content-Type: application/x-www-form-urlencoded\r\n'

/** Posts bodies but for their last bytes on so many connections, and keeps these open. */
async function stall(target: Target, url: string, count: number, size: number, missing = 10): Promise<void> {
  const body = Buffer.concat([NO_KEY, Buffer.alloc(size - NO_KEY.length - missing)])
  const { hostname, port, pathname } = new URL(url)
  await Promise.all(
    Array.from(
      { length: count },
      () =>
        new Promise<void>((resolve) => {
          const socket = connect(Number(port), hostname === 'localhost' ? '127.0.0.1' : hostname, () => {
            socket.write(
              `POST ${pathname} HTTP/1.1\r\nHost: localhost:${port}\r\n${FORM}Content-Length: ${size}\r\n\r\n`,
            )
            socket.write(body)
            resolve()
          })
          socket.on('error', () => resolve())
          target.keep(socket)
        }),
    ),
  )
}

/** Keeps so many senders repeating a request, one after the other, until the attack ends. */
async function repeatRequests({ signal }: Target, count: number, request: () => Promise<Response>): Promise<void> {
  const send = async (): Promise<void> => {
    while (!signal.aborted) {
      try {
        await (await request()).arrayBuffer()
      } catch (error) {
        // A refused or closed connection is an outcome of the attack.
        if (!(error instanceof Error)) throw error
      }
    }
  }
  void Promise.all(Array.from({ length: count }, send))
}

const within = ({ signal }: Target): AbortSignal => AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)])

const decoded = Buffer.concat([NO_KEY, Buffer.alloc(99 * MIB)])
const ENCODE: Readonly<Record<string, () => Buffer>> = {
  br: () => brotliCompressSync(decoded, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }),
  gzip: () => gzipSync(decoded),
  deflate: () => deflateSync(decoded),
  zstd: () => zstdOf(NO_KEY, 99 * MIB),
  identity: () => decoded.subarray(0, 20 * MIB),
}

/** A valid body of zstd (RFC 8878): the bytes as they are, then zeros in blocks that repeat one byte. */
function zstdOf(start: Uint8Array, zeros: number): Buffer {
  const header = Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x00, 7 << 3])
  const block = (kind: 0 | 1, size: number, content: Uint8Array, isLast: boolean): Buffer => {
    const word = (size << 3) | (kind << 1) | (isLast ? 1 : 0)
    return Buffer.concat([Buffer.from([word & 255, (word >> 8) & 255, word >> 16]), content])
  }
  const blocks = [header, block(0, start.length, start, false)]
  const largest = 128 * 1024
  for (let left = zeros; left > 0; left -= largest)
    blocks.push(block(1, Math.min(left, largest), Buffer.from([0]), left <= largest))
  return Buffer.concat(blocks)
}

/** Eight senders whose bodies decode to 99 MiB and name no key. */
function bombs(coding: string): Attack {
  return {
    name: `8 senders of 99 MiB in ${coding}, without a key`,
    env: LOCAL,
    begin: async (target) => {
      const body = ENCODE[coding]?.() ?? decoded
      const headers: Record<string, string> = coding === 'identity' ? {} : { 'content-encoding': coding }
      const url = `${target.collectorUrl}/api/1/envelope/`
      await repeatRequests(target, 8, () =>
        fetch(url, { method: 'POST', body: new Uint8Array(body), headers, signal: within(target) }),
      )
    },
  }
}

/** 1.3 KB that decode to nine spans of 9.5 MB, each full of names without values. */
const spansFullOfNames = (): Buffer => {
  const item = `{"type":"span","item_count":1,"content_type":"application/vnd.sentry.items.span.v2+json"}`
  const value = '%41key: '.repeat(1_185_000)
  const spans = Array.from({ length: 9 }, () => `${item}\n{"items":[{"name":"${value}"}]}`)
  const text = `{"dsn":"http://local@127.0.0.1/1"}\n${spans.join('\n')}`
  return brotliCompressSync(text, { params: { [constants.BROTLI_PARAM_LGWIN]: 24 } })
}

export const ATTACKS: readonly Attack[] = [
  { name: 'none (control)', env: LOCAL, begin: async () => undefined },
  {
    name: '9 connections that stall within 20 MiB',
    env: LOCAL,
    begin: (target) => stall(target, `${target.collectorUrl}/api/1/envelope/`, 9, 20 * MIB),
  },
  {
    name: '300 connections that stall within 64 KiB',
    env: LOCAL,
    begin: (target) => stall(target, `${target.collectorUrl}/api/1/envelope/`, 300, 64 * 1024),
  },
  ...Object.keys(ENCODE).map(bombs),
  {
    name: '60 posts to /tunnel that stall within 18 MB',
    env: LOCAL,
    begin: (target) => stall(target, `${target.appUrl}/tunnel`, 60, 18_000_000),
  },
  {
    name: '300 posts of 9.5 MB to /login/enter',
    env: { WAYSTATION_TOKEN: 'token-of-the-benchmark' },
    begin: (target) => stall(target, `${target.appUrl}/login/enter`, 300, 9_500_000, 0),
  },
  {
    name: 'one chunked body of 1.5 GB to /collector/control/lab',
    env: LOCAL,
    begin: async (target) => {
      const { port } = new URL(target.appUrl)
      const socket = connect(Number(port), '127.0.0.1')
      target.keep(socket)
      socket.on('error', () => undefined)
      socket.write(
        `POST /collector/control/lab HTTP/1.1\r\nHost: localhost:${port}\r\nOrigin: ${target.appUrl}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`,
      )
      const chunk = Buffer.concat([Buffer.from('100000\r\n'), Buffer.alloc(MIB, ' '), Buffer.from('\r\n')])
      const send = (left: number): void => {
        if (left === 0 || socket.destroyed) return
        if (socket.write(chunk)) setImmediate(send, left - 1)
        else socket.once('drain', () => send(left - 1))
      }
      send(1500)
    },
  },
  {
    name: '100 connections with 20 reads each, then hung up',
    env: LOCAL,
    begin: async (target) => {
      const { hostname, port } = new URL(target.collectorUrl)
      const request = `GET /query/recorded?limit=1000 HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`
      const sockets = await Promise.all(
        Array.from(
          { length: 100 },
          () =>
            new Promise<Socket>((resolve) => {
              const socket = connect(Number(port), hostname, () =>
                socket.write(request.repeat(20), () => resolve(socket)),
              )
              socket.on('error', () => resolve(socket))
              target.keep(socket)
            }),
        ),
      )
      for (const socket of sockets) socket.destroy()
    },
  },
  {
    name: '426 frames of a foreign page',
    env: LOCAL,
    begin: async (target) => {
      const headers = { 'sec-fetch-site': 'cross-site', 'sec-fetch-dest': 'iframe', 'sec-fetch-mode': 'navigate' }
      const url = `${target.collectorUrl}/query/recorded?limit=1000`
      void Promise.allSettled(
        Array.from({ length: 426 }, async () => (await fetch(url, { headers, signal: within(target) })).arrayBuffer()),
      )
    },
  },
  {
    name: '8 senders of control characters to /_next/image',
    env: LOCAL,
    begin: (target) =>
      repeatRequests(target, 8, () =>
        fetch(`${target.appUrl}/_next/image?url=%2F%1b]52;c;AAAA%07%0aapp%20|%20forged&w=64&q=75`, {
          signal: within(target),
        }),
      ),
  },
  {
    name: '8 senders that plant events with a foreign Origin',
    env: LOCAL,
    begin: (target) =>
      repeatRequests(target, 8, () =>
        fetch(`${target.collectorUrl}/api/1/store/?sentry_key=local&sentry_data=%7B%7D`, {
          headers: { origin: 'https://foreign.test' },
          signal: within(target),
        }),
      ),
  },
  {
    name: '8 senders that guess the token',
    env: { WAYSTATION_TOKEN: 'token-of-the-benchmark' },
    begin: (target) =>
      repeatRequests(target, 8, () =>
        fetch(`${target.appUrl}/login/enter`, {
          method: 'POST',
          redirect: 'manual',
          headers: { 'content-type': 'application/x-www-form-urlencoded', origin: target.appUrl },
          body: `token=${crypto.randomUUID()}`,
          signal: within(target),
        }),
      ),
  },
  {
    name: '1.3 KB of spans full of names, with store scrubbing',
    env: { WAYSTATION_SCRUB: 'on', WAYSTATION_SCRUB_STORE: 'on' },
    begin: async (target) => {
      const body = new Uint8Array(spansFullOfNames())
      const headers = { 'content-encoding': 'br' }
      void fetch(`${target.collectorUrl}/api/1/envelope/`, {
        method: 'POST',
        body,
        headers,
        signal: target.signal,
      }).catch(() => undefined)
    },
  },
]
