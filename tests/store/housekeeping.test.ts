import { describe, expect, it } from 'vitest'
import type { Answer } from '../../collector/spool-postgres/batch-writer'
import { StoreConnection } from '../../collector/spool-postgres/connection'
import { listPartitions } from '../../collector/spool-postgres/housekeeping/drop-partitions'
import { Housekeeping } from '../../collector/spool-postgres/housekeeping/housekeeping'
import { keptSubmission, submission } from '../unit/spool/in-process-spool'
import { closeKeptStores, HOUR_MS, type KeptStore, openKeptStore, server } from './housekeeping-store'

const ran = async (store: KeptStore): Promise<unknown> =>
  (await store.column(`SELECT value FROM waystation.counters WHERE name = 'ran_ms'`))[0]

/** Name of the collector that has the lease. */
const holder = (store: KeptStore): Promise<readonly unknown[]> =>
  store.column(
    `SELECT c.name FROM waystation.lanes l JOIN waystation.collectors c ON c.id = -l.owner WHERE public_key = ''`,
  )

/** One with a timer that only the test runs out. */
function openAlone(store: KeptStore, connection = new StoreConnection(store.url)) {
  const timers: { readonly work: () => void; readonly ms: number }[] = []
  const log: string[] = []
  const housekeeping = new Housekeeping({
    connection,
    member: { id: 1, check: async () => undefined },
    maxAgeMs: null,
    budgetBytes: null,
    write: async (): Promise<Answer> => null,
    now: () => store.clock.now,
    monotonic: () => store.clock.monotonic,
    startTimer: (work, ms) => {
      timers.push({ work, ms })
      return () => {
        timers.length = 0
      }
    },
    log: (line) => log.push(line),
  })
  return { housekeeping, connection, timers, log }
}

describe.skipIf('why' in server)('housekeeping of the shared record', () => {
  closeKeptStores()

  it('creates partitions for the newest number and the two ranges after it', async () => {
    const store = await openKeptStore()
    for (let records = 0; records < 20; records += 1) await store.append(keptSubmission())
    await store.runHousekeeping()
    expect((await listPartitions(store.connection)).map(({ p }) => p)).toEqual([0, 1, 2, 3, 4])
  })

  it('creates a partition once when two collectors need it', async () => {
    const store = await openKeptStore()
    const stores = [store, await store.openOther('second'), await store.openOther('third')]
    await store.column(
      'INSERT INTO waystation.commits (last, batch, collector, at) VALUES (100, gen_random_uuid(), 1, 1)',
    )
    await Promise.all(stores.map(({ connection }) => connection.query({ text: 'SELECT waystation.add_partition(9)' })))
    expect((await listPartitions(store.connection)).map(({ p }) => p)).toEqual([0, 1, 2, 9])
  })

  it('does each task when it is due', async () => {
    const store = await openKeptStore()
    await store.append(submission())
    await store.runHousekeeping()
    store.clock.now += 49 * HOUR_MS
    await store.append(submission())
    store.clock.monotonic += 10_000
    await store.runHousekeeping()
    expect(await store.column('SELECT count(*) FROM waystation.receipts')).toEqual([1])
    expect(await store.column('SELECT count(*) FROM waystation.ledger_totals')).toEqual([0])
    store.clock.monotonic += 50_000
    await store.runHousekeeping()
    expect(await store.column('SELECT count(*) FROM waystation.ledger_totals')).toEqual([2])
    expect(store.log).toEqual([])
  })

  it('runs at one collector, and at another after that one was closed', async () => {
    const store = await openKeptStore()
    const [first, second] = [await store.openOther('first'), await store.openOther('second')]
    await first.runHousekeeping()
    await second.runHousekeeping()
    expect(await holder(store)).toEqual(['first'])
    await first.close()
    await second.runHousekeeping()
    expect(await holder(store)).toEqual(['second'])
  })

  it('runs at another collector when the lease ended', async () => {
    const store = await openKeptStore()
    const [first, second] = [await store.openOther('first'), await store.openOther('second')]
    await first.runHousekeeping()
    await store.column(`UPDATE waystation.lanes SET until = now() - interval '1 second'`)
    await second.runHousekeeping()
    store.clock.monotonic += 10_000
    await first.runHousekeeping()
    expect(await holder(store)).toEqual(['second'])
    expect(await store.column('SELECT token FROM waystation.lanes')).toEqual([2])
  })

  it('counts running time of the holder only, and once', async () => {
    const store = await openKeptStore()
    const [first, second] = [await store.openOther('first'), await store.openOther('second')]
    await first.runHousekeeping()
    expect(await ran(store)).toBe(0)
    store.clock.monotonic += 10_000
    await Promise.all([first.runHousekeeping(), second.runHousekeeping()])
    expect(await ran(store)).toBe(10_000)
    store.clock.monotonic += 15_000
    await first.close()
    await second.runHousekeeping()
    expect(await ran(store)).toBe(10_000)
    store.clock.monotonic += 1000
    await second.runHousekeeping()
    expect(await ran(store)).toBe(11_000)
  })

  it('has a lease that is no lane of an upstream', async () => {
    const store = await openKeptStore({ lanes: 2 })
    await store.runHousekeeping()
    const upstreams = [{ publicKey: 'key', project: '1' }]
    for (const configured of [upstreams, upstreams, []])
      expect(JSON.stringify(await store.takeLanes(configured))).not.toContain('housekeeping')
    expect(await store.column(`SELECT count(*) FROM waystation.lanes WHERE owner > 0 AND public_key = 'key'`)).toEqual([
      2,
    ])
    expect(await holder(store)).toHaveLength(1)
  })

  it('joins calls during a run', async () => {
    const store = await openKeptStore()
    const { housekeeping, connection } = openAlone(store)
    const first = housekeeping.run()
    expect(housekeeping.run()).toBe(first)
    await first
    await connection.close()
  })

  it('runs at once and 10 s after each run, until it is stopped', async () => {
    const store = await openKeptStore()
    const { housekeeping, connection, timers } = openAlone(store)
    housekeeping.start()
    expect(timers).toEqual([])
    await expect.poll(() => timers).toMatchObject([{ ms: 10_000 }])
    store.clock.monotonic += 10_000
    timers.pop()?.work()
    await expect.poll(() => timers).toHaveLength(1)
    expect(await ran(store)).toBe(10_000)
    await housekeeping.stop()
    expect(timers).toEqual([])
    expect(await holder(store)).toEqual([])
    await connection.close()
  })

  it('starts no timer when it is stopped during a run', async () => {
    const store = await openKeptStore()
    const { housekeeping, connection, timers } = openAlone(store)
    housekeeping.start()
    await housekeeping.stop()
    await connection.close()
    expect(timers).toEqual([])
    expect(await holder(store)).toEqual([])
  })

  it('logs a failing task once, and does the others', async () => {
    const store = await openKeptStore()
    await store.column('ALTER TABLE waystation.limits RENAME TO renamed')
    const runs = async (): Promise<void> => {
      for (let times = 0; times < 2; times += 1) {
        store.clock.monotonic += 60_000
        await store.runHousekeeping()
      }
    }
    await runs()
    const line =
      'Housekeeping of the shared record could not delete ended limits, and will try again: relation "waystation.limits" does not exist'
    expect(store.log).toEqual([line])
    expect(await ran(store)).toBe(60_000)
    await store.column('ALTER TABLE waystation.renamed RENAME TO limits')
    await runs()
    await store.column('ALTER TABLE waystation.limits RENAME TO renamed')
    await runs()
    expect(store.log).toEqual([line, line])
  })

  it('logs once that the store is away', async () => {
    const store = await openKeptStore()
    const { housekeeping, connection, log } = openAlone(store)
    await connection.close()
    await housekeeping.run()
    await housekeeping.run()
    expect(log).toEqual([
      expect.stringMatching(/could not note that this collector runs, and will try again/),
      expect.stringMatching(/could not take the lease, and will try again: PostgreSQL at .* is away/),
    ])
  })
})
