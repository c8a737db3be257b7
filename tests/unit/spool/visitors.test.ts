import { afterAll, describe, expect, it } from 'vitest'
import { deleteVisitor } from '../../../collector/spool/disk/delete-visitor'
import { readVisitor, readVisitorNeighbours } from '../../../collector/spool/read/read-visitor'
import { MAX_VISITOR_DELETIONS } from '../../../collector/spool/visitors'
import type { Submission } from '../../../lib/protocol/submission'
import { COUNTED_RECORDS } from '../../../lib/wire/visitor-limits'
import { ledgerErrors } from '../../faults/ledger-errors'
import { keptSubmission, openInProcess, removeFolders, submission } from './in-process-spool'
import { station } from './station'

afterAll(removeFolders)

const MINE = `${'m'.repeat(42)}A`
const MY_OTHER = `${'n'.repeat(42)}A`
const THEIRS = `${'t'.repeat(42)}A`
const NOW = 1_700_000_000_000

const by = (visitor: string, given: Partial<Submission> = {}, kept = false): Submission => {
  const made = kept ? keptSubmission(given) : submission(given)
  return { ...made, facts: { ...made.facts, visitor, ...given.facts } }
}
const withoutPosts = () => ({ ended: Promise.resolve(0), release: () => undefined })
const seqsIn = (spool: ReturnType<typeof openInProcess>) =>
  spool.db.prepare('SELECT seq FROM submissions ORDER BY seq').pluck().all()

describe('the records of a visitor', () => {
  it('are listed newest first in pages, with counts, and none of another visitor', async () => {
    const spool = openInProcess({})
    for (const one of [by(MINE), by(THEIRS), by(MY_OTHER, {}, true), by(MINE), submission()]) await spool.append(one)
    const first = readVisitor(spool.db, [MINE, MY_OTHER], null, 2)
    expect(first).toMatchObject({
      records: [
        { seq: 4, deliveryStatus: { name: 'pending' }, items: [{ category: 'error', quantity: 1 }] },
        { seq: 3, deliveryStatus: { name: 'kept', reason: 'no_upstream' } },
      ],
      ...{ next: 3, total: 3, pending: 2, counts: [{ category: 'error', quantity: 3 }] },
    })
    expect(readVisitor(spool.db, [MINE, MY_OTHER], 3, 2)).toMatchObject({ records: [{ seq: 1 }], next: null })
    expect(readVisitor(spool.db, [`${'x'.repeat(42)}A`], null, 2)).toMatchObject({ records: [], total: 0, counts: [] })
    spool.close()
  })

  it('have neighbours among each other; a record of another visitor is not found', async () => {
    const spool = openInProcess({})
    for (const one of [by(MINE), by(THEIRS), by(MINE), submission()]) await spool.append(one)
    expect(readVisitorNeighbours(spool.db, [MINE], 1)).toEqual({ newer: 3, older: null })
    expect(readVisitorNeighbours(spool.db, [MINE], 3)).toEqual({ newer: null, older: 1 })
    for (const seq of [2, 4, 5]) expect(readVisitorNeighbours(spool.db, [MINE], seq)).toBeNull()
    spool.close()
  })

  it(`are counted up to the newest ${COUNTED_RECORDS}, and found by the partial index`, async () => {
    const spool = openInProcess({})
    spool.writer.commit(() => {
      for (let n = 0; n <= COUNTED_RECORDS; n += 1) spool.writer.insertSubmission(by(MINE, {}, true))
    })
    const { total, counts } = readVisitor(spool.db, [MINE], null, 1)
    expect({ total, counts }).toEqual({
      total: COUNTED_RECORDS + 1,
      counts: [{ category: 'error', quantity: COUNTED_RECORDS }],
    })
    const sql =
      'EXPLAIN QUERY PLAN SELECT seq FROM submissions WHERE visitor IN (?) AND visitor IS NOT NULL AND seq < 9'
    expect(JSON.stringify(spool.db.prepare(sql).all(MINE))).toContain('INDEX submissions_by_visitor')
    spool.close()
  })
})

describe('a visitor who deletes', () => {
  it('ends pending records and dead letters as dropped, and removes records and rows, of nobody else', async () => {
    const { spool, rows } = station()
    const mine = [by(MINE), by(MINE, {}, true), by(MY_OTHER), by(MINE)]
    for (const one of [by(THEIRS), ...mine, submission()]) await spool.append(one)
    const attempt = {
      ...{ upstream: 'up', startedAt: 1, endedAt: 2, error: null, rateLimits: null, retryAfter: null, answer: null },
      ...{ form: ['received' as const], sha256: '', bytes: 1, maybeDelivered: false, leftOut: [], removed: [] },
    }
    await spool.recordAttempt({ seq: 4, ...attempt, status: 403, decision: null, dead: true, toReport: [] })
    const accepted = [{ item: -1, outcome: 'accepted' as const, reason: null }]
    await spool.recordAttempt({ seq: 5, ...attempt, status: 200, decision: accepted, dead: false, toReport: [] })
    rows.digest(6)
    const received = spool.quantityOf('received')
    const done = await deleteVisitor({ spool, rows }, [MINE, MY_OTHER], NOW, withoutPosts)
    expect(done).toEqual({ records: 4, dropped: 2, posted: 1, awaited: 0 })
    expect(seqsIn(spool)).toEqual([1, 6])
    expect(rows.erased).toEqual([2, 3, 4, 5])
    expect(spool.quantityOf('received')).toBe(received)
    expect([spool.quantityOf('dropped'), spool.quantityOf('accepted'), spool.quantityOf('pending')]).toEqual([2, 1, 2])
    expect(spool.db.prepare("SELECT DISTINCT reason FROM ledger_totals WHERE entry = 'dropped'").pluck().all()).toEqual(
      ['visitor'],
    )
    expect(ledgerErrors(spool.db)).toEqual([])
  })

  it('waits for posts in progress before it deletes, and releases the records also after a failure', async () => {
    const { spool, rows } = station()
    await spool.append(by(MINE))
    const steps: string[] = []
    const withhold = (seqs: readonly number[]) => ({
      ended: Promise.resolve().then(() => {
        steps.push(`ended ${seqs} ${seqsIn(spool)}`)
        return 1
      }),
      release: () => void steps.push(`released ${seqsIn(spool)}`),
    })
    const failing = { ...rows, erase: () => Promise.reject(new Error('disk is full')) }
    await expect(deleteVisitor({ spool, rows: failing }, [MINE], NOW, withhold)).rejects.toThrow('disk is full')
    expect(await deleteVisitor({ spool, rows }, [MINE], NOW, withhold)).toMatchObject({ records: 1, awaited: 1 })
    expect(steps).toEqual(['ended 1 1', 'released 1', 'ended 1 1', 'released '])
  })

  it('counts and drops what was sent before and arrives later, and stores what was sent afterwards', async () => {
    const { spool, rows } = station()
    await deleteVisitor({ spool, rows }, [MINE], NOW, withoutPosts)
    const kept = by(MINE, { receivedAt: NOW + 5000 })
    const late = { ...kept, receipt: 'late', facts: { ...kept.facts, keptMs: 5001 } }
    expect(await spool.append(late)).toEqual({ seq: expect.any(Number), journal: expect.any(Number) })
    expect(await spool.append(by(MINE, { receivedAt: NOW - 1 }))).toHaveProperty('seq')
    expect(seqsIn(spool)).toEqual([])
    expect([spool.quantityOf('received'), spool.quantityOf('dropped'), spool.quantityOf('pending')]).toEqual([2, 2, 0])
    expect(ledgerErrors(spool.db)).toEqual([])
    for (const one of [kept, by(MINE, { receivedAt: NOW }), by(THEIRS, { receivedAt: NOW - 1 })])
      await spool.append(one)
    expect(seqsIn(spool)).toHaveLength(3)
  })

  it(`is remembered among the newest ${MAX_VISITOR_DELETIONS} deletions`, () => {
    const spool = openInProcess({})
    const old = by(MINE, { receivedAt: 0 })
    const others = Array.from({ length: MAX_VISITOR_DELETIONS }, (_, n) => String(n).padStart(43, 'x'))
    spool.writer.commit(() => {
      spool.writer.visitors.add([MINE], 1)
      spool.writer.visitors.add(others.slice(1), 2)
      expect(spool.writer.visitors.includes(old)).toBe(true)
      spool.writer.visitors.add(others.slice(0, 1), 3)
      expect(spool.writer.visitors.includes(old)).toBe(false)
    })
    spool.close()
  }, 60_000)
})
