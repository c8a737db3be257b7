import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterAll, describe, expect, it } from 'vitest'
import { collectorClient } from '../../lib/wire/collector-client'
import { endCollectors, postEnvelope, startCollector } from './collector-process'
import { noisyEnvelope } from './envelopes'
import { postWhileEvicting } from './retry-while-evicting'

afterAll(endCollectors)

const MiB = 1024 * 1024
/** An answer that waited for the reader would take longer. */
const PROMPT_MS = 3000

describe('a read transaction on spool.db in another program', () => {
  it('delays no request; the log grows, readiness names the cause, and the log shrinks when the read ends', async () => {
    const collector = await startCollector()
    const storage = () => collectorClient(collector.url, fetch).storage()
    const ready = async (): Promise<string> => (await fetch(`${collector.url}/health/ready`)).text()
    await postEnvelope(collector, noisyEnvelope(collector.dsn, 1000).body)

    const other = new Database(join(collector.folder, 'spool.db'), { readonly: true })
    other.exec('BEGIN')
    other.prepare('SELECT count(*) FROM submissions').get()
    for (let n = 0; n < 80; n += 1) {
      const begun = performance.now()
      const answer = await postEnvelope(collector, noisyEnvelope(collector.dsn, 900 * 1024).body)
      expect(answer.status).toBe(200)
      expect(performance.now() - begun).toBeLessThan(PROMPT_MS)
    }
    expect((await storage()).spool.wal).toBeGreaterThan(40 * MiB)
    expect((await storage()).trouble).toMatch(/another program has been reading spool\.db since .*lsof/)
    expect(await ready()).toMatch(/its log has grown to/)

    other.close()
    await expect.poll(async () => (await storage()).spool.wal).toBeLessThanOrEqual(16 * MiB)
    await expect.poll(async () => (await storage()).trouble).toBeNull()
    await expect.poll(ready).toContain('"ready"')
  })

  it('causes 503 when the logs exceed the disk budget by 64 MiB, until the read ends', async () => {
    const collector = await startCollector({ WAYSTATION_MAX_DISK: '16MiB' })
    const other = new Database(join(collector.folder, 'spool.db'), { readonly: true })
    other.exec('BEGIN')
    other.prepare('SELECT count(*) FROM submissions').get()
    const statuses: number[] = []
    while (statuses.at(-1) !== 503 && statuses.length < 300)
      statuses.push((await postWhileEvicting(collector, noisyEnvelope(collector.dsn, 900 * 1024).body)).status)
    expect(new Set(statuses)).toEqual(new Set([200, 503]))
    const { used, spool, rows } = await collectorClient(collector.url, fetch).storage()
    expect(used + spool.wal + rows.wal).toBeLessThan((16 + 64 + 4) * MiB)
    other.close()
    await expect
      .poll(async () => (await postEnvelope(collector, noisyEnvelope(collector.dsn, 1000).body)).status, {
        timeout: 60_000,
      })
      .toBe(200)
  }, 180_000)
})
