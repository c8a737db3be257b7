import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { accepted, keptSubmission, submission } from '../unit/spool/in-process-spool'
import { closeKeptStores, HOUR_MS, type KeptStore, NOW, openKeptStore, server } from './housekeeping-store'

const KEY = { publicKey: '0123456789abcdef0123456789abcdef', project: '2', lane: 0 }

/** Records with two facts each, so 8 fill a partition. */
async function appendKept(store: KeptStore, records: number): Promise<void> {
  for (let n = 0; n < records; n += 1) await store.append(keptSubmission({ receivedAt: store.clock.now }))
}

const statesOf = async (store: KeptStore): Promise<readonly string[]> =>
  (await store.usage()).partitions.oldest.map(({ state }) => state)

describe.skipIf('why' in server)('the usage of the shared record', () => {
  closeKeptStores()

  it('has the size of the database, the range of the partitions and their oldest record', async () => {
    const store = await openKeptStore()
    await appendKept(store, 10)
    store.clock.now += HOUR_MS
    await appendKept(store, 5)
    const { bytes, partitions, budgetBytes, measuredAt } = await store.usage()
    const [size] = await store.column('SELECT pg_database_size(current_database())')
    // The server may write maps of free space at any time.
    expect(Math.abs(bytes - Number(size))).toBeLessThan(1_000_000)
    expect([budgetBytes, measuredAt]).toEqual([null, NOW + HOUR_MS])
    expect(partitions).toMatchObject({
      ...{ count: 3, first: 0, last: 47, oldestAt: NOW, waiting: 0 },
      oldest: [
        { first: 0, last: 15, oldestAt: NOW, newestAt: NOW, state: 'kept' },
        { first: 16, last: 31, oldestAt: NOW, newestAt: NOW + HOUR_MS, state: 'newest' },
        { oldestAt: null, newestAt: null, state: 'newest' },
      ],
    })
    expect(partitions.bytes).toBe(partitions.oldest.reduce((sum, one) => sum + one.bytes, 0))
    expect(partitions.bytes).toBeGreaterThan(0)
    expect(partitions.bytes).toBeLessThan(bytes)
  })

  it('says which partitions are too old, and which of them are held by a pending record', async () => {
    const store = await openKeptStore({ retention: { maxAgeMs: HOUR_MS, budgetBytes: null } })
    const pending = await store.append(submission({ receivedAt: NOW }))
    await appendKept(store, 20)
    store.clock.now += 2 * HOUR_MS
    await appendKept(store, 1)
    expect((await statesOf(store)).slice(0, 3)).toEqual(['held', 'due', 'newest'])
    expect((await store.usage()).partitions.waiting).toBe(2)
    await store.recordAttempt(accepted(Number('seq' in pending && pending.seq)))
    expect((await statesOf(store))[0]).toBe('due')
  })

  it('says which partition is dropped for the size', async () => {
    const store = await openKeptStore({ retention: { maxAgeMs: null, budgetBytes: 1 } })
    await appendKept(store, 20)
    expect((await statesOf(store)).slice(0, 2)).toEqual(['due', 'kept'])
    await store.runHousekeeping()
    expect((await store.usage()).partitions).toMatchObject({ first: 16 })
  })

  it('describes the ten oldest partitions, and counts all of them', async () => {
    const store = await openKeptStore()
    for (let p = 0; p < 12; p += 1) await store.column(`SELECT waystation.add_partition(${p})`)
    const { count, last, oldest } = (await store.usage()).partitions
    expect([count, last, oldest.length]).toEqual([12, 191, 10])
  })

  it('names a partition whose drop was interrupted, and needs none of its tables', async () => {
    const store = await openKeptStore()
    await appendKept(store, 20)
    await store.column('ALTER TABLE waystation.journal DETACH PARTITION waystation.journal_0')
    await store.column('DROP TABLE waystation.journal_0')
    expect((await statesOf(store)).slice(0, 2)).toEqual(['dropping', 'kept'])
  })

  it('names the owner of each lane and the collectors, and shows no whole key', async () => {
    const store = await openKeptStore()
    const [one, two] = await Promise.all(
      ['one', 'two'].map((name, at) => store.openOther(`${name} ${at + 41} ${randomUUID()}`)),
    )
    if (one === undefined || two === undefined) throw new TypeError('two stores were opened')
    const keys = [KEY, { ...KEY, project: '3' }, { ...KEY, project: '4' }]
    await Promise.all([one.takeLanes([KEY]), one.runHousekeeping()])
    await two.takeLanes(keys)
    const { lanes: taken } = await two.takeLanes(keys)
    const released = taken.find(({ project }) => project === '4')
    if (released !== undefined) await two.releaseLane(released)
    const usage = await one.usage()
    expect(JSON.stringify(usage)).not.toContain(KEY.publicKey)
    expect(usage.lanes.map(({ key, project, owner, isOwn }) => [key, project, owner, isOwn])).toEqual([
      ['0123…', '2', 'one 41', true],
      ['0123…', '3', 'two 42', false],
      ['0123…', '4', null, false],
    ])
    expect(usage.lanes[0]?.leaseMs).toBeGreaterThan(0)
    expect(usage.lanes[2]).toMatchObject({ leaseMs: null, freeMs: released === undefined ? null : expect.any(Number) })
    expect(usage.collectors.count).toBe(3)
    expect(usage.collectors.list.filter(({ isHousekeeper }) => isHousekeeper)).toMatchObject([
      { name: 'one 41', isOwn: true },
    ])
  })
})

describe.skipIf('why' in server)('the position of a mirror', () => {
  closeKeptStores()

  it('is compared with the newest number, and with the time of the first batch that it lacks', async () => {
    const store = await openKeptStore()
    expect(await store.position(0)).toEqual({ head: 0, missingSince: null })
    await appendKept(store, 1)
    const first = (await store.position(0)).head
    store.clock.now += 1000
    await appendKept(store, 1)
    store.clock.now += 1000
    await appendKept(store, 1)
    const { head } = await store.position(0)
    expect(await store.position(first)).toEqual({ head, missingSince: NOW + 1000 })
    expect(await store.position(head)).toEqual({ head, missingSince: null })
  })
})

describe.skipIf('why' in server)('the counts of a collector', () => {
  closeKeptStores()

  it('have batches with their writes, and connections that were opened and lost', async () => {
    const store = await openKeptStore()
    await Promise.all([0, 1, 2].map(() => store.append(keptSubmission())))
    const before = await store.counts()
    expect(before).toMatchObject({ writes: 3, repeated: 0 })
    expect(before.batches).toBeLessThanOrEqual(3)
    expect(before.connections.writing).toEqual({ opened: 1, failed: 0 })
    await store.column(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE datname = current_database() AND pid <> pg_backend_pid()`,
    )
    await store.append(keptSubmission())
    expect(await store.counts()).toMatchObject({ writes: 4, connections: { writing: { opened: 2, failed: 1 } } })
  })
})
