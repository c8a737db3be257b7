import { afterAll, describe, expect, it } from 'vitest'
import { MOST_CATEGORIES, OTHER } from '../../../collector/spool/books'
import { EXPIRES_AFTER_MS } from '../../../collector/spool/evictor'
import { LEAST_FACTS, MOST_FACTS } from '../../../collector/spool/journal'
import type { Attempt, StoredLimit } from '../../../collector/spool/submission'
import {
  type InProcessSpool,
  kept,
  openInProcess,
  removeFolders,
  submission,
  temporaryFolder,
} from './in-process-spool'

afterAll(removeFolders)

const MiB = 1024 * 1024
const seqOf = async (appended: ReturnType<InProcessSpool['append']>): Promise<number> => {
  const given = await appended
  if (!('seq' in given)) throw new Error(`there was no room for ${given.needed} bytes`)
  return given.seq
}

const accepted = (seq: number, more: Partial<Attempt> = {}): Attempt => ({
  seq,
  upstream: 'sentry.test/1',
  startedAt: 1,
  endedAt: 2,
  status: 200,
  error: null,
  rateLimits: null,
  retryAfter: null,
  answer: '',
  form: 'received',
  sha256: '',
  bytes: 1,
  maybeDelivered: false,
  decision: [{ item: -1, outcome: 'accepted', reason: null }],
  ...more,
})

const balance = (spool: InProcessSpool) => {
  const pending = Number(
    spool.db
      .prepare(
        `SELECT coalesce(sum(json_extract(value, '$[1]')), 0) FROM owed JOIN submissions USING (seq), json_each(quantities)`,
      )
      .pluck()
      .get(),
  )
  const outcomes = ['accepted', 'kept', 'overflow', 'expired', 'dropped', 'rate_limited', 'invalid', 'filtered']
  return {
    received: spool.booked('received'),
    accounted: outcomes.reduce((sum, name) => sum + spool.booked(name), pending),
  }
}

describe('the backlog', () => {
  it('has three quarters of the cap; what comes beyond is stored, and ends as overflow', async () => {
    const spool = openInProcess({ cap: 16 * MiB })
    for (let n = 0; n < 11; n += 1) await seqOf(spool.append(submission({ size: MiB })))
    expect((await spool.usage()).overflow).toBe(0)
    const seq = await seqOf(spool.append(submission({ size: MiB })))
    const { overflow, owed, isOverflowing, records } = await spool.usage()
    expect({ overflow, owed: owed.records, isOverflowing, records }).toEqual({
      overflow: 1,
      owed: 11,
      isOverflowing: true,
      records: 12,
    })
    expect(owed.bytes).toBeLessThan(owed.cap)
    expect(spool.db.prepare('SELECT outcome FROM outcomes WHERE seq = ?').pluck().get(seq)).toBe('overflow')
    expect(balance(spool)).toEqual({ received: 12, accounted: 12 })
  })

  it('takes again what fits once some of it was delivered', async () => {
    const spool = openInProcess({ cap: 16 * MiB })
    for (let n = 0; n < 12; n += 1) await spool.append(submission({ size: MiB }))
    await spool.deliver(accepted(1))
    expect((await spool.usage()).isOverflowing).toBe(false)
    await spool.append(submission({ size: MiB }))
    expect((await spool.usage()).owed.records).toBe(11)
  })

  it('is counted anew, alike, after a restart', async () => {
    const folder = temporaryFolder()
    const first = openInProcess({ folder, cap: 16 * MiB })
    for (let n = 0; n < 13; n += 1) await first.append(submission({ size: MiB }))
    await first.deliver(accepted(2))
    const before = await first.usage()
    first.close()
    const after = await openInProcess({ folder, cap: 16 * MiB }).usage()
    expect(after.owed).toEqual(before.owed)
    expect([after.records, after.overflow]).toEqual([before.records, before.overflow])
  })
})

describe('the cap', () => {
  it('is never passed by an append: what does not fit stores nothing and says what it needs', async () => {
    const spool = openInProcess({ cap: 16 * MiB })
    for (let n = 0; n < 100; n += 1) {
      const given = await spool.append(kept({ size: MiB }))
      if ('needed' in given) break
    }
    const { records, spool: file } = await spool.usage()
    expect(await spool.append(kept({ size: MiB }))).toEqual({ needed: expect.any(Number) })
    expect((await spool.usage()).records).toBe(records)
    expect(file.used).toBeLessThanOrEqual(16 * MiB)
    expect(file.used).toBeGreaterThan(14 * MiB)
    expect(balance(spool)).toEqual({ received: records, accounted: records })
  })

  it('counts what the rows use', async () => {
    const spool = openInProcess({ cap: 16 * MiB })
    await spool.bound({ cap: 16 * MiB, rows: 15.5 * MiB, rowsLog: 0 })
    expect(await spool.append(kept({ size: MiB }))).toHaveProperty('needed')
    expect(await spool.append(kept({ size: 1000 }))).toHaveProperty('seq')
  })

  it('leaves logs 64 MiB beside it, and no more', async () => {
    const spool = openInProcess({ cap: 16 * MiB })
    await spool.bound({ cap: 16 * MiB, rows: 0, rowsLog: 80 * MiB })
    expect(await spool.append(kept())).toHaveProperty('needed')
    await spool.bound({ cap: 16 * MiB, rows: 0, rowsLog: 79 * MiB })
    expect(await spool.append(kept())).toHaveProperty('seq')
  })
})

describe('eviction', () => {
  it('takes a record with its outcomes and attempts, and leaves its fate in the books', async () => {
    const spool = openInProcess({})
    const seq = await seqOf(spool.append(submission()))
    await spool.deliver(accepted(seq))
    const later = await seqOf(spool.append(kept()))
    expect(await spool.owingNothing(later)).toEqual([seq, later])
    await spool.evict([seq])
    for (const table of ['submissions', 'outcomes', 'deliveries'])
      expect(spool.db.prepare(`SELECT count(*) FROM ${table} WHERE seq = ?`).pluck().get(seq), table).toBe(0)
    expect(balance(spool)).toEqual({ received: 2, accounted: 2 })
    const { evicted, records } = await spool.usage()
    expect({ evicted, records }).toEqual({
      evicted: { records: 1, bytes: 100, rowsOnly: 0, expired: 0 },
      records: 1,
    })
    expect(spool.facts.at(-1)).toMatchObject({ kind: 'evicted', seq })
  })

  it('never takes an owed record, even when it is named', async () => {
    const spool = openInProcess({})
    const seq = await seqOf(spool.append(submission()))
    expect(await spool.owingNothing(seq)).toEqual([])
    await spool.evict([seq])
    expect((await spool.usage()).records).toBe(1)
    await spool.deliver(accepted(seq))
    expect(await spool.owingNothing(seq)).toEqual([seq])
  })

  it('finds what was decided behind a long backlog', async () => {
    const spool = openInProcess({})
    for (let n = 1; n <= 5; n += 1) await spool.append(submission())
    expect(await spool.owingNothing(5)).toEqual([])
    await spool.deliver(accepted(3))
    expect(await spool.owingNothing(5)).toEqual([3])
    expect(await spool.owingNothing(2)).toEqual([])
  })

  it('ignores what comes of a post whose record went meanwhile', async () => {
    const spool = openInProcess({})
    const seq = await seqOf(spool.append(submission()))
    await spool.clear([seq])
    await spool.deliver(accepted(seq))
    expect([spool.booked('dropped'), spool.booked('accepted')]).toEqual([1, 0])
    expect(spool.db.prepare('SELECT count(*) FROM deliveries').pluck().get()).toBe(0)
  })

  it('remembers up to where the rows of owed records went', async () => {
    const spool = openInProcess({})
    for (let n = 1; n <= 3; n += 1) await spool.append(submission())
    expect(await spool.withRows(2)).toEqual([1, 2])
    await spool.rowsEvicted([1, 2])
    expect(await spool.withRows(3)).toEqual([3])
    expect(spool.db.prepare("SELECT value FROM settings WHERE name = 'rows_from'").pluck().get()).toBe('2')
    expect((await spool.usage()).evicted.rowsOnly).toBe(2)
  })

  it('comes in batches that are small by number and by bytes', async () => {
    const spool = openInProcess({})
    for (let n = 0; n < 201; n += 1) await spool.append(kept())
    expect(await spool.owingNothing(1000)).toHaveLength(200)
    const large = openInProcess({})
    for (let n = 0; n < 4; n += 1) await large.append(kept({ size: 2 * MiB }))
    expect(await large.owingNothing(1000)).toEqual([1, 2])
  })
})

describe('age', () => {
  it('is counted in running time: neither a clock that jumps nor a restart makes a backlog expire', async () => {
    const folder = temporaryFolder()
    let clock = 1_700_000_000_000
    let ran = 0
    const open = () => openInProcess({ folder, now: () => clock, monotonic: () => ran })
    let spool = open()
    const seq = await seqOf(spool.append(submission()))
    clock += 10 * EXPIRES_AFTER_MS
    expect(await spool.pastDue(seq)).toEqual([])
    clock -= 20 * EXPIRES_AFTER_MS
    ran += EXPIRES_AFTER_MS - 1
    await spool.append(submission())
    expect(await spool.pastDue(seq)).toEqual([])
    spool.close()

    clock += 20 * EXPIRES_AFTER_MS
    ran = 7
    spool = open()
    expect((await spool.usage()).ranMs).toBe(EXPIRES_AFTER_MS - 1)
    expect(await spool.pastDue(seq)).toEqual([])
    ran += 1
    expect(await spool.pastDue(10)).toEqual([seq])
    await spool.expire([seq])
    expect([spool.booked('expired'), (await spool.usage()).evicted.expired]).toEqual([1, 1])
    expect(balance(spool)).toEqual({ received: 2, accounted: 2 })
  })
})

describe('a person who clears', () => {
  it('drops what is owed; the books stay, numbers go on, and it is no eviction', async () => {
    const spool = openInProcess({})
    for (let n = 0; n < 3; n += 1) await spool.append(submission())
    await spool.clear([1, 2, 3])
    await spool.cleared()
    expect(balance(spool)).toEqual({ received: 3, accounted: 3 })
    expect(spool.booked('dropped')).toBe(3)
    expect((await spool.usage()).evicted.records).toBe(0)
    expect(spool.facts.at(-1)).toMatchObject({ kind: 'cleared', seq: null })
    expect(await seqOf(spool.append(submission()))).toBe(4)
  })
})

describe('a category that a sender makes up', () => {
  it(`has a book of its own while there are fewer than ${MOST_CATEGORIES}, and is then counted under ${OTHER}, settled as received`, async () => {
    const folder = temporaryFolder()
    let spool = openInProcess({ folder })
    const made = Array.from({ length: 2 * MOST_CATEGORIES }, (_, n) => ({ category: `made-up-${n}`, quantity: 1 }))
    const seq = await seqOf(spool.append(submission({ quantities: made })))
    spool.close()
    spool = openInProcess({ folder })
    const again = await seqOf(spool.append(submission({ quantities: [...made, { category: 'replay', quantity: 1 }] })))
    for (const one of [seq, again]) await spool.deliver(accepted(one))
    const names = spool.db.prepare('SELECT DISTINCT category FROM books').pluck().all()
    expect(names.length).toBeLessThanOrEqual(MOST_CATEGORIES + 1)
    expect(spool.booked('received', OTHER)).toBeGreaterThan(MOST_CATEGORIES)
    for (const name of names)
      expect(spool.booked('accepted', String(name)), String(name)).toBe(spool.booked('received', String(name)))
    expect(spool.booked('received', 'replay')).toBe(1)
  })
})

describe('what grows with use', () => {
  it(`is trimmed: the journal to the oldest record's fact, at most ${MOST_FACTS} and at least ${LEAST_FACTS} facts`, async () => {
    const spool = openInProcess({})
    const insert = spool.db.prepare("INSERT INTO journal (at, kind, seq) VALUES (0, 'refused', NULL)")
    const happen = spool.db.transaction((times: number) => {
      for (let n = 0; n < times; n += 1) insert.run()
    })
    const bounds = async (): Promise<{ oldest: number; head: number }> => {
      // Trimming is not done at each fact: so many later it is.
      for (let n = 0; n < 1000; n += 1) await spool.refused('framing', 1)
      return spool.db.prepare('SELECT min(n) AS oldest, max(n) AS head FROM journal').get() as {
        oldest: number
        head: number
      }
    }
    happen(10_000)
    const none = await bounds()
    expect(none.head - none.oldest).toBeGreaterThanOrEqual(LEAST_FACTS - 1)
    expect(none.head - none.oldest).toBeLessThan(LEAST_FACTS + 1000)

    const appended = await spool.append(kept())
    happen(10_000)
    expect((await bounds()).oldest).toBe('journal' in appended && appended.journal)

    happen(MOST_FACTS)
    const many = await bounds()
    expect(many.head - many.oldest).toBeLessThan(MOST_FACTS + 1000)
    expect(many.head - many.oldest).toBeGreaterThanOrEqual(MOST_FACTS - 1)
  })

  it('is kept to 100 attempts of one record, numbered on', async () => {
    const spool = openInProcess({})
    const seq = await seqOf(spool.append(submission()))
    for (let n = 0; n < 105; n += 1) await spool.deliver(accepted(seq, { decision: null, status: 503 }))
    expect(spool.db.prepare('SELECT min(attempt), max(attempt) FROM deliveries').raw().get()).toEqual([6, 105])
  })

  it('is kept to 100 limits of one project; those that ended are gone', async () => {
    let now = 1_000
    const spool = openInProcess({ now: () => now })
    const limit = (category: string): StoredLimit => ({
      publicKey: 'key',
      project: '1',
      category,
      until: now + 60_000,
      toldAt: now,
      reason: null,
    })
    const count = (): unknown => spool.db.prepare('SELECT count(*) FROM limits').pluck().get()
    await spool.limit(Array.from({ length: 150 }, (_, n) => limit(`c${n}`)))
    expect(count()).toBe(100)
    now += 60_000
    await spool.limit([limit('later')])
    expect(count()).toBe(1)
  })
})
