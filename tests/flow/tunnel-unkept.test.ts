import { randomUUID } from 'node:crypto'
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { DEFAULT_LIFEBOAT_BYTES, openLifeboat } from '../../lib/tunnel/lifeboat'
import { createTunnel, type Tunnel, type TunnelOptions } from '../../lib/tunnel/tunnel'
import { createUptime } from '../../lib/tunnel/uptime'
import { freePort, startCollector } from '../unit/tunnel/recording-collector'

let root: string
let port: number
const closing: (() => Promise<unknown>)[] = []
beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), 'tunnel-'))
  port = await freePort()
})
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
  rmSync(root, { recursive: true, force: true })
})

function tunnelWith(lifeboat: TunnelOptions['lifeboat']): Tunnel {
  const collectorUrl = `http://127.0.0.1:${port}`
  const tunnel = createTunnel({ collectorUrl, accepts: () => true, lifeboat, report: () => undefined })
  closing.push(tunnel.close)
  return tunnel
}

const post = (tunnel: Tunnel, body = '{"dsn":"http://key@127.0.0.1:9/1"}\n') =>
  tunnel.handle(new Request('http://app.test/tunnel', { method: 'POST', body }))

const envelope = () => ({
  receipt: randomUUID(),
  path: '/tunnel',
  headers: {},
  body: { blocks: [Buffer.from('{}')], byteLength: 2 },
})

async function expectUnkept(response: Response, reason: RegExp): Promise<void> {
  expect(response.status).toBe(503)
  expect(response.headers.get('x-sentry-error')).toMatch(/could not be stored/)
  expect(await response.json()).toEqual({
    detail: expect.stringMatching(/could not be stored/),
    causes: [expect.stringMatching(/ECONNREFUSED|just failed/), expect.stringMatching(reason)],
  })
}

describe('the tunnel answers 503', () => {
  it('when the lifeboat is full (64 MiB by default), and not before', async () => {
    expect(DEFAULT_LIFEBOAT_BYTES).toBe(67_108_864)
    const folder = join(root, 'lifeboat')
    const tunnel = tunnelWith({ folder, maxBytes: 2 * 4096 })
    expect((await post(tunnel)).status).toBe(200)
    expect((await post(tunnel)).status).toBe(200)
    await expectUnkept(await post(tunnel), /full: 8192 of 8192 bytes are used, and this envelope needs 4096/)
    expect(readdirSync(folder)).toHaveLength(2)
  })

  it('when concurrent envelopes used the last space', async () => {
    const lifeboat = openLifeboat({ folder: join(root, 'lifeboat'), maxBytes: 3 * 4096 }, Date.now, createUptime())
    const kept = await Promise.all(Array.from({ length: 8 }, () => lifeboat.store(envelope())))
    expect(kept.filter(({ ok }) => ok)).toHaveLength(3)
    expect(readdirSync(join(root, 'lifeboat'))).toHaveLength(3)
  })

  it('when another tunnel on the folder used the last space', async () => {
    const lifeboat = { folder: join(root, 'lifeboat'), maxBytes: 4096 }
    expect((await post(tunnelWith(lifeboat))).status).toBe(200)
    await expectUnkept(await post(tunnelWith(lifeboat)), /full/)
  })

  it('when the folder cannot be created', async () => {
    writeFileSync(join(root, 'file'), '')
    const tunnel = tunnelWith({ folder: join(root, 'file', 'lifeboat') })
    await expectUnkept(await post(tunnel), /cannot be used: ENOTDIR/)
    expect(await tunnel.lasting()).toEqual({ lasting: false, reason: expect.stringMatching(/ENOTDIR/) })
  })

  it('when no lifeboat is configured', async () => {
    const tunnel = tunnelWith(null)
    await expectUnkept(await post(tunnel), /no lifeboat is configured/)
    expect(await tunnel.lasting()).toEqual({ lasting: false, reason: 'no lifeboat is configured' })
    expect(await tunnel.drain()).toMatchObject({ delivered: 0, left: 0, stopped: null })
  })
})

describe('the lifeboat', () => {
  it('syncs the file before the rename and the folder after it', async () => {
    const folder = join(root, 'lifeboat')
    const lifeboat = openLifeboat({ folder }, Date.now, createUptime())
    const handle = await open(root, 'r')
    const seen: string[][] = []
    const sync = vi.spyOn(Object.getPrototypeOf(handle), 'sync').mockImplementation(async () => {
      seen.push(readdirSync(folder).map((name) => name.replace(/^.*\.envelope/, '')))
    })
    await handle.close()
    expect(await lifeboat.store(envelope())).toEqual({ ok: true, value: undefined })
    sync.mockRestore()
    expect(seen).toEqual([['.part'], ['']])
  })

  it('leaves no file when a sync fails', async () => {
    const folder = join(root, 'lifeboat')
    const handle = await open(root, 'r')
    let calls = 0
    const sync = vi.spyOn(Object.getPrototypeOf(handle), 'sync').mockImplementation(async () => {
      if (++calls === 2) throw new Error('EIO')
    })
    await handle.close()
    expect(await openLifeboat({ folder }, Date.now, createUptime()).store(envelope())).toMatchObject({ ok: false })
    sync.mockRestore()
    expect(readdirSync(folder)).toEqual([])
  })

  it('reports a writable folder as lasting, and leaves no probe file', async () => {
    const folder = join(root, 'lifeboat')
    expect(await tunnelWith({ folder }).lasting()).toEqual({ lasting: true })
    expect(readdirSync(folder)).toEqual([])
  })

  it('makes an existing folder private', async () => {
    const folder = join(root, 'lifeboat')
    mkdirSync(folder)
    chmodSync(folder, 0o755)
    await post(tunnelWith({ folder }))
    expect(statSync(folder).mode & 0o777).toBe(0o700)
  })

  it('recreates a folder that was removed', async () => {
    const folder = join(root, 'lifeboat')
    const tunnel = tunnelWith({ folder })
    await post(tunnel)
    rmSync(folder, { recursive: true })
    expect((await post(tunnel)).status).toBe(200)
    expect(readdirSync(folder)).toHaveLength(1)
  })

  it('is not used by creating a tunnel or by a delivered envelope', async () => {
    const collector = await startCollector(port)
    closing.push(collector.close)
    const tunnel = tunnelWith({ folder: join(root, 'lifeboat') })
    expect((await post(tunnel)).status).toBe(200)
    await tunnel.close()
    expect(readdirSync(root)).toEqual([])
  })
})
