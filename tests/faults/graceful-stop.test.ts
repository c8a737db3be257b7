import { afterEach, describe, expect, inject, it } from 'vitest'
import { startClients } from './clients'
import { randomFrom } from './random'
import { readRecord } from './record'
import { cleanUp, startRun, temporaryFolder } from './test-folder'
import { startUpstream } from './upstream'

/** Longer than the relay's timeout, so that posts are open at the stop and stay open. */
const SLOWER_THAN_TIMEOUT_MS = 30_000
/** The collector allows itself 9 s; the rest is for the signal and the exit. */
const STOP_MS = 15_000

const program = inject('faultsProgram')
afterEach(cleanUp)

describe('a stop under load', () => {
  it.each([
    ['a quick upstream', 0],
    ['an upstream that does not answer', SLOWER_THAN_TIMEOUT_MS],
  ])('ends in time and loses nothing, with %s', async (_name, slowMs) => {
    const upstream = await startUpstream(randomFrom(1), slowMs)
    const clients = startClients(randomFrom(2), upstream.dsn)
    const folder = temporaryFolder()
    const env = { WAYSTATION_DATA: folder, WAYSTATION_PORT: '0', WAYSTATION_UPSTREAM: upstream.dsn }
    try {
      const life = startRun(program, env)
      clients.setTarget(await life.ready)
      await expect.poll(() => acknowledged(clients).length, { timeout: 20_000 }).toBeGreaterThan(100)
      const began = performance.now()
      life.end('SIGTERM')
      const { code } = await life.ended
      clients.setTarget(null)
      expect(performance.now() - began).toBeLessThan(STOP_MS)
      expect(life.output()).toBe('')
      expect(code).toBe(0)
      await clients.stop()
      const { stored, pending } = readRecord(folder)
      expect(acknowledged(clients).filter(({ id }) => !stored.has(id))).toEqual([])
      const undelivered = acknowledged(clients).filter(({ sha256 }) => !upstream.arrivals.has(sha256))
      expect(undelivered.filter(({ id }) => !pending.has(id))).toEqual([])
    } finally {
      await clients.stop()
      await upstream.close()
    }
  })
})

const acknowledged = (clients: ReturnType<typeof startClients>) =>
  [...clients.sent.values()].filter(({ result }) => result === 'acknowledged')
