import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { TunnelEvent } from '../../lib/tunnel/report'
import { createTunnel, type Tunnel, type TunnelOptions } from '../../lib/tunnel/tunnel'
import { manualClock } from '../unit/tunnel/manual-clock'
import { freePort, ok, type RecordingCollector, startCollector, status } from '../unit/tunnel/recording-collector'

/** Long enough for a loaded machine. */
const WAIT = { timeout: 60_000 }

const browserError = readFileSync(new URL('../fixtures/sdk-11.8-browser-error.envelope', import.meta.url))

let root: string
let folder: string
let clock: ReturnType<typeof manualClock>
let events: TunnelEvent[]
const closing: (() => Promise<unknown>)[] = []
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'tunnel-'))
  folder = join(root, 'data', 'lifeboat')
  clock = manualClock()
  events = []
})
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
  rmSync(root, { recursive: true, force: true })
})

function tunnelTo(port: number, options: Partial<TunnelOptions> = {}): Tunnel {
  const tunnel = createTunnel({
    collectorUrl: `http://127.0.0.1:${port}`,
    accepts: () => true,
    lifeboat: { folder },
    timeoutMs: 10_000,
    now: clock.now,
    schedule: clock.schedule,
    report: (event) => events.push(event),
    ...options,
  })
  closing.push(tunnel.close)
  return tunnel
}

async function collectorOn(port = 0): Promise<RecordingCollector> {
  const collector = await startCollector(port)
  closing.push(collector.close)
  return collector
}

const numbered = (number: number) => `{"dsn":"http://key@127.0.0.1:9/1"}\n{"type":"event"}\n{"number":${number}}`
const post = (tunnel: Tunnel, body: string | Uint8Array = browserError, headers: Record<string, string> = {}) =>
  tunnel.handle(new Request('http://app.test/tunnel', { method: 'POST', headers, body: Buffer.from(body) }))
const files = () => readdirSync(folder).sort()
const kinds = () => events.map(({ kind }) => kind)

describe('while the collector is down', () => {
  it('reports to a program of its process whether the envelope waits', async () => {
    const port = await freePort()
    const tunnel = tunnelTo(port)
    expect(await tunnel.send(numbered(1))).toMatchObject({ statusCode: 200, isWaiting: true })
    const collector = await collectorOn(port)
    clock.advance(60_000)
    await expect.poll(() => collector.received.length, WAIT).toBe(1)
    expect(await tunnel.send(numbered(2))).toMatchObject({ statusCode: 200, isWaiting: false })
  })

  it('answers 200 and stores one private file: facts first, then the bytes', async () => {
    const tunnel = tunnelTo(await freePort())
    const response = await post(tunnel, browserError, { 'user-agent': 'Browser/1', cookie: 'waystation-stamp=s1' })
    expect([response.status, await response.text()]).toEqual([200, '{}'])
    expect(files()).toHaveLength(1)
    const [name = ''] = files()
    expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600)
    expect(statSync(folder).mode & 0o777).toBe(0o700)
    const file = readFileSync(join(folder, name))
    const cut = file.indexOf(10)
    const facts: unknown = JSON.parse(file.subarray(0, cut).toString())
    expect(facts).toMatchObject({
      receipt: expect.any(String),
      byteLength: browserError.byteLength,
      headers: { 'user-agent': 'Browser/1', 'x-waystation-stamp': 's1' },
    })
    expect(name).toContain((facts as { receipt: string }).receipt)
    expect(file.subarray(cut + 1).equals(browserError)).toBe(true)
    expect(kinds()).toEqual(['down', 'kept'])
  })

  it('stores further envelopes without an attempt for 1 s, then makes one attempt', async () => {
    const collector = await collectorOn()
    collector.play(status(503))
    const tunnel = tunnelTo(collector.port, { schedule: () => () => undefined })
    for (let number = 0; number < 3; number++) expect((await post(tunnel, numbered(number))).status).toBe(200)
    clock.advance(999)
    await post(tunnel, numbered(3))
    expect(collector.received).toHaveLength(1)
    clock.advance(1)
    await Promise.all([post(tunnel, numbered(4)), post(tunnel, numbered(5))])
    expect(collector.received).toHaveLength(2)
    expect(files()).toHaveLength(6)
  })

  it.each([400, 403, 413, 429])('treats %i as final and stores nothing', async (code) => {
    const collector = await collectorOn()
    collector.play(status(code))
    expect((await post(tunnelTo(collector.port))).status).toBe(code)
    expect(() => files()).toThrow(/ENOENT/)
  })
})

describe('when the collector is back', () => {
  it('delivers stored envelopes once, oldest first, with receipts and headers, after the next success', async () => {
    const port = await freePort()
    // Without timers only the next success can empty the lifeboat.
    const tunnel = tunnelTo(port, { schedule: () => () => undefined })
    for (let number = 0; number < 12; number++) {
      await post(tunnel, numbered(number), { 'user-agent': `Browser/${number}` })
      clock.advance(5)
    }
    const receipts = events.flatMap((event) => (event.kind === 'kept' ? [event.receipt] : []))
    const collector = await collectorOn(port)
    clock.advance(900)
    expect((await post(tunnel, numbered(99))).status).toBe(200)
    clock.advance(100)
    expect((await post(tunnel, numbered(12))).status).toBe(200)
    await vi.waitFor(() => expect(files()).toEqual([]), WAIT)
    const kept = collector.received.filter(({ body }) => Number(/"number":(\d+)/.exec(body.toString())?.[1]) < 12)
    expect(kept.map(({ body }) => body.toString())).toEqual(Array.from({ length: 12 }, (_, number) => numbered(number)))
    expect(kept.map(({ headers }) => headers['x-waystation-receipt'])).toEqual(receipts)
    expect(kept.map(({ headers }) => headers['user-agent'])).toEqual(receipts.map((_, number) => `Browser/${number}`))
    expect(new Set(collector.receipts()).size).toBe(collector.received.length)
    expect(kinds().filter((kind) => kind === 'down' || kind === 'up')).toEqual(['down', 'up'])
  })

  it('retries after 1 s, then 1.5 times longer each time up to 60 s', async () => {
    const port = await freePort()
    const tunnel = tunnelTo(port)
    await post(tunnel)
    for (let tries = 1; tries <= 12; tries++) {
      await vi.waitFor(() => expect(clock.waits).toHaveLength(tries), WAIT)
      clock.advance(clock.waits.at(-1) ?? 0)
    }
    await vi.waitFor(() => expect(clock.waits).toHaveLength(13), WAIT)
    expect(clock.waits.slice(0, 4)).toEqual([1000, 1500, 2250, 3375])
    expect(clock.waits.slice(-3)).toEqual([57_665.0390625, 60_000, 60_000])
    const collector = await collectorOn(port)
    clock.advance(60_000)
    await vi.waitFor(() => expect(files()).toEqual([]), WAIT)
    expect(collector.received).toHaveLength(1)
    expect(clock.waiting()).toEqual([])
  })

  it('stops retrying when closed, and keeps the files', async () => {
    const tunnel = tunnelTo(await freePort())
    await post(tunnel)
    expect(clock.waiting()).toEqual([1000])
    await tunnel.close()
    expect(clock.waiting()).toEqual([])
    expect(await tunnel.drain()).toMatchObject({ left: 1, stopped: 'the tunnel was closed' })
    expect(clock.waiting()).toEqual([])
    expect(files()).toHaveLength(1)
  })

  it('resets the wait to 1 s after a success', async () => {
    const port = await freePort()
    const tunnel = tunnelTo(port)
    await post(tunnel)
    await tunnel.drain()
    expect(clock.waits.at(-1)).toBe(1500)
    const collector = await collectorOn(port)
    expect(await tunnel.drain()).toMatchObject({ delivered: 1 })
    collector.play(status(500))
    await post(tunnel)
    expect(clock.waits.at(-1)).toBe(1000)
  })

  it('delivers at the start of a new process', async () => {
    const port = await freePort()
    await post(tunnelTo(port), numbered(1))
    const collector = await collectorOn(port)
    expect(await tunnelTo(port).drain()).toEqual({ delivered: 1, refused: 0, unreadable: 0, left: 0, stopped: null })
    expect(collector.received).toHaveLength(1)
    expect(files()).toEqual([])
  })

  it('sends again with the same receipt after a timeout', async () => {
    const collector = await collectorOn()
    collector.play(() => undefined)
    // The drain uses the same timeout.
    const tunnel = tunnelTo(collector.port, { timeoutMs: 3000 })
    expect((await post(tunnel)).status).toBe(200)
    collector.play(ok)
    expect(await tunnel.drain()).toMatchObject({ delivered: 1, left: 0 })
    expect(collector.received).toHaveLength(2)
    expect(new Set(collector.receipts()).size).toBe(1)
    expect(collector.received.every(({ body }) => body.equals(browserError))).toBe(true)
  })

  it('stops a drain at the first failure and leaves the rest', async () => {
    const port = await freePort()
    const tunnel = tunnelTo(port)
    for (let number = 0; number < 3; number++) await post(tunnel, numbered(number))
    const collector = await collectorOn(port)
    collector.play((received, response) => status(received.body.includes('"number":0') ? 200 : 500)(received, response))
    const report = await tunnel.drain()
    expect(report).toMatchObject({ delivered: 1, left: 2, stopped: 'the collector answered 500' })
    expect(collector.received).toHaveLength(2)
    expect(files()).toHaveLength(2)
  })

  it('renames and reports a refused envelope, and retries it at the next start', async () => {
    const port = await freePort()
    const tunnel = tunnelTo(port)
    await post(tunnel)
    const collector = await collectorOn(port)
    collector.play(status(400))
    expect(await tunnel.drain()).toMatchObject({ delivered: 0, refused: 1, left: 0 })
    const [refusedFile = ''] = files()
    expect(files()).toEqual([expect.stringMatching(/\.envelope\.refused$/)])
    expect(events.at(-1)).toEqual({ kind: 'undeliverable', file: refusedFile.replace('.refused', ''), status: 400 })
    expect(await tunnel.drain()).toMatchObject({ delivered: 0, refused: 0 })
    collector.play(ok)
    expect(await tunnelTo(port).drain()).toMatchObject({ delivered: 1, refused: 0, left: 0 })
    expect(files()).toEqual([])
  })

  it('delivers everything with two tunnels on one folder, with one receipt per envelope', async () => {
    const port = await freePort()
    const tunnels = [tunnelTo(port), tunnelTo(port)]
    for (let number = 0; number < 6; number++)
      await Promise.all(tunnels.map((tunnel) => post(tunnel, numbered(number))))
    expect(files()).toHaveLength(12)
    const collector = await collectorOn(port)
    const reports = await Promise.all(tunnels.map((tunnel) => tunnel.drain()))
    expect(reports.map(({ stopped }) => stopped)).toEqual([null, null])
    expect(files()).toEqual([])
    expect(new Set(collector.receipts()).size).toBe(12)
    expect(events.filter(({ kind }) => kind === 'lifeboat' || kind === 'bug')).toEqual([])
  })

  it('joins two concurrent drains', async () => {
    const port = await freePort()
    const tunnel = tunnelTo(port)
    await post(tunnel)
    const collector = await collectorOn(port)
    await Promise.all([tunnel.drain(), tunnel.drain()])
    expect(collector.received).toHaveLength(1)
  })
})

describe('after a crash', () => {
  it('removes incomplete files at start, except those that another tunnel is writing', async () => {
    const port = await freePort()
    await post(tunnelTo(port))
    const [name = ''] = files()
    const [old, young] = [
      `${name.replace('-000000-', '-000001-')}.part`,
      `${name.replace('-000000-', '-000002-')}.part`,
    ]
    for (const part of [old, young]) writeFileSync(join(folder, part), 'half')
    const beforeThisProcess = Date.now() / 1000 - process.uptime() - 60
    utimesSync(join(folder, old), beforeThisProcess, beforeThisProcess)
    writeFileSync(join(folder, 'notes.txt'), 'of somebody')
    await tunnelTo(port).drain()
    expect(files()).toEqual([name, young, 'notes.txt'].sort())
  })

  it('renames and reports an unreadable file, never deletes it, and continues with the next', async () => {
    const port = await freePort()
    const tunnel = tunnelTo(port)
    for (let number = 0; number < 3; number++) await post(tunnel, numbered(number))
    const [first = '', second = ''] = files()
    writeFileSync(join(folder, first), '')
    writeFileSync(join(folder, second), readFileSync(join(folder, second)).subarray(0, -1))
    const collector = await collectorOn(port)
    expect(await tunnel.drain()).toEqual({ delivered: 1, refused: 0, unreadable: 2, left: 0, stopped: null })
    expect(collector.received.map(({ body }) => body.toString())).toEqual([numbered(2)])
    expect(files()).toEqual([`${first}.unreadable`, `${second}.unreadable`])
    expect(events.filter(({ kind }) => kind === 'unreadable')).toMatchObject([{ file: first }, { file: second }])
  })
})
