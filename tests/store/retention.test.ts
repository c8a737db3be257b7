import { describe, expect, it } from 'vitest'
import { EXPIRES_AFTER_MS } from '../../collector/spool/disk/delete-records'
import { listPartitions } from '../../collector/spool-postgres/housekeeping/drop-partitions'
import { accepted, keptSubmission, submission } from '../unit/spool/in-process-spool'
import { closeKeptStores, HOUR_MS, type KeptStore, NOW, openKeptStore, server } from './housekeeping-store'

const MAX_AGE = { maxAgeMs: HOUR_MS, budgetBytes: null }

/** A budget that any database exceeds, and one that it never fills to 90 %. */
const TINY = { maxAgeMs: null, budgetBytes: 1 }
const HUGE = { maxAgeMs: null, budgetBytes: 2 ** 40 }

const partitions = async (store: KeptStore): Promise<readonly number[]> =>
  (await listPartitions(store.connection)).map(({ p }) => p)

/** Records with two facts each, so 8 fill a partition. */
async function appendKept(store: KeptStore, records: number): Promise<void> {
  for (let n = 0; n < records; n += 1) await store.append(keptSubmission({ receivedAt: store.clock.now }))
}

const addRunningTime = (store: KeptStore, ms: number): Promise<unknown> =>
  store.column(`UPDATE waystation.counters SET value = value + ${ms} WHERE name = 'ran_ms'`)

const outcomes = (store: KeptStore): Promise<readonly unknown[]> =>
  store.column(`SELECT entry || ' ' || reason || ' ' || sum(quantity)
    FROM (SELECT entry, reason, quantity FROM waystation.totals_added
      UNION ALL SELECT entry, reason, quantity FROM waystation.ledger_totals) AS totals
    WHERE entry NOT IN ('received', 'kept') GROUP BY entry, reason HAVING sum(quantity) <> 0 ORDER BY 1`)

const facts = (store: KeptStore, seq: number): Promise<readonly unknown[]> =>
  store.column(`SELECT kind FROM waystation.journal WHERE seq = ${seq} ORDER BY n`)

/** Another run, later than the interval of every task. */
async function runAgain(store: KeptStore): Promise<void> {
  store.clock.monotonic += 60_000
  await store.runHousekeeping()
}

describe.skipIf('why' in server)('retention of the shared record', () => {
  closeKeptStores()

  it('keeps everything without limits', async () => {
    const store = await openKeptStore()
    await appendKept(store, 20)
    store.clock.now += 10_000 * HOUR_MS
    await runAgain(store)
    expect(await partitions(store)).toEqual([0, 1, 2, 3, 4])
    expect(store.log).toEqual([])
  })

  it('drops partitions when all their records are older than the maximum age', async () => {
    const store = await openKeptStore({ retention: MAX_AGE })
    await appendKept(store, 20)
    store.clock.now += HOUR_MS / 2
    await appendKept(store, 1)
    store.clock.now += HOUR_MS / 2 + 1
    await runAgain(store)
    // Numbers 32 to 42: the last was received half an hour ago.
    expect(await partitions(store)).toEqual([2, 3, 4])
    expect(await store.column('SELECT min(n) FROM waystation.journal')).toEqual([32])
    expect(store.log).toEqual([
      'Dropped records 0 to 15 of the shared record: all of them are older than the maximum age.',
      'Dropped records 16 to 31 of the shared record: all of them are older than the maximum age.',
    ])
  })

  it('never drops the newest partition', async () => {
    const store = await openKeptStore({ retention: { maxAgeMs: 1, budgetBytes: 1 } })
    await appendKept(store, 1)
    store.clock.now += 1000 * HOUR_MS
    await runAgain(store)
    expect(await partitions(store)).toEqual([0, 1, 2])
  })

  it('keeps a partition with a record that was received in the future, by a wrong clock', async () => {
    const store = await openKeptStore({ retention: MAX_AGE })
    await appendKept(store, 7)
    await store.append(keptSubmission({ receivedAt: NOW + 2 * HOUR_MS }))
    await appendKept(store, 8)
    store.clock.now += HOUR_MS + 1
    await runAgain(store)
    expect(await partitions(store)).toContain(0)
  })

  it('drops one partition for each run at 90 % of the budget, and refuses appends at 100 %', async () => {
    const store = await openKeptStore({ retention: TINY })
    await appendKept(store, 20)
    expect(await store.isFull()).toBe(false)
    await store.runHousekeeping()
    expect(await store.isFull()).toBe(true)
    expect(await store.append(submission({ size: 50 }))).toEqual({ needed: 50, storeFull: true })
    expect(await partitions(store)).toEqual([1, 2, 3, 4])
    await runAgain(store)
    expect(await partitions(store)).toEqual([2, 3, 4])
    await runAgain(store)
    expect(await partitions(store)).toEqual([2, 3, 4])

    const roomy = await store.openOther('roomy')
    expect(await roomy.append(submission())).toMatchObject({ seq: 41 })
  })

  it('measures the size without the lease, too', async () => {
    const store = await openKeptStore({ retention: TINY })
    const other = await store.openOther('other')
    await store.runHousekeeping()
    await other.runHousekeeping()
    expect(await other.isFull()).toBe(true)
  })

  it('drops nothing below 90 % of the budget', async () => {
    const store = await openKeptStore({ retention: HUGE })
    await appendKept(store, 20)
    await runAgain(store)
    expect(await store.isFull()).toBe(false)
    expect(await partitions(store)).toEqual([0, 1, 2, 3, 4])
  })

  it('keeps a partition with a pending record, and ends none in it before all have expired', async () => {
    const store = await openKeptStore({ retention: TINY })
    await store.append(submission())
    await addRunningTime(store, EXPIRES_AFTER_MS)
    await store.append(submission())
    await appendKept(store, 20)
    await store.runHousekeeping()
    await runAgain(store)
    expect(await store.countPending('key', '1')).toEqual({ pending: 2, deadLetters: 0 })
    expect(await outcomes(store)).toEqual(['pending  2'])
    expect(store.log.filter((line) => line.startsWith('Keeps'))).toEqual([
      expect.stringMatching(
        /^Keeps records 0 to 15 of the shared record, although .*: 1 of them are pending or dead letters\.$/,
      ),
    ])
  })

  it('drops the contents of later partitions while a young pending record keeps the oldest', async () => {
    const store = await openKeptStore({ retention: TINY })
    await store.append(submission())
    await appendKept(store, 20)
    await store.runHousekeeping()
    await runAgain(store)
    await runAgain(store)
    expect(await partitions(store)).toEqual([0, 1, 2, 3, 4])
    expect(await store.column('SELECT seq FROM waystation.records WHERE seq >= 16')).toEqual([32, 34, 36, 38, 40])
    expect(store.log).toEqual([
      expect.stringMatching(/^Keeps records 0 to 15 /),
      expect.stringMatching(/^Dropped records 16 to 31 .*, and older records are pending; their facts stay\.$/),
    ])
    // A mirror reads all facts, and the records that are left.
    const page = await store.follow({ n: 0, batch: null }, 1000)
    expect(page?.facts.map(({ n }) => n)).toEqual(Array.from({ length: 41 }, (_, n) => n + 1))
    await addRunningTime(store, EXPIRES_AFTER_MS)
    await runAgain(store)
    await runAgain(store)
    await runAgain(store)
    expect(await partitions(store)).toEqual([2, 3, 4])
  })

  it('expires pending records in the way after 24 h of running time', async () => {
    const store = await openKeptStore({ retention: TINY })
    await store.append(submission({ stamp: 'one' }))
    await store.append(submission())
    await appendKept(store, 20)
    await addRunningTime(store, EXPIRES_AFTER_MS)
    await store.append(submission())
    await store.runHousekeeping()
    expect(await outcomes(store)).toEqual(['expired undelivered_for_24_h 2', 'pending  1'])
    expect(await facts(store, 1)).toEqual(['received', 'decided'])
    expect(await store.countPending('key', '1')).toEqual({ pending: 1, deadLetters: 0 })
    expect(await partitions(store)).toContain(0)
    expect(await store.column('SELECT seq FROM waystation.outcomes WHERE seq IN (1, 2)')).toEqual([1, 2])
    await runAgain(store)
    expect(await partitions(store)).not.toContain(0)
    // Its result comes too late, and changes nothing.
    await store.recordAttempt(accepted(1))
    expect(await outcomes(store)).toEqual(['expired undelivered_for_24_h 2', 'pending  1'])
  })

  it('expires them after the maximum age if that is longer', async () => {
    const store = await openKeptStore({ retention: { maxAgeMs: 3 * EXPIRES_AFTER_MS, budgetBytes: null } })
    await store.append(submission())
    await appendKept(store, 20)
    store.clock.now += 4 * EXPIRES_AFTER_MS
    await addRunningTime(store, 2 * EXPIRES_AFTER_MS)
    await runAgain(store)
    expect(await store.countPending('key', '1')).toEqual({ pending: 1, deadLetters: 0 })
    await addRunningTime(store, EXPIRES_AFTER_MS)
    await runAgain(store)
    expect(await outcomes(store)).toEqual(['expired undelivered_for_24_h 1'])
    await runAgain(store)
    expect(await partitions(store)).not.toContain(0)
  })

  it('ends dead letters in the way as invalid, with the status of their refusal', async () => {
    const store = await openKeptStore({ retention: TINY })
    await store.append(submission())
    await store.recordAttempt(accepted(1, { status: 413, dead: true, decision: null }))
    await appendKept(store, 20)
    await store.runHousekeeping()
    expect(await outcomes(store)).toEqual(['invalid upstream_413 1'])
    expect(await store.deadSeqs()).toEqual([])
    await runAgain(store)
    expect(await partitions(store)).not.toContain(0)
  })

  it('ends more records than one batch takes', async () => {
    const store = await openKeptStore({ retention: TINY, partitionNumbers: 1024 })
    for (let batch = 0; batch < 5; batch += 1)
      await Promise.all(Array.from({ length: 240 }, () => store.append(submission({ size: 1 }))))
    await addRunningTime(store, EXPIRES_AFTER_MS)
    await store.runHousekeeping()
    expect(await outcomes(store)).toEqual(['expired undelivered_for_24_h 1023', 'pending  177'])
    await runAgain(store)
    expect(await partitions(store)).not.toContain(0)
  })

  it('answers the receipt of a dropped record as stored', async () => {
    const store = await openKeptStore({ retention: MAX_AGE })
    const first = keptSubmission()
    await store.append(first)
    await appendKept(store, 8)
    store.clock.now += HOUR_MS + 1
    await runAgain(store)
    expect(await partitions(store)).not.toContain(0)
    expect(await store.append(first)).toMatchObject({ seq: 1 })
  })
})
