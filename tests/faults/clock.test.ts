import { createHash, randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { afterEach, describe, expect, inject, it } from 'vitest'
import { errorEnvelope } from '../flow/envelopes'
import { retryWhileEvicting } from '../flow/retry-while-evicting'
import { freePort } from '../unit/tunnel/recording-collector'
import { randomFrom } from './random'
import { A_STACK, cleanUp, newTestFolder, type RunningCollector, temporaryFolder } from './test-folder'
import { startUpstream } from './upstream'

const DAY_MS = 24 * 60 * 60 * 1000

const program = inject('faultsProgram')
afterEach(cleanUp)

describe('a clock that is set', () => {
  it.each([
    ['a day ahead', DAY_MS + 1],
    ['a day back', -DAY_MS - 1],
  ])(
    '%s expires no pending record, neither at run time nor at a start',
    async (_name, jump) => {
      const port = await freePort()
      const clock = `${temporaryFolder()}/clock`
      writeFileSync(clock, '0')
      const env = {
        WAYSTATION_UPSTREAM: `http://oracle@127.0.0.1:${port}/1`,
        WAYSTATION_MAX_DISK: '16MB',
        FAULT_CLOCK: clock,
      }
      const testFolder = newTestFolder(program)
      const first = await testFolder.start(env)
      await first.fillBacklog(400_000)
      const { pending } = await first.client.storage()
      expect(pending.records).toBeGreaterThan(10)

      writeFileSync(clock, String(jump))
      // Only expired records could free enough space.
      expect(await postLarge(first, 6_000_000)).toBe(503)
      expect(await first.client.storage()).toMatchObject({
        pending: { records: pending.records },
        evicted: { expired: 0 },
      })
      expect((await first.stop()).code).toBe(0)
      writeFileSync(clock, String(2 * jump))
      const collector = await testFolder.start(env)
      expect(await postLarge(collector, 6_000_000)).toBe(503)
      const storage = await collector.client.storage()
      expect(storage.pending.records).toBe(pending.records)
      expect(storage.evicted.expired).toBe(0)

      const upstream = await startUpstream(randomFrom(1), 0, port)
      await expect.poll(async () => (await collector.client.storage()).pending.records, { timeout: 60_000 }).toBe(0)
      expect(upstream.arrivals.size).toBe(pending.records)
      expect((await collector.client.overview()).items.outcomes).toMatchObject({ accepted: pending.records })
      const { code, output } = await collector.stop()
      await upstream.close()
      expect(output).not.toMatch(A_STACK)
      expect(code).toBe(0)
    },
    240_000,
  )
})

describe('a clock that is set while envelopes are pending', () => {
  it.each([400, 3, -400])(
    '(%i days) changes no sent_at',
    async (days) => {
      const port = await freePort()
      const clock = `${temporaryFolder()}/clock`
      writeFileSync(clock, '0')
      const collector = await newTestFolder(program).start({
        WAYSTATION_UPSTREAM: `http://oracle@127.0.0.1:${port}/1`,
        FAULT_CLOCK: clock,
      })
      const sent = Array.from({ length: 20 }, () => errorEnvelope(`http://oracle@127.0.0.1:${port}/1`).body)
      for (const body of sent)
        expect((await fetch(`${collector.url}/tunnel`, { method: 'POST', body })).status).toBe(200)
      writeFileSync(clock, String(days * DAY_MS))
      const upstream = await startUpstream(randomFrom(1), 0, port)
      await expect.poll(async () => (await collector.client.storage()).pending.records, { timeout: 60_000 }).toBe(0)
      const hashes = sent.map((body) => createHash('sha256').update(body).digest('hex'))
      expect([...upstream.arrivals.keys()].sort()).toEqual(hashes.sort())
      expect((await collector.stop()).code).toBe(0)
      await upstream.close()
    },
    120_000,
  )
})

async function postLarge({ url, client }: RunningCollector, bytes: number): Promise<number> {
  const { localDsn } = await client.overview()
  const header = JSON.stringify({ type: 'attachment', length: bytes })
  const body = Buffer.concat([Buffer.from(`${JSON.stringify({ dsn: localDsn })}\n${header}\n`), randomBytes(bytes)])
  const post = () => fetch(`${url}/tunnel`, { method: 'POST', body: new Uint8Array(body) })
  return (await retryWhileEvicting(post)).status
}
