import { join } from 'node:path'
import Sqlite, { type Database } from 'better-sqlite3'
import { afterAll, describe, expect, it } from 'vitest'
import { MAX_STAMPS } from '../../../collector/spool/ledger/ledger-totals'
import { mergeSpools } from '../../../collector/spool/offline/merge'
import type { Submission } from '../../../lib/protocol/submission'
import { ledgerErrors } from '../../faults/ledger-errors'
import { randomFrom } from '../../faults/random'
import {
  accepted,
  type InProcessSpool,
  keptSubmission,
  openInProcess,
  removeFolders,
  seqOf,
  submission,
  temporaryFolder,
} from './in-process-spool'
import { RandomTraffic } from './random-traffic'
import { storedLimit } from './stored-limit'

afterAll(removeFolders)

const START = 1_700_000_000_000
let now = START
/** A spool whose clock all spools of a test share. Each fact has a time of its own. */
const open = () => {
  const folder = temporaryFolder()
  const tick = () => {
    now += 1
    return now
  }
  return { folder, spool: openInProcess({ folder, now: tick }) }
}

/** The merged record, and what merging returned. */
function merge(...shards: readonly string[]) {
  const folder = temporaryFolder()
  const merged = mergeSpools(shards, folder, () => undefined)
  return { folder, merged, db: new Sqlite(join(folder, 'spool.db'), { readonly: true }) }
}

/** Everything that does not depend on the clock of the test. */
const SAME = {
  submissions:
    'SELECT seq, receipt, endpoint, stamp, facts, quantities, bytes, hex(body), checksum FROM submissions ORDER BY seq',
  outcomes: 'SELECT seq, item, outcome, reason FROM outcomes ORDER BY seq, item',
  pending: 'SELECT seq, public_key, project FROM pending_deliveries ORDER BY seq',
  dead: 'SELECT seq, status FROM dead_letters ORDER BY seq',
  deliveries: 'SELECT seq, attempt, status, answer FROM deliveries ORDER BY id',
  journal: 'SELECT n, kind, seq FROM journal ORDER BY n',
  positions: 'SELECT seq, journal FROM submissions ORDER BY seq',
  ledger:
    'SELECT category, entry, reason, quantity, items FROM ledger_totals WHERE items + quantity <> 0 ORDER BY 1, 2, 3',
  stamps: 'SELECT stamp, journal, since FROM stamps ORDER BY stamp',
  stampLedger:
    'SELECT stamp, category, entry, reason, quantity, items FROM stamp_ledger_totals WHERE items + quantity <> 0 ORDER BY 1, 2, 3, 4',
  unseen: 'SELECT source, category, arrived, reported FROM unseen_answers ORDER BY 1, 2',
  refusals: 'SELECT reason, envelopes, bytes FROM refusals ORDER BY 1',
  paths: 'SELECT reason, path, envelopes FROM refused_paths ORDER BY 1, 2',
  limits: 'SELECT category, reason, source_seq FROM limits ORDER BY category',
  periods: 'SELECT category, reason, source_seq, cut FROM limit_periods ORDER BY id',
  pages: 'SELECT page, category, sent_with, violated_seq, resumed_seq FROM page_limits ORDER BY page, category',
  counters: "SELECT name, value FROM counters WHERE value <> 0 AND name <> 'ran_ms' ORDER BY name",
  marks: 'SELECT name, value FROM settings ORDER BY name',
}
const contents = (db: Database) =>
  Object.fromEntries(Object.entries(SAME).map(([name, sql]) => [name, db.prepare(sql).raw().all()]))

/** The body of an envelope whose client report counts these discards. */
const reportBody = (quantity: number): Uint8Array =>
  Buffer.from(
    `{}\n{"type":"client_report"}\n${JSON.stringify({
      discarded_events: [
        { category: 'span', reason: 'sample_rate', quantity },
        { category: 'error', reason: 'network_error', quantity: 2 },
      ],
    })}`,
  )
const report = (more: Partial<Submission> = {}): Submission =>
  keptSubmission({
    quantities: [{ category: 'internal', quantity: 1 }],
    discards: [
      { category: 'span', reason: 'sample_rate', quantity: 7 },
      { category: 'error', reason: 'network_error', quantity: 2 },
    ],
    body: reportBody(7),
    ...more,
  })
const ofPage = (page: string, one: Submission): Submission => ({ ...one, facts: { ...one.facts, page } })

describe('spools of shards', () => {
  it('merge into what one spool has that received everything', async () => {
    const [a, b, all] = [open(), open(), open()]
    /** Does the same to a shard and to the spool that receives everything; submissions have numbers of their own in each. */
    const appendTo = async (shard: InProcessSpool, one: Submission) => ({
      shard,
      seq: await seqOf(shard.append(one)),
      whole: await seqOf(all.spool.append(one)),
    })
    const attempt = async ({ shard, seq, whole }: Awaited<ReturnType<typeof appendTo>>, more = {}) => {
      await shard.recordAttempt(accepted(seq, more))
      await all.spool.recordAttempt(accepted(whole, more))
    }
    const first = await appendTo(a.spool, submission({ stamp: 's', size: 3000 }))
    const second = await appendTo(b.spool, submission({ stamp: 's' }))
    await appendTo(a.spool, keptSubmission({ quantities: [{ category: 'span', quantity: 12 }] }))
    await attempt(second, { status: 503, decision: null })
    await appendTo(b.spool, submission({ endpoint: 'stream', deliveryStatus: 'copy', discards: [] }))
    await attempt(first)
    const dead = await appendTo(b.spool, submission({ quantities: [{ category: 'log_item', quantity: 3 }] }))
    await attempt(dead, { status: 413, decision: null, dead: true })
    await appendTo(a.spool, report({ stamp: 's' }))
    await appendTo(b.spool, submission())
    for (const { shard, seq } of [
      { shard: b.spool, seq: second.seq },
      { shard: all.spool, seq: second.whole },
    ]) {
      await shard.storeLimits([storedLimit('error', 3600, { receivedAt: now, reason: 'quota', sourceSeq: seq })])
      await shard.decideWithoutAttempt(seq, [{ item: 0, outcome: 'rate_limited', reason: 'limited' }], [])
      await shard.countRefusal('no_key', 12, 'GET /api')
      await shard.saveSetting('error_group/ab', JSON.stringify({ muted: true, note: null }))
    }
    await a.spool.countRefusal('no_key', 5, 'GET /api')
    await all.spool.countRefusal('no_key', 5, 'GET /api')
    const limited = { reportedLimits: [{ category: 'error', until: now + 60_000 }] }
    await appendTo(a.spool, ofPage('p', submission(limited)))
    now += 1000
    await appendTo(a.spool, ofPage('p', submission()))

    const { db, merged } = merge(a.folder, b.folder)
    expect(merged).toEqual({ submissions: 9, duplicates: 0 })
    expect(contents(db)).toEqual(contents(all.spool.db))
    expect(ledgerErrors(db)).toEqual([])
    // The test proves nothing about a table without rows.
    for (const [name, rows] of Object.entries(contents(db))) expect([name, rows.length]).not.toEqual([name, 0])
  })

  it('count a submission that both received once, with the outcome that it has in one of them', async () => {
    const [a, b, all] = [open(), open(), open()]
    const shared = [
      submission({
        stamp: 's',
        quantities: [
          { category: 'error', quantity: 1 },
          { category: 'attachment', quantity: 5 },
        ],
      }),
      report({ stamp: 's', ...pageFacts }),
      submission({ endpoint: 'stream', deliveryStatus: 'copy' }),
    ]
    for (const one of shared) for (const { spool } of [a, all, b]) await spool.append(one)
    for (const { spool } of [a, b, all]) await spool.addUnseenAnswer(shared[0]?.receipt ?? '')
    const decision = [
      { item: 0, outcome: 'accepted', reason: null },
      { item: 1, outcome: 'rate_limited', reason: 'limited' },
    ] as const
    await b.spool.recordAttempt(accepted(1, { decision }))
    await all.spool.recordAttempt(accepted(1, { decision }))
    const { db, merged } = merge(a.folder, b.folder)
    expect(merged).toEqual({ submissions: 3, duplicates: 3 })
    const { ledger, stampLedger, outcomes, pending, unseen, counters } = contents(all.spool.db)
    expect(contents(db)).toMatchObject({ ledger, stampLedger, pending, unseen, counters })
    expect(contents(db).outcomes).toHaveLength(outcomes?.length ?? 0)
    expect(ledgerErrors(db)).toEqual([])
  })

  it('keep two bodies with one receipt', async () => {
    const [a, b] = [open(), open()]
    await a.spool.append(keptSubmission({ receipt: 'r' }))
    await b.spool.append(keptSubmission({ receipt: 'r' }))
    const { db } = merge(a.folder, b.folder)
    expect(db.prepare('SELECT receipt FROM submissions ORDER BY seq').pluck().all()).toEqual(['r', 'r+2'])
    expect(ledgerErrors(db)).toEqual([])
  })

  it('add what was evicted, whose items stay in the ledger', async () => {
    const [a, b] = [open(), open()]
    for (const { spool } of [a, b]) {
      await spool.append(ofPage('p', keptSubmission({ reportedLimits: [{ category: 'error', until: now + 60_000 }] })))
      await spool.append(keptSubmission())
      await spool.evictSettled([1])
    }
    const { db, merged } = merge(a.folder, b.folder)
    expect(merged.submissions).toBe(2)
    expect(contents(db)).toMatchObject({
      counters: expect.arrayContaining([['evicted_records', 2]]),
      ledger: [
        ['error', 'kept', 'no_upstream', 4, 4],
        ['error', 'received', '', 4, 4],
      ],
      pages: [['p', 'error', 0, null, null]],
    })
  })

  it('keep the order of arrival of a shard whose clock was set back', async () => {
    const [a, b] = [open(), open()]
    await a.spool.append(keptSubmission({ receipt: 'a1' }))
    now -= 3_600_000
    await a.spool.append(keptSubmission({ receipt: 'a2' }))
    await b.spool.append(keptSubmission({ receipt: 'b1' }))
    now += 3_600_000
    const { db } = merge(a.folder, b.folder)
    expect(db.prepare('SELECT receipt FROM submissions ORDER BY journal').pluck().all()).toEqual(['b1', 'a1', 'a2'])
    expect(db.prepare('SELECT receipt FROM submissions ORDER BY seq').pluck().all()).toEqual(['b1', 'a1', 'a2'])
  })

  it('number records and attempts whose facts left the journal', async () => {
    const a = open()
    await a.spool.append(submission({ receipt: 'old' }))
    await a.spool.recordAttempt(accepted(1))
    a.spool.db.exec('DELETE FROM journal')
    const b = open()
    await b.spool.append(keptSubmission({ receipt: 'new' }))
    const { db } = merge(b.folder, a.folder)
    expect(db.prepare('SELECT receipt FROM submissions ORDER BY seq').pluck().all()).toEqual(['old', 'new'])
    expect(db.prepare('SELECT seq FROM deliveries').pluck().all()).toEqual([1])
  })

  it.each([11, 12])(
    'balance after random traffic, and when a shard is merged twice (seed %i)',
    async (seed) => {
      const shards = [1, 2, 3].map((one) => new RandomTraffic(randomFrom(seed * 10 + one)))
      for (const traffic of shards) for (let step = 0; step < 70; step += 1) await traffic.step()
      const [a = '', b = '', c = ''] = shards.map(({ spool }) => String(spool.db.name).replace(/\/spool\.db$/, ''))
      const [ab, bc] = [merge(a, b), merge(b, c)]
      const twice = merge(ab.folder, bc.folder)
      const once = merge(a, b, c)
      for (const { db } of [ab, bc, twice, once]) expect(ledgerErrors(db)).toEqual([])
      const count = 'SELECT count(*), sum(bytes) FROM submissions'
      expect(twice.db.prepare(count).raw().get()).toEqual(once.db.prepare(count).raw().get())
      expect(twice.merged.duplicates).toBeGreaterThan(0)
    },
    60_000,
  )

  it('count every submission of a stamp whose totals a shard began again', async () => {
    const [a, b] = [open(), open()]
    const ofStamp = () => submission({ stamp: 's', quantities: [{ category: 'error', quantity: 1 }] })
    await a.spool.append(report({ stamp: 's' }))
    await a.spool.append(ofStamp())
    a.spool.writer.commit(() => {
      for (let n = 0; n < MAX_STAMPS; n += 1)
        a.spool.writer.insertSubmission(keptSubmission({ stamp: `other-${n}`, size: 1 }))
    })
    await a.spool.append(ofStamp())
    await b.spool.append(ofStamp())
    const { db } = merge(a.folder, b.folder)
    expect(ledgerErrors(db)).toEqual([])
    const sql =
      "SELECT entry, category, quantity FROM stamp_ledger_totals WHERE stamp = 's' AND quantity <> 0 ORDER BY 1, 2"
    expect(db.prepare(sql).raw().all()).toEqual([
      ['client_discard', 'error', 2],
      ['client_discard', 'span', 7],
      ['kept', 'internal', 1],
      ['pending', 'error', 3],
      ['received', 'error', 3],
      ['received', 'internal', 1],
    ])
    expect(db.prepare('SELECT count(*) FROM stamps').pluck().get()).toBe(MAX_STAMPS + 1)
  })

  it('merge more files than SQLite attaches at once', async () => {
    const shards = Array.from({ length: 12 }, open)
    for (const { spool } of shards) await spool.append(keptSubmission())
    const { db, merged } = merge(...shards.map(({ folder }) => folder))
    expect(merged.submissions).toBe(12)
    expect(ledgerErrors(db)).toEqual([])
  })
})

const pageFacts = { facts: { ...submission().facts, page: 'p' } }
