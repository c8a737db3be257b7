import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { onceRoomIsMade } from '../flow/once-room-is-made'
import { freePort } from '../unit/tunnel/recording-collector'
import { type Bundle, bundleWithFaults } from './bundle-collector'
import { drawFrom } from './draw'
import { A_STACK, newStation, type RunningLife, temporaryFolder, tidy } from './station'
import { startUpstream } from './upstream'

const DAY_MS = 24 * 60 * 60 * 1000

let bundle: Bundle
beforeAll(async () => {
  bundle = await bundleWithFaults()
})
afterEach(tidy)
afterAll(() => bundle.remove())

describe('a clock that jumps', () => {
  it.each([
    ['a day ahead', DAY_MS + 1],
    ['a day back', -DAY_MS - 1],
  ])(
    '%s expires nothing of a backlog that needs room, running or at a start',
    async (_name, jump) => {
      const port = await freePort()
      const clock = `${temporaryFolder()}/clock`
      writeFileSync(clock, '0')
      const env = {
        WAYSTATION_UPSTREAM: `http://oracle@127.0.0.1:${port}/1`,
        WAYSTATION_MAX_DISK: '16MB',
        FAULT_CLOCK: clock,
      }
      const station = newStation(bundle.program)
      const first = await station.begin(env)
      // Beyond its share of the cap what comes is no longer pending: from then on room is made for each.
      await first.fill(60, 400_000)
      const { pending } = await first.client.storage()
      expect(pending.records).toBeGreaterThan(10)

      writeFileSync(clock, String(jump))
      await first.fill(30, 400_000)
      // More than all that owes nothing could make room for: only what is past due could go.
      expect(await postLarge(first, 6_000_000)).toBe(429)
      expect(await first.client.storage()).toMatchObject({
        pending: { records: pending.records },
        evicted: { expired: 0 },
      })
      expect((await first.stop()).code).toBe(0)
      writeFileSync(clock, String(2 * jump))
      const life = await station.begin(env)
      await life.fill(30, 400_000)
      expect(await postLarge(life, 6_000_000)).toBe(429)
      const storage = await life.client.storage()
      expect(storage.pending.records).toBe(pending.records)
      expect(storage.evicted.records).toBeGreaterThan(0)
      expect(storage.evicted.expired).toBe(0)

      const upstream = await startUpstream(drawFrom(1), 0, port)
      await expect.poll(async () => (await life.client.storage()).pending.records, { timeout: 60_000 }).toBe(0)
      expect(upstream.arrivals.size).toBe(pending.records)
      expect((await life.client.overview()).items.outcomes).toMatchObject({ accepted: pending.records })
      const { code, output } = await life.stop()
      await upstream.close()
      expect(output).not.toMatch(A_STACK)
      expect(code).toBe(0)
    },
    240_000,
  )
})

async function postLarge({ url, client }: RunningLife, bytes: number): Promise<number> {
  const { localDsn } = await client.overview()
  const header = JSON.stringify({ type: 'attachment', length: bytes })
  const body = Buffer.concat([Buffer.from(`${JSON.stringify({ dsn: localDsn })}\n${header}\n`), randomBytes(bytes)])
  const post = () => fetch(`${url}/tunnel`, { method: 'POST', body: new Uint8Array(body) })
  return (await onceRoomIsMade(post)).status
}
