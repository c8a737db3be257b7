import { describe, expect, it } from 'vitest'
import type { StorageReport } from '../../../collector/spool/disk/storage'
import { StoreAwayError } from '../../../collector/spool-postgres/store-away'
import { createStoreReport, withStore } from '../../../collector/spool-postgres/store-report'
import type { Store, StoreUsage } from '../../../lib/wire/store'
import { storeSchema } from '../../../lib/wire/store'
import { EMPTY_STORAGE } from '../cli/sample-storage'
import { STORE, STORE_AWAY, USAGE } from '../cli/sample-store'

const AWAY = new StoreAwayError('db/waystation', 'connect ECONNREFUSED')

/** A report on a store whose answers the test gives; its clock moves only by hand. */
function setUp(mirrored: number | null = 100) {
  const clock = { ms: 0 }
  const measured: number[] = []
  const answers = {
    usage: async (): Promise<StoreUsage> => USAGE,
    position: async (_mirrored: number) => ({ head: 100, missingSince: null as number | null }),
  }
  const describeStore = createStoreReport({
    place: 'db/waystation',
    store: {
      usage: () => {
        measured.push(clock.ms)
        return answers.usage()
      },
      position: (at) => answers.position(at),
      counts: async () => STORE.counts,
    },
    mirrored: async () => mirrored,
    now: () => 5000 + clock.ms,
    monotonic: () => clock.ms,
  })
  return { clock, measured, answers, describeStore }
}

describe('the description of a shared record', () => {
  it('has the sizes, the lanes by owner, and a copy that is complete', async () => {
    const { describeStore } = setUp()
    expect(storeSchema.parse(await describeStore())).toEqual({
      ...{ place: 'db/waystation', away: null, usage: USAGE, unmeasured: null, counts: STORE.counts },
      mirror: { head: 100, missing: 0, lagMs: 0 },
      lanes: { own: 1, others: 1, free: 1 },
    })
  })

  it('counts the facts that the copy lacks, and the time since the first of them', async () => {
    const { describeStore, answers } = setUp(90)
    answers.position = async (mirrored) => ({ head: mirrored + 1204, missingSince: 1800 })
    expect((await describeStore()).mirror).toEqual({ head: 90, missing: 1204, lagMs: 3200 })
    // The clock of the collector that stored it is ahead.
    answers.position = async (mirrored) => ({ head: mirrored + 1, missingSince: 9000 })
    expect((await describeStore()).mirror).toEqual({ head: 90, missing: 1, lagMs: 0 })
  })

  it('has no copy at a collector without one', async () => {
    expect(await setUp(null).describeStore()).not.toHaveProperty('mirror')
  })

  it('measures at most every 10 s, once for all who ask, and answers with the last sizes meanwhile', async () => {
    const { clock, measured, answers, describeStore } = setUp()
    await Promise.all([describeStore(), describeStore()])
    clock.ms = 9999
    await describeStore()
    expect(measured).toEqual([0])
    clock.ms = 10_000
    let finish: (usage: StoreUsage) => void = () => undefined
    answers.usage = () =>
      new Promise((resolve) => {
        finish = resolve
      })
    expect((await describeStore()).usage).toBe(USAGE)
    expect((await describeStore()).usage).toBe(USAGE)
    expect(measured).toEqual([0, 10_000])
    finish({ ...USAGE, bytes: 7 })
    await expect.poll(async () => (await describeStore()).usage?.bytes).toBe(7)
  })

  it('names the store that is away, and keeps the last sizes', async () => {
    const { clock, answers, describeStore } = setUp()
    await describeStore()
    clock.ms = 20_000
    answers.usage = () => Promise.reject(AWAY)
    answers.position = () => Promise.reject(AWAY)
    expect(await describeStore()).toMatchObject({
      ...{ away: AWAY.message, usage: USAGE, unmeasured: null },
      mirror: { head: 100, missing: null, lagMs: null },
    })
  })

  it('reports a measurement that the server refused, and repeats it', async () => {
    const { clock, answers, describeStore } = setUp()
    answers.usage = () => Promise.reject(new Error('canceling statement due to lock timeout'))
    expect(await describeStore()).toMatchObject({
      usage: null,
      lanes: null,
      unmeasured: 'canceling statement due to lock timeout',
    })
    clock.ms = 10_000
    answers.usage = async () => USAGE
    expect(await describeStore()).toMatchObject({ usage: USAGE, unmeasured: null })
  })

  it('rejects with an error that is not about the connection', async () => {
    const { answers, describeStore } = setUp()
    answers.position = () => Promise.reject(new Error('permission denied'))
    await expect(describeStore()).rejects.toThrow('permission denied')
  })
})

describe('the storage of a shared record', () => {
  const storageOf = async (store: Store, local: Partial<StorageReport['status']> = {}): Promise<StorageReport> =>
    withStore(
      async () => ({
        status: { ...EMPTY_STORAGE, ...local },
        copies: 0,
        notReady: local.trouble ? [local.trouble] : [],
      }),
      async () => store,
    )()

  it('has no problem with space, whatever the copy evicts', async () => {
    const { status, notReady } = await storageOf(STORE, { state: 'evicting' })
    expect([status.state, status.trouble, notReady, status.store]).toEqual(['ok', null, [], STORE])
  })

  it('is not ready while the store is away, and keeps the problems of the copy', async () => {
    const { status, notReady } = await storageOf(STORE_AWAY, { trouble: 'the disk is full' })
    expect(notReady).toEqual([expect.stringMatching(/is away: .*refused with 503/), 'the disk is full'])
    expect(status.trouble).toMatch(/is away: .*\. the disk is full$/)
  })

  it('is full at the budget of the database, with the remedy', async () => {
    const { status, notReady } = await storageOf({ ...STORE, usage: { ...USAGE, bytes: 100_000_000 } })
    expect(status.state).toBe('full')
    expect(notReady).toEqual([expect.stringMatching(/^the database has 95\.4 MiB .*raise WAYSTATION_STORE_SIZE/)])
  })

  it('evicts while a partition is to be dropped that nothing holds', async () => {
    const [first, ...others] = USAGE.partitions.oldest
    if (first === undefined) throw new TypeError('the sample has partitions')
    const partitions = { ...USAGE.partitions, oldest: [{ ...first, state: 'due' as const }, ...others] }
    expect((await storageOf({ ...STORE, usage: { ...USAGE, partitions } })).status.state).toBe('evicting')
  })
})
