import { execFileSync } from 'node:child_process'
import { connect, type Socket } from 'node:net'
import { afterAll, afterEach, expect, it, vi } from 'vitest'
import { localTunnel } from '../../lib/tunnel/local-tunnel'
import { type Announced, announced, endStarted, npmStart } from './npm-start'

const MIB = 1024 * 1024
/** The most memory that the app may use under these attacks. */
const MAX_RSS_MIB = 500
const piece = Buffer.alloc(64 * 1024, 'a')

let app: Announced
let isStarted = false
let peakMib = 0
const sockets: Socket[] = []

/** The first test waits for a build. */
async function startOnce(): Promise<void> {
  if (!isStarted) app = await announced(npmStart())
  isStarted = true
}
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy()
})
afterAll(endStarted)

function measureRss(): void {
  const kib = Number(execFileSync('ps', ['-p', String(app.appPid), '-o', 'rss='], { encoding: 'utf8' }))
  peakMib = Math.max(peakMib, kib / 1024)
}

/** A post that sends this many bytes as fast as the app reads, and then stalls. Resolves to the status of the answer. */
function stalledPost(path: string, firstLine: string, bytes: number, headers: string): Promise<number> {
  const { port, host } = new URL(app.appUrl)
  return new Promise((resolve) => {
    const socket = connect(Number(port), '127.0.0.1', () => {
      socket.write(`POST ${path} HTTP/1.1\r\nHost: ${host}\r\n${headers}\r\n\r\n`)
      const isChunked = headers.includes('chunked')
      const encode = (data: Buffer): Buffer =>
        isChunked ? Buffer.concat([Buffer.from(`${data.length.toString(16)}\r\n`), data, Buffer.from('\r\n')]) : data
      socket.write(encode(Buffer.from(firstLine)))
      let left = bytes
      const pump = (): void => {
        for (; left > 0; left -= piece.length) {
          if (!socket.write(encode(piece))) {
            left -= piece.length
            break
          }
        }
      }
      socket.on('drain', () => {
        measureSometimes()
        pump()
      })
      pump()
    })
    sockets.push(socket)
    let answer = ''
    socket.on('data', (data: Buffer) => {
      answer += data.toString('latin1')
      const status = /^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1]
      if (status !== undefined) resolve(Number(status))
    })
    socket.on('error', () => resolve(0))
    socket.on('close', () => resolve(0))
  })
}

let drains = 0
function measureSometimes(): void {
  drains += 1
  if (drains % 200 === 0) measureRss()
}

const honestPost = (): Promise<Response> =>
  fetch(`${app.appUrl}/tunnel`, {
    method: 'POST',
    body: `${JSON.stringify({ dsn: 'http://local@127.0.0.1/1' })}\n{"type":"session"}\n{}`,
  })

it('bounds the memory of stalled posts to the tunnel, and keeps small posts going', async () => {
  await startOnce()
  measureRss()
  const line = `${JSON.stringify({ dsn: 'http://local@127.0.0.1/1' })}\n`
  const stalled = Array.from({ length: 60 }, () =>
    stalledPost('/tunnel', line, 18 * MIB, `Content-Length: ${18 * MIB + line.length + 100}`),
  )
  for (let post = 0; post < 10; post += 1) expect((await honestPost()).status).toBe(200)
  const statuses = await Promise.all(stalled)
  measureRss()
  expect(statuses.filter((status) => ![503, 408, 0].includes(status))).toEqual([])
  expect(statuses.filter((status) => status === 503).length).toBeGreaterThan(30)
  expect(peakMib).toBeLessThan(MAX_RSS_MIB)
}, 240_000)

it('bounds the memory of bodies for the login form, for control routes and for pages', async () => {
  await startOnce()
  const login = Array.from({ length: 100 }, () =>
    stalledPost('/login/enter', 'token=', 9 * MIB, `Content-Length: ${9 * MIB + 100}`),
  )
  expect(new Set(await Promise.all(login))).toEqual(new Set([413]))
  const control = await stalledPost('/collector/control/lab', '{', 300 * MIB, 'Transfer-Encoding: chunked')
  expect([413, 0]).toContain(control)
  // A page reads no body, but Next buffers the beginning of one.
  for (let index = 0; index < 60; index += 1)
    void stalledPost('/envelopes', 'x', 9 * MIB, `Content-Length: ${9 * MIB + 100}`)
  expect((await honestPost()).status).toBe(200)
  await vi.waitFor(() => expect(sockets.filter(({ writableLength }) => writableLength > 2 * MIB)).toEqual([]), 30_000)
  measureRss()
  expect(peakMib).toBeLessThan(MAX_RSS_MIB)
}, 240_000)

it('answers 408 to a form that stops arriving', async () => {
  await startOnce()
  expect(await stalledPost('/login/enter', 'token=', 0, 'Content-Length: 100')).toBe(408)
}, 240_000)

it('refuses an unknown key before it reads more than the first line', async () => {
  const tunnel = localTunnel({ dsn: 'http://known@127.0.0.1:9/1', report: () => undefined })
  let pulled = 0
  const body = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        pulled += 1
        if (pulled === 1) controller.enqueue(Buffer.from('{"dsn":"http://stranger@127.0.0.1/1"}\nmore'))
        else return new Promise<void>(() => undefined)
      },
    },
    { highWaterMark: 0 },
  )
  const init = { method: 'POST', body, duplex: 'half' }
  const answer = await tunnel.handle(new Request('http://app.test/tunnel', init))
  expect(answer.status).toBe(403)
  await tunnel.close()
})
