import { execFileSync, spawnSync } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterAll, describe, expect, it } from 'vitest'
import { collectorClient } from '../../lib/wire/collector-client'
import { endCollectors, postEnvelope, startCollector } from './collector-process'
import { noisyEnvelope } from './envelopes'
import { postWhileEvicting } from './retry-while-evicting'

const disks: string[] = []

afterAll(() => {
  endCollectors()
  for (const disk of disks) {
    execFileSync('umount', ['-l', disk])
    rmSync(disk, { recursive: true, force: true })
  }
})

/** Mounts a disk of 24 MiB; `null` if this user may not mount one. */
function smallDisk(): string | null {
  const folder = mkdtempSync(join(tmpdir(), 'waystation-disk-'))
  if (spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=24m', 'tmpfs', folder]).status === 0) {
    disks.push(folder)
    return folder
  }
  rmSync(folder, { recursive: true, force: true })
  return null
}

const mayMount = (): boolean => {
  const disk = smallDisk()
  return disk !== null
}

const grow = (disk: string): void => {
  execFileSync('mount', ['-o', 'remount,size=200m', disk])
}

const isSound = (folder: string): unknown => {
  const db = new Database(join(folder, 'spool.db'), { readonly: true })
  const found = db.pragma('integrity_check', { simple: true })
  db.close()
  return found
}

describe.skipIf(!mayMount())('a full disk (skipped without permission to mount a tmpfs)', () => {
  it('evicts the oldest settled envelopes, accepts new ones, reports not ready, and restores the ballast when the disk grows', async () => {
    const disk = smallDisk() ?? ''
    const collector = await startCollector({}, disk)
    const client = collectorClient(collector.url, fetch)
    const ids: string[] = []
    for (let n = 0; n < 60; n += 1) {
      const { body, eventId } = noisyEnvelope(collector.dsn, 512 * 1024)
      expect((await postWhileEvicting(collector, body)).status, `envelope ${n}`).toBe(200)
      ids.push(eventId)
    }
    const storage = await client.storage()
    expect(storage.ballast.released).toBe(true)
    expect(storage.trouble).toMatch(/the disk that holds .* is full/)
    // The number depends on the progress of the digest, because its rows and log use disk space, too.
    expect(storage.evicted.records).toBeGreaterThan(8)
    expect((await fetch(`${collector.url}/health/ready`)).status).toBe(503)
    for (const id of ids.slice(-3)) await expect.poll(() => client.event(id)).not.toBeNull()

    grow(disk)
    await expect.poll(async () => (await client.storage()).ballast.released).toBe(false)
    await expect.poll(async () => (await fetch(`${collector.url}/health/ready`)).status).toBe(200)
    expect(existsSync(join(disk, 'ballast'))).toBe(true)
    expect(await collector.stop()).toBe(0)
    expect(isSound(disk)).toBe('ok')
  }, 180_000)

  it('with a backlog answers 503 when nothing can be stored, relays each acknowledged envelope once when upstream is back, and then accepts again', async () => {
    const server: Server = createServer()
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    await new Promise((resolve) => server.close(resolve))
    const disk = smallDisk() ?? ''
    const upstream = `http://key@127.0.0.1:${port}/1`
    const collector = await startCollector({ WAYSTATION_UPSTREAM: upstream }, disk)
    const client = collectorClient(collector.url, fetch)
    const statuses: number[] = []
    for (let n = 0; n < 60; n += 1)
      statuses.push((await postEnvelope(collector, noisyEnvelope(upstream, 512 * 1024).body)).status)
    expect(new Set(statuses)).toEqual(new Set([200, 503]))
    const acknowledged = statuses.filter((status) => status === 200).length
    const { pending, evicted } = await client.storage()
    expect(pending.records).toBe(acknowledged)
    expect(evicted.expired).toBe(0)
    expect(await (await fetch(`${collector.url}/health/ready`)).text()).toMatch(/the disk that holds .* is full/)

    const received = new Map<string, number>()
    const back = createServer((request, response) => {
      const hash = createHash('sha256')
      request.on('data', (chunk: Buffer) => hash.update(chunk))
      request.on('end', () => {
        const sha256 = hash.digest('hex')
        received.set(sha256, (received.get(sha256) ?? 0) + 1)
        response.end('{}')
      })
    })
    await new Promise<void>((resolve) => back.listen(port, '127.0.0.1', resolve))
    await expect.poll(async () => (await client.storage()).pending.records, { timeout: 100_000 }).toBe(0)
    expect([...received.values()]).toEqual(Array.from({ length: pending.records }, () => 1))
    expect((await postWhileEvicting(collector, noisyEnvelope(upstream, 512 * 1024).body)).status).toBe(200)
    expect((await client.overview()).items.outcomes.accepted).toBeGreaterThanOrEqual(pending.records)
    back.closeAllConnections()
    back.close()
    expect(await collector.stop()).toBe(0)
    expect(isSound(disk)).toBe('ok')
  }, 180_000)

  it('with a backlog and a long read of spool.db keeps space for a checkpoint, and relays each envelope once', async () => {
    const disk = smallDisk() ?? ''
    const gone = createServer()
    await new Promise<void>((resolve) => gone.listen(0, '127.0.0.1', resolve))
    const { port } = gone.address() as AddressInfo
    await new Promise((resolve) => gone.close(resolve))
    const upstream = `http://key@127.0.0.1:${port}/1`
    const collector = await startCollector({ WAYSTATION_UPSTREAM: upstream }, disk)
    const client = collectorClient(collector.url, fetch)
    const reader = new Database(join(disk, 'spool.db'), { readonly: true })
    reader.exec('BEGIN')
    reader.prepare('SELECT count(*) FROM submissions').get()
    const statuses: number[] = []
    while (statuses.filter((status) => status === 503).length < 3) {
      const { body } = noisyEnvelope(upstream, 512 * 1024)
      statuses.push((await postEnvelope(collector, body)).status)
    }
    reader.close()
    expect(new Set(statuses)).toEqual(new Set([200, 503]))
    const { pending } = await client.storage()
    expect(pending.records).toBeGreaterThan(4)

    let posts = 0
    const back = createServer((request, response) => {
      request.resume()
      request.on('end', () => {
        posts += 1
        response.end('{}')
      })
    })
    await new Promise<void>((resolve) => back.listen(port, '127.0.0.1', resolve))
    await expect.poll(async () => (await client.storage()).pending.records, { timeout: 100_000 }).toBe(0)
    expect(posts).toBe(pending.records)
    back.closeAllConnections()
    back.close()
    expect(await collector.stop()).toBe(0)
    expect(isSound(disk)).toBe('ok')
  }, 180_000)

  it('the collector does not evict everything when another program fills the disk', async () => {
    const disk = smallDisk() ?? ''
    const collector = await startCollector({}, disk)
    const client = collectorClient(collector.url, fetch)
    for (let n = 0; n < 8; n += 1) await postEnvelope(collector, noisyEnvelope(collector.dsn, 512 * 1024).body)
    spawnSync('dd', ['if=/dev/zero', `of=${join(disk, 'hog')}`, 'bs=64k'])
    for (let n = 0; n < 20; n += 1) {
      const { status } = await postEnvelope(collector, noisyEnvelope(collector.dsn, 512 * 1024).body)
      expect([200, 503]).toContain(status)
      spawnSync('dd', ['if=/dev/zero', `of=${join(disk, `hog${n}`)}`, 'bs=64k'])
    }
    expect((await client.storage()).records).toBeGreaterThan(4)
    writeFileSync(join(disk, 'hog'), randomBytes(1))
    expect(await collector.stop()).toBe(0)
    expect(isSound(disk)).toBe('ok')
  }, 180_000)
})
