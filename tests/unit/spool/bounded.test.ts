import { afterAll, describe, expect, it } from 'vitest'
import { MAX_REFUSED_PATHS } from '../../../collector/spool/counters'
import { MAX_FACTS, MIN_FACTS } from '../../../collector/spool/journal'
import { MAX_CATEGORIES, OTHER_NAME } from '../../../collector/spool/ledger/ledger-entries'
import {
  accepted,
  keptSubmission,
  openInProcess,
  removeFolders,
  seqOf,
  submission,
  temporaryFolder,
} from './in-process-spool'
import { storedLimit } from './stored-limit'

afterAll(removeFolders)

describe('the ledger', () => {
  it(`counts made-up categories beyond ${MAX_CATEGORIES} as ${OTHER_NAME}, when they are received and when they are settled`, async () => {
    const folder = temporaryFolder()
    let spool = openInProcess({ folder })
    const made = Array.from({ length: 2 * MAX_CATEGORIES }, (_, n) => ({ category: `made-up-${n}`, quantity: 1 }))
    const seq = await seqOf(spool.append(submission({ quantities: made })))
    spool.close()
    spool = openInProcess({ folder })
    const again = await seqOf(spool.append(submission({ quantities: [...made, { category: 'replay', quantity: 1 }] })))
    for (const one of [seq, again]) await spool.recordAttempt(accepted(one))
    const names = spool.db.prepare('SELECT DISTINCT category FROM ledger_totals').pluck().all()
    expect(names.length).toBeLessThanOrEqual(MAX_CATEGORIES + 1)
    expect(spool.quantityOf('received', OTHER_NAME)).toBeGreaterThan(MAX_CATEGORIES)
    for (const name of names)
      expect(spool.quantityOf('accepted', String(name)), String(name)).toBe(spool.quantityOf('received', String(name)))
    expect(spool.quantityOf('received', 'replay')).toBe(1)
  })
})

describe('the spool', () => {
  it(`trims the journal to the oldest record, to at most ${MAX_FACTS} and at least ${MIN_FACTS} facts`, async () => {
    const spool = openInProcess({})
    const insert = spool.db.prepare("INSERT INTO journal (at, kind, seq) VALUES (0, 'refused', NULL)")
    const happen = spool.db.transaction((times: number) => {
      for (let n = 0; n < times; n += 1) insert.run()
    })
    const bounds = (): { oldest: number; head: number } => {
      // The journal is trimmed once per 1000 facts.
      for (let commits = 0; commits < 10; commits += 1)
        spool.writer.commit(() => {
          for (let n = 0; n < 100; n += 1) spool.writer.countRefusal('framing', 1)
        })
      return spool.db.prepare('SELECT min(n) AS oldest, max(n) AS head FROM journal').get() as {
        oldest: number
        head: number
      }
    }
    happen(10_000)
    const none = bounds()
    expect(none.head - none.oldest).toBeGreaterThanOrEqual(MIN_FACTS - 1)
    expect(none.head - none.oldest).toBeLessThan(MIN_FACTS + 1000)

    const appended = await spool.append(keptSubmission())
    happen(10_000)
    expect(bounds().oldest).toBe('journal' in appended && appended.journal)

    happen(MAX_FACTS)
    const many = bounds()
    expect(many.head - many.oldest).toBeLessThan(MAX_FACTS + 1000)
    expect(many.head - many.oldest).toBeGreaterThanOrEqual(MAX_FACTS - 1)
  })

  it(`counts ${MAX_REFUSED_PATHS} refused paths of a reason by themselves, and further ones as other`, () => {
    const spool = openInProcess({})
    spool.writer.commit(() => {
      for (let n = 0; n < MAX_REFUSED_PATHS + 3; n += 1) spool.writer.countRefusal('unknown', 0, `POST /api/1/${n}`)
      spool.writer.countRefusal('unknown', 0, 'POST /api/1/0')
      spool.writer.countRefusal('other_reason', 0, 'POST /api/1/last')
    })
    const rows = spool.db.prepare('SELECT path, envelopes FROM refused_paths WHERE reason = ? ORDER BY envelopes, path')
    const counted = rows.raw().all('unknown')
    expect(counted).toHaveLength(MAX_REFUSED_PATHS + 1)
    expect(counted.slice(-2)).toEqual([
      ['POST /api/1/0', 2],
      ['other', 3],
    ])
    expect(rows.raw().all('other_reason')).toEqual([['POST /api/1/last', 1]])
  })

  it('keeps the last 100 attempts of a submission, with their numbers', async () => {
    const spool = openInProcess({})
    const seq = await seqOf(spool.append(submission()))
    for (let n = 0; n < 105; n += 1) await spool.recordAttempt(accepted(seq, { decision: null, status: 503 }))
    expect(spool.db.prepare('SELECT min(attempt), max(attempt) FROM deliveries').raw().get()).toEqual([6, 105])
  })

  it('keeps 100 limits of a project, and deletes those that ended', async () => {
    let now = 1_000
    const spool = openInProcess({ now: () => now })
    const limit = (category: string) => storedLimit(category, 60, { receivedAt: now })
    const count = (): unknown => spool.db.prepare('SELECT count(*) FROM limits').pluck().get()
    await spool.storeLimits(Array.from({ length: 150 }, (_, n) => limit(`c${n}`)))
    expect(count()).toBe(100)
    now += 60_000
    await spool.storeLimits([limit('later')])
    expect(count()).toBe(1)
  })
})
