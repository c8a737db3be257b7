import { afterAll, describe, expect, it } from 'vitest'
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

afterAll(removeFolders)

const MiB = 1024 * 1024
const refused = (seq: number, status = 400) =>
  accepted(seq, { status, answer: 'no', decision: null, dead: true, endedAt: 5 })

const outcomesOf = (spool: InProcessSpool, seq: number) =>
  spool.db.prepare('SELECT outcome, reason FROM outcomes WHERE seq = ?').raw().all(seq)
const tables = (spool: InProcessSpool, seq: number) =>
  Object.fromEntries(
    ['submissions', 'pending_deliveries', 'dead_letters', 'deliveries', 'outcomes'].map((table) => [
      table,
      spool.db.prepare(`SELECT count(*) FROM ${table} WHERE seq = ?`).pluck().get(seq),
    ]),
  )

const NOWHERE = { submissions: 0, pending_deliveries: 0, dead_letters: 0, deliveries: 0, outcomes: 0 }

describe('a dead letter', () => {
  it('has no outcome and stays pending in the ledger totals, also after a restart', async () => {
    const folder = temporaryFolder()
    let spool = openInProcess({ folder })
    const seq = await seqOf(spool.append(submission({ quantities: [{ category: 'span', quantity: 3 }] })))
    await spool.recordAttempt(refused(seq, 413))
    expect(tables(spool, seq)).toEqual({ ...NOWHERE, submissions: 1, dead_letters: 1, deliveries: 1 })
    expect(spool.db.prepare('SELECT at, status, public_key, project FROM dead_letters').raw().get()).toEqual([
      5,
      413,
      'key',
      '1',
    ])
    expect([spool.quantityOf('received'), spool.quantityOf('pending')]).toEqual([3, 3])
    const { pending, deadLetters } = await spool.usage()
    expect([pending.records, deadLetters.records, deadLetters.bytes > 0]).toEqual([0, 1, true])
    spool.close()
    spool = openInProcess({ folder })
    expect((await spool.usage()).deadLetters).toEqual(deadLetters)
  })

  it('is pending as before when it is sent again, with a fact in the journal', async () => {
    const spool = openInProcess({})
    const seq = await seqOf(spool.append(submission()))
    const before = spool.db.prepare('SELECT * FROM pending_deliveries').all()
    await spool.recordAttempt(refused(seq))
    expect(await spool.requeueDeadLetters([seq, 99])).toEqual([seq])
    expect(spool.db.prepare('SELECT * FROM pending_deliveries').all()).toEqual(before)
    expect(spool.facts.at(-1)).toMatchObject({ kind: 'pending', seq })
    expect(await spool.requeueDeadLetters([seq])).toEqual([])
    await spool.recordAttempt(accepted(seq))
    expect([spool.quantityOf('pending'), spool.quantityOf('accepted')]).toEqual([0, 1])
  })

  it('gets the outcome dropped once', async () => {
    const spool = openInProcess({})
    for (const seq of [1, 2]) {
      await spool.append(submission())
      await spool.recordAttempt(refused(seq))
    }
    expect(await spool.dropDeadLetters([1, 2])).toBe(2)
    expect(await spool.dropDeadLetters([1, 2])).toBe(0)
    expect(outcomesOf(spool, 1)).toEqual([['dropped', 'dead_letter']])
    expect([spool.quantityOf('pending'), spool.quantityOf('dropped')]).toEqual([0, 2])
    expect(spool.facts.at(-1)).toMatchObject({ kind: 'decided', seq: 2 })
    expect(await spool.settledRecords(10)).toEqual([1, 2])
  })

  it('is sent again only when it fits the share of pending records', async () => {
    const spool = openInProcess({ cap: 16 * MiB })
    await spool.append(submission({ size: MiB }))
    await spool.recordAttempt(refused(1))
    for (let n = 0; n < 11; n += 1) await spool.append(submission({ size: MiB }))
    expect(await spool.requeueDeadLetters([1])).toEqual([])
    await spool.recordAttempt(accepted(2))
    expect(await spool.requeueDeadLetters([1])).toEqual([1])
  })

  it('is not evicted as a settled record; evicted as a dead letter it ends as invalid with all its rows', async () => {
    const spool = openInProcess({})
    await spool.append(submission())
    await spool.recordAttempt(refused(1, 413))
    await spool.append(keptSubmission())
    expect(await spool.settledRecords(10)).toEqual([2])
    await spool.evictSettled([1])
    expect(tables(spool, 1).submissions).toBe(1)
    expect(await spool.deadLetterRecords(10)).toEqual([1])
    await spool.evictDeadLetters([1, 2])
    expect(tables(spool, 1)).toEqual(NOWHERE)
    expect(spool.db.prepare("SELECT reason, quantity FROM ledger_totals WHERE entry = 'invalid'").raw().all()).toEqual([
      ['upstream_413', 1],
    ])
    const { evicted, deadLetters, records } = await spool.usage()
    expect([evicted.deadLetters, deadLetters.records, records]).toEqual([1, 0, 1])
    expect(tables(spool, 2).submissions).toBe(1)
  })

  it('gets the outcome dropped when a person clears', async () => {
    const spool = openInProcess({})
    await spool.append(submission())
    await spool.recordAttempt(refused(1))
    await spool.clear([1])
    expect(tables(spool, 1)).toEqual(NOWHERE)
    expect([spool.quantityOf('dropped'), spool.quantityOf('pending')]).toEqual([1, 0])
  })

  it('is not made of a submission that was settled while its post was open', async () => {
    const spool = openInProcess({})
    await spool.append(submission())
    await spool.decideWithoutAttempt(1, [{ item: -1, outcome: 'rate_limited', reason: 'limited' }], [])
    await spool.recordAttempt(refused(1))
    expect(tables(spool, 1)).toMatchObject({ dead_letters: 0, outcomes: 1 })
  })

  it('requires the status of the refusal', async () => {
    const spool = openInProcess({})
    await spool.append(submission())
    await expect(spool.recordAttempt({ ...refused(1), status: null })).rejects.toThrow('needs a status and no decision')
    expect(tables(spool, 1)).toMatchObject({ pending_deliveries: 1, deliveries: 0 })
  })
})

describe('discards to report upstream', () => {
  const cut = { category: 'transaction', reason: 'ratelimit_backoff', quantity: 1 }
  const unreported = (spool: InProcessSpool) =>
    spool.db.prepare('SELECT public_key, project, reason, category, quantity FROM unreported').raw().all()

  it('are written with the outcomes, not before', async () => {
    const spool = openInProcess({})
    for (let n = 0; n < 3; n += 1) await spool.append(submission())
    await spool.recordAttempt(accepted(1, { status: 503, decision: null, toReport: [cut] }))
    await spool.recordAttempt({ ...refused(2), toReport: [cut] })
    expect(unreported(spool)).toEqual([])
    await spool.recordAttempt(accepted(1, { toReport: [cut, { ...cut, category: 'span', quantity: 4 }] }))
    await spool.decideWithoutAttempt(3, [{ item: -1, outcome: 'rate_limited', reason: 'limited' }], [cut])
    await spool.decideWithoutAttempt(3, [{ item: -1, outcome: 'rate_limited', reason: 'limited' }], [cut])
    expect(unreported(spool)).toEqual([
      ['key', '1', 'ratelimit_backoff', 'span', 4],
      ['key', '1', 'ratelimit_backoff', 'transaction', 2],
    ])
  })

  it('decrease by the reported quantities; later ones stay', async () => {
    const spool = openInProcess({})
    await spool.append(submission())
    const spans = { ...cut, category: 'span', quantity: 4 }
    await spool.recordAttempt(accepted(1, { toReport: [{ ...cut, quantity: 5 }, spans] }))
    await spool.subtractReported('key', '1', [{ ...cut, quantity: 3 }, spans])
    await spool.subtractReported('key', '2', [cut])
    expect(unreported(spool)).toEqual([['key', '1', 'ratelimit_backoff', 'transaction', 2]])
  })
})

it('a decision has one outcome for all items or one for each; otherwise nothing of it is stored', async () => {
  const spool = openInProcess({})
  const quantities = [
    { category: 'error', quantity: 1 },
    { category: 'attachment', quantity: 1 },
  ]
  await spool.append(submission({ quantities }))
  const halves = [
    { item: 0, outcome: 'accepted', reason: null },
    { item: 1, outcome: 'rate_limited', reason: 'limited' },
  ] as const
  await expect(spool.decideWithoutAttempt(1, halves.slice(0, 1), [])).rejects.toThrow(
    'one outcome for each of its 2 items',
  )
  expect(tables(spool, 1)).toMatchObject({ pending_deliveries: 1, outcomes: 0 })
  expect(spool.quantityOf('pending')).toBe(2)
  await spool.decideWithoutAttempt(1, halves, [])
  expect([spool.quantityOf('accepted', 'error'), spool.quantityOf('rate_limited', 'attachment')]).toEqual([1, 1])
})

it('adds a journal fact for a changed script or setting', async () => {
  const spool = openInProcess({})
  await spool.noteChanged()
  expect(spool.facts).toMatchObject([{ kind: 'changed', seq: null }])
})
