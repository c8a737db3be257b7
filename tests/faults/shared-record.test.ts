import { describe, inject, it, vi } from 'vitest'
import { createDatabase } from '../store/databases'
import { randomFrom } from './random'
import { clusterOfTest, type SharedCollector, setUpShared } from './shared-collectors'
import { figures } from './shared-oracle'
import { startStoreProxy } from './store-proxy'

const program = inject('faultsProgram')
/** `FAULT_SEED=7` generates other bodies. */
const SEED = Number(process.env.FAULT_SEED ?? 1)

/** A lease of a lane ends after 20 s, and other collectors ask for it every 5 s. */
const TAKEN_OVER_MS = 30_000
/** Twice as long as a lease. */
const STOPPED_MS = 40_000
/** On a machine that has other work. */
const LONGEST_MS = 300_000
/** Posts of one owner that may come again: 30 open ones, and 90 whose answer is not stored yet. */
const WINDOW = 120

// Most of the time both wait for leases and time limits.
describe.concurrent('collectors under load that share a record', { timeout: LONGEST_MS }, () => {
  it('lose nothing when the owner of a lane is stopped for 40 s, and the next one is killed', async ({
    skip,
    expect,
    onTestFinished,
  }) => {
    const cluster = await clusterOfTest({ skip, onTestFinished })
    await cluster.start()
    const store = await createDatabase(cluster.url())
    const shared = await setUpShared({
      program,
      draw: randomFrom(SEED),
      store,
      database: () => store,
      count: 3,
      // So that posts are open when their owner stops.
      slowMs: 400,
    })
    onTestFinished(shared.close)
    const { collectors, senders, upstream } = shared
    const firstOf = async (read: () => Promise<SharedCollector | null>) => {
      const since = performance.now()
      const owner = await vi.waitUntil(read, { interval: 100, timeout: LONGEST_MS })
      return { owner, tookMs: performance.now() - since }
    }
    const ownerAfter = (former: SharedCollector) =>
      firstOf(async () => {
        const owner = await shared.owner()
        return owner === former ? null : owner
      })
    const balanceOver = (of: typeof collectors): void => senders.setTargets(of.map(({ url }) => url))
    const { owner: stopped } = await firstOf(shared.lastingOwner)
    await senders.moreAcknowledged(150)
    await expect.poll(shared.openPosts).toBeGreaterThan(0)

    stopped.signal('SIGSTOP')
    const stoppedAt = performance.now()
    const others = collectors.filter((one) => one !== stopped)
    balanceOver(others)
    await senders.moreAcknowledged(20)
    const openAtStop = await shared.openPosts()
    const second = await ownerAfter(stopped)
    const arrived = upstream.arrivals.size
    await expect.poll(() => upstream.arrivals.size).toBeGreaterThan(arrived + 50)

    await second.owner.kill()
    const survivors = others.filter((one) => one !== second.owner)
    balanceOver(survivors)
    await senders.moreAcknowledged(20)
    const openAtKill = await shared.openPosts()
    const third = ownerAfter(second.owner)
    await expect
      .poll(() => performance.now() - stoppedAt, { timeout: STOPPED_MS + 5000 })
      .toBeGreaterThanOrEqual(STOPPED_MS)
    stopped.signal('SIGCONT')
    balanceOver([...survivors, stopped])
    const { tookMs } = await third
    await senders.moreAcknowledged(50)

    const result = await shared.finish()
    console.log(
      `owner stopped: taken over after ${seconds(second.tookMs)}, ${openAtStop} posts open; next one killed: after ${seconds(tookMs)}, ${openAtKill} open; ${figures(result)}`,
    )
    // Results of the owner that was stopped are refused.
    expect(result).toMatchObject({ broken: [], endings: [], lost: 0, settledTwice: 0 })
    expect(stopped.output).toMatch(/no lane could be renewed for 15 s|another collector relays to it now/)
    for (const takeover of [second.tookMs, tookMs]) expect(takeover).toBeLessThan(TAKEN_OVER_MS)
    for (const open of [openAtStop, openAtKill]) expect(open).toBeLessThanOrEqual(WINDOW)
    expect(result.duplicates).toBeLessThanOrEqual(2 * WINDOW)
  })

  it('lose nothing through a network that holds or cuts connections, and through crashes of PostgreSQL', async ({
    skip,
    expect,
    onTestFinished,
  }) => {
    const cluster = await clusterOfTest({ skip, onTestFinished })
    await cluster.start()
    const database = await createDatabase(cluster.url())
    const proxy = await startStoreProxy(database)
    onTestFinished(proxy.close)
    const shared = await setUpShared({
      program,
      draw: randomFrom(SEED + 1),
      store: proxy.url,
      database: () => database,
      count: 2,
    })
    onTestFinished(shared.close)
    const { senders } = shared
    await senders.moreAcknowledged(100)
    const faults: readonly (readonly [begin: () => unknown, end: () => unknown])[] = [
      [proxy.hold, proxy.release],
      [proxy.cut, proxy.restore],
      [() => cluster.stop('SIGQUIT'), () => cluster.start()],
      [() => cluster.stop('SIGKILL'), () => cluster.start()],
    ]
    for (const [begin, end] of faults) {
      await begin()
      await senders.nextRefusal()
      await end()
      await senders.moreAcknowledged(100)
    }
    const result = await shared.finish()
    console.log(`PostgreSQL away ${faults.length} times: ${senders.refused()} answers of 503; ${figures(result)}`)
    expect(result).toMatchObject({ broken: [], endings: [], lost: 0 })
    expect(result.duplicates).toBeLessThanOrEqual(faults.length * WINDOW)
  })
})

const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`
