import { afterAll, describe, expect, it } from 'vitest'
import { EXPIRES_AFTER_MS } from '../../../collector/spool/disk/delete-records'
import {
  accepted,
  balance,
  keptSubmission,
  openInProcess,
  removeFolders,
  seqOf,
  submission,
  temporaryFolder,
} from './in-process-spool'

afterAll(removeFolders)

const MiB = 1024 * 1024
describe('the backlog', () => {
  it('is limited to three quarters of the cap; submissions beyond are refused, and nothing ends as overflow', async () => {
    const spool = openInProcess({ cap: 16 * MiB })
    for (let n = 0; n < 11; n += 1) await seqOf(spool.append(submission({ size: MiB })))
    expect(await spool.append(submission({ size: MiB }))).toEqual({ needed: expect.any(Number), backlogFull: true })
    const { pending, isBacklogFull, records } = await spool.usage()
    expect({ pending: pending.records, isBacklogFull, records }).toEqual({
      pending: 11,
      isBacklogFull: true,
      records: 11,
    })
    expect(pending.bytes).toBeLessThan(pending.cap)
    expect(spool.quantityOf('overflow')).toBe(0)
    expect(balance(spool)).toEqual({ received: 11, accounted: 11 })
    // Records that are never relayed have no share.
    expect(await spool.append(keptSubmission({ size: MiB }))).toHaveProperty('seq')
  })

  it('accepts pending submissions again after a delivery', async () => {
    const spool = openInProcess({ cap: 16 * MiB })
    for (let n = 0; n < 12; n += 1) await spool.append(submission({ size: MiB }))
    await spool.recordAttempt(accepted(1))
    expect((await spool.usage()).isBacklogFull).toBe(false)
    await spool.append(submission({ size: MiB }))
    expect((await spool.usage()).pending.records).toBe(11)
  })

  it('has the same counts after a restart', async () => {
    const folder = temporaryFolder()
    const first = openInProcess({ folder, cap: 16 * MiB })
    for (let n = 0; n < 13; n += 1) await first.append(submission({ size: MiB }))
    await first.recordAttempt(accepted(2))
    const before = await first.usage()
    first.close()
    const after = await openInProcess({ folder, cap: 16 * MiB }).usage()
    expect(after.pending).toEqual(before.pending)
    expect(after.records).toBe(before.records)
  })
})

describe('the cap', () => {
  it('is never exceeded: a submission that does not fit is not stored, and the answer has the bytes it needs', async () => {
    const spool = openInProcess({ cap: 16 * MiB })
    for (let n = 0; n < 100; n += 1) {
      const given = await spool.append(keptSubmission({ size: MiB }))
      if ('needed' in given) break
    }
    const { records, spool: file } = await spool.usage()
    expect(await spool.append(keptSubmission({ size: MiB }))).toEqual({ needed: expect.any(Number) })
    expect((await spool.usage()).records).toBe(records)
    expect(file.used).toBeLessThanOrEqual(16 * MiB)
    expect(file.used).toBeGreaterThan(14 * MiB)
    expect(balance(spool)).toEqual({ received: records, accounted: records })
  })

  it('includes the bytes of the rows', async () => {
    const spool = openInProcess({ cap: 16 * MiB })
    await spool.setBounds({ cap: 16 * MiB, rows: 15.5 * MiB, rowsLog: 0 })
    expect(await spool.append(keptSubmission({ size: MiB }))).toHaveProperty('needed')
    expect(await spool.append(keptSubmission({ size: 1000 }))).toHaveProperty('seq')
  })

  it('allows 64 MiB more for write-ahead logs', async () => {
    const spool = openInProcess({ cap: 16 * MiB })
    await spool.setBounds({ cap: 16 * MiB, rows: 0, rowsLog: 80 * MiB })
    expect(await spool.append(keptSubmission())).toHaveProperty('needed')
    await spool.setBounds({ cap: 16 * MiB, rows: 0, rowsLog: 79 * MiB })
    expect(await spool.append(keptSubmission())).toHaveProperty('seq')
  })
})

describe('eviction', () => {
  it('deletes a record with its outcomes and attempts; ledger totals stay', async () => {
    const spool = openInProcess({})
    const seq = await seqOf(spool.append(submission()))
    await spool.recordAttempt(accepted(seq))
    const later = await seqOf(spool.append(keptSubmission()))
    expect(await spool.settledRecords(later)).toEqual([seq, later])
    await spool.evictSettled([seq])
    for (const table of ['submissions', 'outcomes', 'deliveries'])
      expect(spool.db.prepare(`SELECT count(*) FROM ${table} WHERE seq = ?`).pluck().get(seq), table).toBe(0)
    expect(balance(spool)).toEqual({ received: 2, accounted: 2 })
    const { evicted, records } = await spool.usage()
    expect({ evicted, records }).toEqual({
      evicted: { records: 1, byAge: 0, bytes: 100, rowsOnly: 0, expired: 0, deadLetters: 0 },
      records: 1,
    })
    expect(spool.facts.at(-1)).toMatchObject({ kind: 'evicted', seq })
  })

  it('never deletes a pending record, even by its number', async () => {
    const spool = openInProcess({})
    const seq = await seqOf(spool.append(submission()))
    expect(await spool.settledRecords(seq)).toEqual([])
    await spool.evictSettled([seq])
    expect((await spool.usage()).records).toBe(1)
    await spool.recordAttempt(accepted(seq))
    expect(await spool.settledRecords(seq)).toEqual([seq])
  })

  it('finds a settled record after a long backlog', async () => {
    const spool = openInProcess({})
    for (let n = 1; n <= 5; n += 1) await spool.append(submission())
    expect(await spool.settledRecords(5)).toEqual([])
    await spool.recordAttempt(accepted(3))
    expect(await spool.settledRecords(5)).toEqual([3])
    expect(await spool.settledRecords(2)).toEqual([])
  })

  it('ignores an attempt for a record that was deleted', async () => {
    const spool = openInProcess({})
    const seq = await seqOf(spool.append(submission()))
    await spool.clear([seq])
    await spool.recordAttempt(accepted(seq))
    expect([spool.quantityOf('dropped'), spool.quantityOf('accepted')]).toEqual([1, 0])
    expect(spool.db.prepare('SELECT count(*) FROM deliveries').pluck().get()).toBe(0)
  })

  it('stores up to which record rows were evicted', async () => {
    const spool = openInProcess({})
    for (let n = 1; n <= 3; n += 1) await spool.append(submission())
    expect(await spool.recordsWithRows(2)).toEqual([1, 2])
    await spool.noteRowsEvicted([1, 2])
    expect(await spool.recordsWithRows(3)).toEqual([3])
    expect(spool.db.prepare("SELECT value FROM settings WHERE name = 'rows_from'").pluck().get()).toBe('2')
    expect((await spool.usage()).evicted.rowsOnly).toBe(2)
  })

  it('returns batches that are limited by number and by bytes', async () => {
    const spool = openInProcess({})
    for (let n = 0; n < 201; n += 1) await spool.append(keptSubmission())
    expect(await spool.settledRecords(1000)).toHaveLength(200)
    const large = openInProcess({})
    for (let n = 0; n < 4; n += 1) await large.append(keptSubmission({ size: 2 * MiB }))
    expect(await large.settledRecords(1000)).toEqual([1, 2])
  })
})

it('expiry counts running time: neither a clock that is set nor a restart expires a record', async () => {
  const folder = temporaryFolder()
  let clock = 1_700_000_000_000
  let ran = 0
  const open = () => openInProcess({ folder, now: () => clock, monotonic: () => ran })
  let spool = open()
  const seq = await seqOf(spool.append(submission()))
  clock += 10 * EXPIRES_AFTER_MS
  expect(await spool.expiredRecords(seq)).toEqual([])
  clock -= 20 * EXPIRES_AFTER_MS
  ran += EXPIRES_AFTER_MS - 1
  await spool.append(submission())
  expect(await spool.expiredRecords(seq)).toEqual([])
  spool.close()

  clock += 20 * EXPIRES_AFTER_MS
  ran = 7
  spool = open()
  expect((await spool.usage()).ranMs).toBe(EXPIRES_AFTER_MS - 1)
  expect(await spool.expiredRecords(seq)).toEqual([])
  ran += 1
  expect(await spool.expiredRecords(10)).toEqual([seq])
  await spool.evictExpired([seq])
  expect([spool.quantityOf('expired'), (await spool.usage()).evicted.expired]).toEqual([1, 1])
  expect(balance(spool)).toEqual({ received: 2, accounted: 2 })
})

it('clearing drops pending records, keeps ledger totals and numbering, and does not count as eviction', async () => {
  const spool = openInProcess({})
  for (let n = 0; n < 3; n += 1) await spool.append(submission())
  await spool.clear([1, 2, 3])
  await spool.noteCleared()
  expect(balance(spool)).toEqual({ received: 3, accounted: 3 })
  expect(spool.quantityOf('dropped')).toBe(3)
  expect((await spool.usage()).evicted.records).toBe(0)
  expect(spool.facts.at(-1)).toMatchObject({ kind: 'cleared', seq: null })
  expect(await seqOf(spool.append(submission()))).toBe(4)
})

it('counts stored copies', async () => {
  const copy = () => submission({ endpoint: 'stream', deliveryStatus: 'copy' })
  const spool = openInProcess({})
  for (const one of [copy(), keptSubmission(), copy()]) await spool.append(one)
  expect((await spool.usage()).copies).toBe(2)
  await spool.evictSettled([1, 2])
  expect((await spool.usage()).copies).toBe(1)
  await spool.clear([3])
  expect((await spool.usage()).copies).toBe(0)
})
