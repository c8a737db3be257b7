import { afterAll, describe, expect, it } from 'vitest'
import { DiskFullError } from '../../../collector/runtime/sqlite-errors'
import { START_AT, STOP_AT } from '../../../collector/spool/budget-keeper'
import { EXPIRES_AFTER_MS } from '../../../collector/spool/evictor'
import type { Submission } from '../../../collector/spool/submission'
import { type InProcessSpool, kept, removeFolders, submission } from './in-process-spool'
import { CAP, keeperOf, PART, pass, seqsOf, station } from './station'

afterAll(removeFolders)

describe('room for what owes nothing', () => {
  it('is made of the oldest: use stays within the cap, the newest stay, and rows go with their records', async () => {
    const all = station({ rowBytes: PART / 20 })
    for (let n = 1; n <= 100; n += 1) {
      expect(await pass(all, kept({ size: PART }))).toBe(n)
      const { spool } = await all.spool.usage()
      expect(spool.used + all.rows.usage().used).toBeLessThanOrEqual(CAP)
    }
    const seqs = seqsOf(all.spool)
    expect(seqs.at(-1)).toBe(100)
    expect(seqs).toEqual(Array.from({ length: seqs.length }, (_, n) => 101 - seqs.length + n))
    expect(seqs.length).toBeGreaterThan(8)
    for (let seq = 1; seq <= 100; seq += 1) expect(all.rows.has(seq), String(seq)).toBe(seqs.includes(seq))
    expect((await all.spool.usage()).evicted.records).toBe(100 - seqs.length)
  })

  it('is made from 90 % of the cap on, a little more than is needed', async () => {
    const all = station()
    for (let n = 0; n < 13; n += 1) await pass(all, kept({ size: PART }))
    expect((await all.spool.usage()).spool.used).toBeLessThan(CAP * START_AT)
    await pass(all, kept({ size: PART }))
    await pass(all, kept({ size: PART }))
    await pass(all, kept({ size: 100 }))
    expect((await all.spool.usage()).spool.used).toBeLessThanOrEqual(CAP * STOP_AT)
  })

  it('is made of what is not digested too, which then never is', async () => {
    const { spool, rows, keeper } = station()
    for (let n = 0; n < 30; n += 1) expect(await keeper.appendWithEviction(kept({ size: PART }))).toHaveProperty('seq')
    const seqs = seqsOf(spool)
    expect(seqs.at(-1)).toBe(30)
    expect(rows.erased).toEqual([])
    expect(rows.passedOver).toEqual(Array.from({ length: 30 - seqs.length }, (_, n) => n + 1))
  })
})

describe('room that takes long to make', () => {
  it('is waited for no longer than a tunnel waits, and is made all the same', async () => {
    const { spool, rows } = station()
    let now = 0
    let isOpen = false
    const held: (() => void)[] = []
    const slow = {
      ...rows,
      erase: async () => {
        if (!isOpen) await new Promise<void>((resolve) => held.push(resolve))
      },
    }
    const keeper = keeperOf(spool, slow, CAP, () => now)
    for (let n = 0; n < 15; n += 1) expect(await keeper.appendWithEviction(kept({ size: PART }))).toHaveProperty('seq')
    const outcome = keeper.appendWithEviction(kept({ size: 3 * PART })).catch((error: Error) => error.message)
    await expect.poll(() => held.length).toBe(1)
    now = 4000
    expect(await outcome).toBe('eviction freed no disk space within 4 s')
    expect(seqsOf(spool)).toHaveLength(15)
    isOpen = true
    for (const goOn of held) goOn()
    await expect.poll(() => seqsOf(spool).length).toBeLessThan(15)
    expect(await keeper.appendWithEviction(kept({ size: 3 * PART }))).toHaveProperty('seq')
  })
})

describe('room in a backlog', () => {
  it('is made of its rows, and then of nothing: what is pending and younger than a day stays, and nothing goes for what would not fit beside it', async () => {
    const all = station({ rowBytes: PART / 3 })
    for (let n = 0; n < 11; n += 1) await pass(all, submission({ size: PART }))
    expect((await all.spool.usage()).evicted.rowsOnly).toBe(0)
    for (let n = 0; n < 5; n += 1) await pass(all, submission({ size: PART }))
    const { pending, evicted, overflow } = await all.spool.usage()
    expect({ pending: pending.records, overflow, expired: evicted.expired }).toEqual({
      pending: 11,
      overflow: 5,
      expired: 0,
    })
    expect(await pass(all, submission({ size: 6 * PART }))).toHaveProperty('needed')
    expect(all.keeper.isFull).toBe(true)
    expect((await all.spool.usage()).evicted.rowsOnly).toBe(evicted.rowsOnly)
    expect(await pass(all, submission({ size: 4 * PART }))).toEqual(expect.any(Number))
    expect(all.keeper.isFull).toBe(false)
    expect((await all.spool.usage()).pending.records).toBe(11)
    expect((await all.spool.usage()).evicted.rowsOnly).toBe(11)
  })

  it('is made of what overflowed before the rows of what is pending', async () => {
    const all = station({ rowBytes: PART / 10 })
    for (let n = 0; n < 40; n += 1) await pass(all, submission({ size: PART }))
    const { pending, evicted } = await all.spool.usage()
    expect({ pending: pending.records, rowsOnly: evicted.rowsOnly }).toEqual({ pending: 11, rowsOnly: 0 })
    expect(evicted.records).toBeGreaterThan(20)
  })

  it('is made at last of what is pending for more than a day of running time, which ends as expired', async () => {
    let ran = 0
    const all = station({ monotonic: () => ran })
    for (let n = 0; n < 11; n += 1) await pass(all, submission({ size: PART }))
    ran = EXPIRES_AFTER_MS
    expect(await pass(all, submission({ size: 6 * PART }))).toBe(12)
    const { evicted, pending } = await all.spool.usage()
    expect(evicted.expired).toBe(all.spool.booked('expired'))
    expect(evicted.expired + pending.records).toBe(12)
    expect(seqsOf(all.spool)).not.toContain(1)
  })
})

describe('what can never fit', () => {
  it('is refused, and nothing is evicted in vain', async () => {
    const all = station()
    for (let n = 0; n < 5; n += 1) await pass(all, kept({ size: PART }))
    expect(await pass(all, kept({ size: CAP }))).toMatchObject({ needed: expect.any(Number), exceedsCap: true })
    expect(seqsOf(all.spool)).toHaveLength(5)
    expect(all.keeper.isFull).toBe(false)
  })
})

describe('a disk that is full', () => {
  /** A spool whose disk takes so many bytes. */
  function onDiskOf(bytes: number, spool: InProcessSpool) {
    let released = false
    return {
      ...spool,
      append: async (one: Submission) => {
        if ((await spool.usage()).spool.used + one.body.length > bytes)
          throw new DiskFullError('database or disk is full')
        return spool.append(one)
      },
      freeDiskSpace: async () => {
        const wasThere = !released
        released = true
        return wasThere
      },
      allocateBallast: async () => false,
      isReleased: () => released,
    }
  }

  it('throws the ballast away and goes on with what it has, the oldest that owes nothing first', async () => {
    const { spool, rows } = station()
    const disk = onDiskOf(8 * PART, spool)
    const keeper = keeperOf(disk, rows, CAP)
    for (let n = 1; n <= 30; n += 1) {
      expect(await keeper.appendWithEviction(kept({ size: PART }))).toHaveProperty('seq', n)
      rows.digest(n)
    }
    expect(disk.isReleased()).toBe(true)
    expect(keeper.isDiskFull).toBe(true)
    expect(seqsOf(spool).at(-1)).toBe(30)
  })

  it('lets whatever else is written be done once more, with the room of the ballast where nothing may go', async () => {
    const { spool, rows } = station()
    const disk = onDiskOf(CAP, spool)
    const keeper = keeperOf(disk, rows, CAP)
    await keeper.appendWithEviction(submission({ size: PART }))
    let tries = 0
    const write = async (): Promise<string> => {
      tries += 1
      if (!disk.isReleased()) throw new DiskFullError('database or disk is full')
      return 'written'
    }
    expect(await keeper.writeWithEviction(write)).toBe('written')
    expect(tries).toBe(2)
    await expect(keeper.writeWithEviction(() => Promise.reject(new Error('a bug')))).rejects.toThrow('a bug')
  })

  it('lets who comes while room is made wait for it, and not take what is needed to make it', async () => {
    const { spool, rows } = station()
    const disk = onDiskOf(8 * PART, spool)
    let isThrown: () => void = () => undefined
    const thrown = new Promise<void>((resolve) => {
      isThrown = resolve
    })
    let tried = 0
    const append = async (one: Submission) => {
      tried += 1
      return disk.append(one)
    }
    const freeDiskSpace = async () => {
      await thrown
      return disk.freeDiskSpace()
    }
    const keeper = keeperOf({ ...disk, append, freeDiskSpace }, rows, CAP)
    for (let n = 1; n <= 7; n += 1) await keeper.appendWithEviction(kept({ size: PART }))
    const first = keeper.appendWithEviction(kept({ size: PART }))
    await expect.poll(() => tried).toBe(8)
    const second = keeper.appendWithEviction(kept({ size: 100 }))
    // Whatever is in line runs before what is asked for behind it.
    await spool.usage()
    expect(tried).toBe(8)
    isThrown()
    expect([await first, await second]).toMatchObject([{ seq: expect.any(Number) }, { seq: expect.any(Number) }])
  })

  it('stores nothing where nothing may go, and says so', async () => {
    const { spool, rows } = station()
    const keeper = keeperOf(onDiskOf(4 * PART, spool), rows, CAP)
    const first = await keeper.appendWithEviction(submission({ size: 3 * PART }))
    rows.digest('seq' in first ? first.seq : 0)
    for (let n = 0; n < 3; n += 1)
      await expect(keeper.appendWithEviction(submission({ size: 2 * PART }))).rejects.toThrow(/disk is full/)
    expect(seqsOf(spool)).toEqual([1])
  })
})
