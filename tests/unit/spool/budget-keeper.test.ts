import { afterAll, describe, expect, it } from 'vitest'
import { DiskFullError } from '../../../collector/runtime/sqlite-errors'
import { START_AT, STOP_AT } from '../../../collector/spool/disk/budget-keeper'
import { EXPIRES_AFTER_MS } from '../../../collector/spool/disk/delete-records'
import type { Submission } from '../../../lib/protocol/submission'
import { type InProcessSpool, keptSubmission, removeFolders, submission } from './in-process-spool'
import { appendAndDigest, CAP, keeperOf, PART, seqsOf, station } from './station'

afterAll(removeFolders)

describe('eviction of settled records', () => {
  it('evicts the oldest with their rows, and keeps the bytes in use below the cap', async () => {
    const all = station({ rowBytes: PART / 20 })
    for (let n = 1; n <= 100; n += 1) {
      expect(await appendAndDigest(all, keptSubmission({ size: PART }))).toBe(n)
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

  it('starts at 90 % of the cap and frees a little more than needed', async () => {
    const all = station()
    for (let n = 0; n < 13; n += 1) await appendAndDigest(all, keptSubmission({ size: PART }))
    expect((await all.spool.usage()).spool.used).toBeLessThan(CAP * START_AT)
    await appendAndDigest(all, keptSubmission({ size: PART }))
    await expect.poll(async () => (await all.spool.usage()).spool.used).toBeLessThanOrEqual(CAP * STOP_AT)
  })

  it('evicts records that are not digested yet, which then never are', async () => {
    const { spool, rows, keeper } = station()
    for (let n = 0; n < 30; n += 1)
      expect(await keeper.appendWithEviction(keptSubmission({ size: PART }))).toHaveProperty('seq')
    const seqs = seqsOf(spool)
    expect(seqs.at(-1)).toBe(30)
    expect(rows.erased).toEqual([])
    expect(rows.passedOver).toEqual(Array.from({ length: 30 - seqs.length }, (_, n) => n + 1))
  })
})

it('slow eviction rejects the append before the timeout of the tunnel, and continues', async () => {
  const { spool, rows } = station()
  let now = 0
  let isOpen = false
  const waiting: (() => void)[] = []
  const slow = {
    ...rows,
    erase: async () => {
      if (!isOpen) await new Promise<void>((resolve) => waiting.push(resolve))
    },
  }
  const keeper = keeperOf(spool, slow, CAP, () => now)
  for (let n = 0; n < 14; n += 1)
    expect(await keeper.appendWithEviction(keptSubmission({ size: PART }))).toHaveProperty('seq')
  const outcome = keeper.appendWithEviction(keptSubmission({ size: 3 * PART })).catch((error: Error) => error.message)
  await expect.poll(() => waiting.length).toBe(1)
  now = 4000
  expect(await outcome).toBe('eviction freed no disk space within 4 s')
  expect(seqsOf(spool)).toHaveLength(14)
  isOpen = true
  for (const resume of waiting) resume()
  await expect.poll(() => seqsOf(spool).length).toBeLessThan(14)
  expect(await keeper.appendWithEviction(keptSubmission({ size: 3 * PART }))).toHaveProperty('seq')
})

describe('eviction from a backlog', () => {
  it('evicts only the rows of pending records younger than a day, and nothing for a submission that would not fit', async () => {
    const all = station({ rowBytes: PART / 3 })
    for (let n = 0; n < 11; n += 1) await appendAndDigest(all, submission({ size: PART }))
    expect((await all.spool.usage()).evicted.rowsOnly).toBe(0)
    for (let n = 0; n < 5; n += 1)
      expect(await appendAndDigest(all, submission({ size: PART }))).toMatchObject({ backlogFull: true })
    const { pending, evicted } = await all.spool.usage()
    expect({ pending: pending.records, expired: evicted.expired }).toEqual({ pending: 11, expired: 0 })
    expect(await appendAndDigest(all, keptSubmission({ size: 6 * PART }))).toHaveProperty('needed')
    expect(all.keeper.isFull).toBe(true)
    expect((await all.spool.usage()).evicted.rowsOnly).toBe(evicted.rowsOnly)
    expect(await appendAndDigest(all, keptSubmission({ size: 3 * PART }))).toEqual(expect.any(Number))
    expect(all.keeper.isFull).toBe(false)
    expect((await all.spool.usage()).pending.records).toBe(11)
    expect((await all.spool.usage()).evicted.rowsOnly).toBe(11)
  })

  it('evicts settled records before rows of pending records', async () => {
    const all = station({ rowBytes: PART / 10 })
    for (let n = 0; n < 11; n += 1) await appendAndDigest(all, submission({ size: PART }))
    for (let n = 0; n < 29; n += 1) await appendAndDigest(all, keptSubmission({ size: PART }))
    const { pending, evicted } = await all.spool.usage()
    expect({ pending: pending.records, rowsOnly: evicted.rowsOnly }).toEqual({ pending: 11, rowsOnly: 0 })
    expect(evicted.records).toBeGreaterThan(20)
  })

  it('evicts records that are pending for more than a day of running time last, with the outcome expired', async () => {
    let ran = 0
    const all = station({ monotonic: () => ran })
    for (let n = 0; n < 11; n += 1) await appendAndDigest(all, submission({ size: PART }))
    ran = EXPIRES_AFTER_MS
    expect(await appendAndDigest(all, submission({ size: 6 * PART }))).toBe(12)
    const { evicted, pending } = await all.spool.usage()
    expect(evicted.expired).toBe(all.spool.quantityOf('expired'))
    expect(evicted.expired + pending.records).toBe(12)
    expect(seqsOf(all.spool)).not.toContain(1)
  })
})

it('a submission larger than the cap is refused without evicting anything', async () => {
  const all = station()
  for (let n = 0; n < 5; n += 1) await appendAndDigest(all, keptSubmission({ size: PART }))
  expect(await appendAndDigest(all, keptSubmission({ size: CAP }))).toMatchObject({
    needed: expect.any(Number),
    exceedsCap: true,
  })
  expect(seqsOf(all.spool)).toHaveLength(5)
  expect(all.keeper.isFull).toBe(false)
})

describe('on a full disk, the keeper', () => {
  /** A spool on a disk that holds this many bytes. */
  function onDiskOf(bytes: number, spool: InProcessSpool) {
    let isReleased = false
    return {
      ...spool,
      append: async (one: Submission) => {
        if ((await spool.usage()).spool.used + one.body.length > bytes)
          throw new DiskFullError('database or disk is full')
        return spool.append(one)
      },
      freeDiskSpace: async () => {
        const existed = !isReleased
        isReleased = true
        return existed
      },
      allocateBallast: async () => false,
      isReleased: () => isReleased,
    }
  }

  it('releases the ballast and continues with the space in use, evicting the oldest settled records', async () => {
    const { spool, rows } = station()
    const disk = onDiskOf(8 * PART, spool)
    const keeper = keeperOf(disk, rows, CAP)
    for (let n = 1; n <= 30; n += 1) {
      expect(await keeper.appendWithEviction(keptSubmission({ size: PART }))).toHaveProperty('seq', n)
      rows.digest(n)
    }
    expect(disk.isReleased()).toBe(true)
    expect(keeper.isDiskFull).toBe(true)
    expect(seqsOf(spool).at(-1)).toBe(30)
  })

  it('runs a failed write again after it released the ballast', async () => {
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

  it('defers appends while it frees space', async () => {
    const { spool, rows } = station()
    const disk = onDiskOf(8 * PART, spool)
    let release: () => void = () => undefined
    const released = new Promise<void>((resolve) => {
      release = resolve
    })
    let tried = 0
    const append = async (one: Submission) => {
      tried += 1
      return disk.append(one)
    }
    const freeDiskSpace = async () => {
      await released
      return disk.freeDiskSpace()
    }
    const keeper = keeperOf({ ...disk, append, freeDiskSpace }, rows, CAP)
    for (let n = 1; n <= 7; n += 1) await keeper.appendWithEviction(keptSubmission({ size: PART }))
    const first = keeper.appendWithEviction(keptSubmission({ size: PART }))
    await expect.poll(() => tried).toBe(8)
    const second = keeper.appendWithEviction(keptSubmission({ size: 100 }))
    // A call that was queued before this one has run by now.
    await spool.usage()
    expect(tried).toBe(8)
    release()
    expect([await first, await second]).toMatchObject([{ seq: expect.any(Number) }, { seq: expect.any(Number) }])
  })

  it('rejects appends when no record may be evicted', async () => {
    const { spool, rows } = station()
    const keeper = keeperOf(onDiskOf(4 * PART, spool), rows, CAP)
    const first = await keeper.appendWithEviction(submission({ size: 3 * PART }))
    rows.digest('seq' in first ? first.seq : 0)
    for (let n = 0; n < 3; n += 1)
      await expect(keeper.appendWithEviction(submission({ size: 2 * PART }))).rejects.toThrow(/disk is full/)
    expect(seqsOf(spool)).toEqual([1])
  })
})

describe('the maximum age', () => {
  const DAY_MS = EXPIRES_AFTER_MS

  /** A station whose records are received at the times of `clock`. */
  function aging(maxAgeMs: number) {
    const clock = { now: 100 * DAY_MS, ran: 0 }
    const all = station({ maxAgeMs, now: () => clock.now, monotonic: () => clock.ran })
    const receive = async (one: (given: object) => Submission) => {
      const given = await all.keeper.appendWithEviction(one({ receivedAt: clock.now }))
      if ('seq' in given) all.rows.digest(given.seq)
    }
    const pass = (ms: number) => {
      clock.now += ms
      clock.ran += ms
    }
    return { ...all, clock, receive, pass }
  }

  it('deletes delivered records with their rows, and counts them apart', async () => {
    const { spool, rows, keeper, receive, pass } = aging(7 * DAY_MS)
    for (let n = 0; n < 250; n += 1) await receive(keptSubmission)
    pass(6 * DAY_MS)
    await receive(keptSubmission)
    keeper.start()
    pass(DAY_MS)
    await expect.poll(() => seqsOf(spool)).toHaveLength(251)
    pass(1)
    pass(60_000)
    await expect.poll(() => seqsOf(spool)).toEqual([251])
    expect(rows.erased).toHaveLength(250)
    expect((await spool.usage()).evicted).toMatchObject({ byAge: 250, records: 0, expired: 0 })
    await keeper.stop()
  })

  it('leaves pending records, which expire after the longer of a day and the age', async () => {
    const { spool, keeper, receive, pass } = aging(2 * DAY_MS)
    await receive(submission)
    keeper.start()
    pass(2 * DAY_MS - 1)
    await receive(keptSubmission)
    await expect.poll(() => keeper.isEvicting).toBe(false)
    expect(seqsOf(spool)).toEqual([1, 2])
    pass(60_001)
    await expect.poll(() => seqsOf(spool)).toEqual([2])
    expect((await spool.usage()).evicted).toMatchObject({ byAge: 0, expired: 1 })
    await keeper.stop()
    const short = aging(DAY_MS / 24)
    await short.receive(submission)
    await short.receive(keptSubmission)
    short.pass(DAY_MS - 1)
    short.keeper.start()
    await expect.poll(() => seqsOf(short.spool)).toEqual([1])
    short.pass(60_001)
    await expect.poll(() => seqsOf(short.spool)).toEqual([])
    await short.keeper.stop()
  })

  it('deletes nothing early after the clock was wrong', async () => {
    const { spool, clock, receive, pass } = aging(DAY_MS)
    const due = () => spool.agedRecords(clock.now - DAY_MS, clock.now)
    await receive(keptSubmission)
    clock.now -= 50 * DAY_MS
    await receive(keptSubmission)
    clock.now += 400 * DAY_MS
    await receive(keptSubmission)
    clock.now -= 350 * DAY_MS
    await receive(keptSubmission)
    expect(await due()).toEqual([])
    pass(DAY_MS)
    expect(await due()).toEqual([])
    pass(1)
    // The third has a time in the future; the fourth is as old as the first.
    expect(await due()).toEqual([1, 2, 4])
  })
})
