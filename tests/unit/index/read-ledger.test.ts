import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterAll, describe, expect, it } from 'vitest'
import { createTables } from '../../../collector/index/index-schema'
import { countInnerSpans } from '../../../collector/index/lists/read-counts'
import { readLosses, readTotals } from '../../../collector/spool/read/read-ledger'
import { readDeadItems, readDeadLetters, readDeadSeqs } from '../../../collector/spool/read/read-pending'
import type { Submission } from '../../../lib/protocol/submission'
import { NEWEST, readCursor } from '../../../lib/wire/list-paging'
import { lossesSchema } from '../../../lib/wire/losses'
import {
  accepted,
  keptSubmission,
  openInProcess,
  removeFolders,
  submission,
  temporaryFolder,
} from '../spool/in-process-spool'

afterAll(removeFolders)

function recorded() {
  const folder = temporaryFolder()
  const spool = openInProcess({ folder })
  const db = new Database(':memory:')
  createTables(db, { from: 0, goal: 0, limits: '', at: 0 })
  db.prepare('ATTACH ? AS spool').run(join(folder, 'spool.db'))
  return {
    spool,
    db,
    losses: (stamp: string | null = null) =>
      lossesSchema.parse({ ...readLosses(db, stamp, 7), innerSpans: countInnerSpans(db, stamp) }),
  }
}

const of = (category: string, quantity = 1, more: Partial<Submission> = {}) =>
  submission({ quantities: [{ category, quantity }], ...more })
const answered = (outcome: 'invalid' | 'rate_limited' | 'accepted', reason: string | null) => ({
  decision: [{ item: -1, outcome, reason }],
})

describe('losses', () => {
  it('list amounts made and accepted, and losses by place and reason, the largest first', async () => {
    const { spool, losses } = recorded()
    const discards = [
      { category: 'span', reason: 'ratelimit_backoff', quantity: 9 },
      { category: 'transaction', reason: 'sample_rate', quantity: 3 },
    ]
    await spool.append(of('error', 1, { discards }))
    for (const one of [of('attachment'), of('span', 5), of('log_item', 2), of('transaction')]) await spool.append(one)
    await spool.append(keptSubmission({ quantities: [{ category: 'session', quantity: 1 }] }))
    await spool.append(of('error', 1, { deliveryStatus: { outcome: 'kept', reason: 'lab' } }))
    await spool.append(of('error', 1, { deliveryStatus: { outcome: 'filtered', reason: 'unscrubbed' } }))
    await spool.append(of('error', 1))
    await spool.recordAttempt(accepted(1))
    await spool.recordAttempt(accepted(2, answered('invalid', 'upstream_422')))
    await spool.decideWithoutAttempt(3, [{ item: -1, outcome: 'rate_limited', reason: 'limited' }], [])
    await spool.recordAttempt(accepted(4, answered('rate_limited', 'upstream_429')))
    await spool.recordAttempt(accepted(5, { decision: null, dead: true, status: 413 }))
    await spool.dropDeadLetters([5])
    await spool.recordAttempt(accepted(9, answered('invalid', 'damaged_record')))
    await spool.append(of('error'))
    for (let n = 0; n < 2; n += 1) await spool.countRefusal('origin', 10)

    const report = losses()
    expect(report.losses).toEqual([
      { by: 'sdk', reason: 'ratelimit_backoff', category: 'span', quantity: 9 },
      { by: 'waystation', reason: 'limited', category: 'span', quantity: 5 },
      { by: 'endpoint', reason: 'origin', category: null, quantity: 2 },
      { by: 'upstream', reason: 'upstream_429', category: 'log_item', quantity: 2 },
      { by: 'person', reason: 'dead_letter', category: 'transaction', quantity: 1 },
      { by: 'upstream', reason: 'upstream_422', category: 'attachment', quantity: 1 },
      { by: 'waystation', reason: 'damaged_record', category: 'error', quantity: 1 },
      { by: 'waystation', reason: 'unscrubbed', category: 'error', quantity: 1 },
    ])
    expect(report.notSent).toEqual([{ reason: 'sample_rate', category: 'transaction', quantity: 3 }])
    expect(report.categories.find(({ category }) => category === 'transaction')).toMatchObject({
      made: 4,
      notSent: 3,
      discarded: 0,
      received: 1,
      dropped: 1,
      lost: 1,
      unexplained: 0,
    })
    expect(report.sentence).toBe(
      'error: made 5, accepted 1, kept 1, pending 1, lost 2 (1 damaged_record, 1 unscrubbed); ' +
        'transaction: made 4, accepted 0, lost 1 (1 dead_letter), not sent by choice 3 (3 sample_rate); ' +
        'span: made 14, accepted 0, lost 14 (9 ratelimit_backoff, 5 limited); ' +
        'log_item: made 2, accepted 0, lost 2 (2 upstream_429); session: made 1, kept 1, lost 0; ' +
        'attachment: made 1, accepted 0, lost 1 (1 upstream_422); 2 envelopes refused at the endpoint',
    )
    expect(report.categories.find(({ category }) => category === 'span')).toMatchObject({
      made: 14,
      lost: 14,
      discarded: 9,
      received: 5,
      rate_limited: 5,
      unexplained: 0,
    })
    expect([report.now, report.journal]).toEqual([7, spool.facts.at(-1)?.n])
  })

  it('list known categories first, in a fixed order, then made-up ones', async () => {
    const { spool, losses } = recorded()
    for (const category of ['zebra', 'log_item', 'apple', 'error', 'span']) await spool.append(of(category))
    expect(losses().categories.map(({ category }) => category)).toEqual(['error', 'span', 'log_item', 'apple', 'zebra'])
  })

  it('the losses of a stamp include only its records, without refusals', async () => {
    const { spool, losses } = recorded()
    await spool.append(
      of('error', 1, { stamp: 'mine', discards: [{ category: 'span', reason: 'before_send', quantity: 2 }] }),
    )
    await spool.append(of('error', 1, { stamp: 'other' }))
    await spool.recordAttempt(accepted(1))
    await spool.countRefusal('origin', 1)
    expect(losses('mine')).toMatchObject({
      stamp: 'mine',
      losses: [],
      notSent: [{ reason: 'before_send', category: 'span', quantity: 2 }],
      sentence:
        'error: made 1, accepted 1, lost 0; span: made 2, accepted 0, lost 0, not sent by choice 2 (2 before_send)',
    })
  })

  it('list dead letters among the pending items with upstream’s status', async () => {
    const { spool, losses } = recorded()
    const received = [of('error', 1, { stamp: 'mine' }), of('span', 4), of('error'), of('error'), of('error')]
    for (const one of received) await spool.append(one)
    for (const [index, status] of [400, 413, 400, 400].entries())
      await spool.recordAttempt(accepted(index + 1, { decision: null, dead: true, status }))
    await spool.dropDeadLetters([4])
    expect(losses()).toMatchObject({
      deadLetters: [
        { category: 'span', status: 413, quantity: 4 },
        { category: 'error', status: 400, quantity: 2 },
      ],
    })
    expect(losses('mine').deadLetters).toEqual([{ category: 'error', status: 400, quantity: 1 }])
  })

  it('do not count client reports, which have their own category', async () => {
    const { spool, losses } = recorded()
    const discards = [{ category: 'span', reason: 'before_send', quantity: 2 }]
    for (let n = 0; n < 4; n += 1) await spool.append(of('internal', 1, n === 0 ? { discards } : {}))
    expect(losses()).toMatchObject({
      sentence: 'span: made 2, accepted 0, lost 0, not sent by choice 2 (2 before_send)',
    })
    await spool.append(of('error'))
    await spool.recordAttempt(accepted(1))
    await spool.recordAttempt(accepted(2, answered('invalid', 'upstream_422')))
    await spool.append(keptSubmission({ quantities: [{ category: 'internal', quantity: 1 }] }))
    await spool.recordAttempt(accepted(5))
    const report = losses()
    expect(report.sentence).toBe(
      'error: made 1, accepted 1, lost 0; span: made 2, accepted 0, lost 0, not sent by choice 2 (2 before_send)',
    )
    expect(report.losses).toContainEqual({ by: 'upstream', reason: 'upstream_422', category: 'internal', quantity: 1 })
    expect(report.categories.find(({ category }) => category === 'internal')).toMatchObject({
      received: 5,
      accepted: 1,
      kept: 1,
      invalid: 1,
      pending: 2,
    })
    spool.db.exec("UPDATE ledger_totals SET quantity = quantity + 1 WHERE category = 'internal' AND entry = 'received'")
    expect(losses()).toMatchObject({
      sentence: `${report.sentence}; the ledger does not balance: 1 unexplained of internal`,
    })
  })

  it('are none in a folder with client reports only', async () => {
    const { spool, losses } = recorded()
    await spool.append(of('internal'))
    expect(losses()).toMatchObject({ sentence: 'nothing was made' })
    expect(losses('nobody').sentence).toBe('the ledger has nothing for stamp nobody')
  })

  it('are none for an unknown stamp, and the sentence says so', () => {
    const { losses } = recorded()
    expect(losses('nobody')).toMatchObject({
      categories: [],
      sentence: 'the ledger has nothing for stamp nobody',
    })
    expect(losses().sentence).toBe('nothing was made')
  })

  it('report a ledger that does not balance', async () => {
    const { spool, losses } = recorded()
    await spool.append(of('error'))
    await spool.recordAttempt(accepted(1))
    expect(losses().sentence).toBe('error: made 1, accepted 1, lost 0')
    spool.db.exec("UPDATE ledger_totals SET quantity = 4 WHERE entry = 'received'")
    expect(losses()).toMatchObject({
      categories: [{ category: 'error', unexplained: 3 }],
      sentence: 'error: made 4, accepted 1, lost 0; the ledger does not balance: 3 unexplained of error',
    })
  })
})

it('the list of dead letters has upstream, status and answer of each, the newest envelope first, page by page', async () => {
  const { spool, db } = recorded()
  for (let n = 0; n < 4; n += 1) await spool.append(of('error', 1, { receivedAt: 100 + n }))
  await spool.recordAttempt(accepted(2, { status: 503, decision: null }))
  await spool.recordAttempt(accepted(1))
  for (const seq of [2, 3, 4])
    await spool.recordAttempt(
      accepted(seq, { status: 400, answer: `no ${seq}`, endedAt: 50 + seq, decision: null, dead: true }),
    )
  const first = readDeadLetters(db, NEWEST, { limit: 2 })
  expect(first.deadLetters.map(({ seq }) => seq)).toEqual([4, 3])
  const position = readCursor(first.next)
  if (position === null) throw new Error(`no cursor: ${first.next}`)
  const second = readDeadLetters(db, position, { limit: 2 })
  expect(second).toEqual({
    deadLetters: [
      {
        seq: 2,
        journal: 2,
        receivedAt: 101,
        at: 52,
        upstream: 'sentry.test/1',
        status: 400,
        answer: 'no 2',
        attempts: 2,
        bytes: 100,
        items: [{ category: 'error', quantity: 1 }],
      },
    ],
    next: null,
    journal: spool.facts.at(-1)?.n,
  })
  expect(readDeadSeqs(db)).toEqual([2, 3, 4])
  await spool.requeueDeadLetters([3])
  await spool.dropDeadLetters([4])
  expect(readDeadSeqs(db)).toEqual([2])
  expect(readDeadItems(db, [1, 2, 3])).toEqual([{ seq: 2, publicKey: 'key', project: '1', categories: ['error'] }])
})

it('the totals name each category that does not balance, as the losses do', async () => {
  const { spool, db, losses } = recorded()
  await spool.append(of('error', 1, { discards: [{ category: 'span', reason: 'ratelimit_backoff', quantity: 9 }] }))
  await spool.append(of('span', 5))
  await spool.append(of('log_item', 3))
  await spool.recordAttempt(accepted(1))
  expect(readTotals(db).unexplained).toEqual([])
  spool.db.prepare("UPDATE ledger_totals SET quantity = 12 WHERE category = 'span' AND entry = 'received'").run()
  spool.db.prepare("DELETE FROM ledger_totals WHERE category = 'log_item' AND entry = 'received'").run()
  const { unexplained } = readTotals(db)
  expect(unexplained).toEqual([
    { category: 'span', quantity: 7 },
    { category: 'log_item', quantity: -3 },
  ])
  const rows = losses().categories.filter((row) => row.unexplained !== 0)
  expect(rows.map((row) => [row.category, row.unexplained]).sort()).toEqual(
    unexplained.map(({ category, quantity }) => [category, quantity]).sort(),
  )
})
