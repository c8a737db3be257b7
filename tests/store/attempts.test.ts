import { expect, it } from 'vitest'
import { readAttempts } from '../../collector/spool/read/read-deliveries'
import { readTotals } from '../../collector/spool/read/read-ledger'
import { readOutcomesOf } from '../../collector/spool/read/read-outcomes'
import { accepted, seqOf, submission } from '../unit/spool/in-process-spool'
import { describeStores, type OpenedStore } from './engines'

const TWO = [
  { category: 'error', quantity: 1 },
  { category: 'attachment', quantity: 40 },
]
const HALVES = [
  { item: 0, outcome: 'accepted', reason: null },
  { item: 1, outcome: 'rate_limited', reason: 'limited' },
] as const
const LIMITED = [{ item: -1, outcome: 'rate_limited', reason: 'limited' }] as const

async function outcomesOf(store: OpenedStore, seq: number) {
  const found = readOutcomesOf(await store.readSide(), seq)
  return found?.outcomes.map(({ item, outcome, reason }) => [item, outcome, reason])
}

const isPending = async (store: OpenedStore, seq: number) =>
  (await store.pending('key', '1', 0, 100)).some((one) => one.seq === seq)

describeStores('attempts and outcomes', (open) => {
  it('an accepted attempt decides every item and is kept with all its fields', async () => {
    let now = 1_700_000_000_000
    const store = await open({ now: () => now })
    const seq = await seqOf(store.append(submission({ quantities: TWO })))
    now += 5000
    const attempt = accepted(seq, {
      upstream: 'sentry.test/1',
      startedAt: now - 20,
      endedAt: now - 10,
      rateLimits: '60:error:key',
      retryAfter: '60',
      answer: '{"id":"ü"}',
      form: ['cut', 'late'],
      sha256: 'f'.repeat(64),
      bytes: 2 ** 24,
      maybeDelivered: true,
    })
    await store.recordAttempt(attempt)
    expect(await isPending(store, seq)).toBe(false)
    expect(await outcomesOf(store, seq)).toEqual([[null, 'accepted', null]])
    const db = await store.readSide()
    const { decision: _, dead: __, toReport: ___, ...fields } = attempt
    const [stored, ...more] = readAttempts(db, seq)
    expect(more).toEqual([])
    expect(stored).toMatchObject({ ...fields, attempt: 1 })
    expect(readTotals(db)).toMatchObject({
      items: { received: 2, pending: 0, outcomes: { accepted: 2 } },
      unexplained: [],
    })
  })

  it('an attempt keeps what it left out, what scrubbing removed, and an error', async () => {
    const store = await open()
    const seq = await seqOf(store.append(submission({ quantities: TWO })))
    const leftOut = [{ item: 1, type: 'attachment', category: 'attachment', quantity: 40, reason: 'limited' }]
    const removed = [{ rule: 'password', path: '0.extra.password' }]
    const more = { status: null, error: 'ECONNRESET', answer: null, leftOut, removed }
    await store.recordAttempt(accepted(seq, { decision: null, ...more }))
    expect(readAttempts(await store.readSide(), seq)).toMatchObject([more])
  })

  it('an answer may have characters that a database refuses', async () => {
    const store = await open()
    const seq = await seqOf(store.append(submission()))
    await store.recordAttempt(accepted(seq, { answer: 'a\u0000b', error: 'a\u0000b', retryAfter: '\ud800' }))
    const [stored] = readAttempts(await store.readSide(), seq)
    expect(stored?.answer).toMatch(/^a.?b$/s)
    expect(await isPending(store, seq)).toBe(false)
  })

  it('a decision may have one outcome for each item', async () => {
    const store = await open()
    const seq = await seqOf(store.append(submission({ quantities: TWO })))
    await store.recordAttempt(accepted(seq, { decision: HALVES }))
    expect(await outcomesOf(store, seq)).toEqual([
      [0, 'accepted', null],
      [1, 'rate_limited', 'limited'],
    ])
    const db = await store.readSide()
    expect(readTotals(db)).toMatchObject({
      items: { pending: 0, outcomes: { accepted: 1, rate_limited: 1 } },
      unexplained: [],
    })
  })

  it('a decision that omits an item is refused, and nothing of it is stored', async () => {
    const store = await open()
    const seq = await seqOf(store.append(submission({ quantities: TWO })))
    const message = 'one outcome for each of its 2 items'
    await expect(store.decideWithoutAttempt(seq, HALVES.slice(0, 1), [])).rejects.toThrow(message)
    await expect(store.recordAttempt(accepted(seq, { decision: HALVES.slice(1) }))).rejects.toThrow(message)
    const twice = [HALVES[0], { ...HALVES[0] }]
    await expect(store.recordAttempt(accepted(seq, { decision: twice }))).rejects.toThrow(message)
    expect(await isPending(store, seq)).toBe(true)
    expect(await outcomesOf(store, seq)).toEqual([])
    expect(readAttempts(await store.readSide(), seq)).toEqual([])
    await store.recordAttempt(accepted(seq, { decision: HALVES }))
    expect(readTotals(await store.readSide()).unexplained).toEqual([])
  })

  it('a refused call does not affect calls that run with it', async () => {
    const store = await open()
    const [first, wrong, last] = [submission(), submission({ quantities: TWO }), submission()]
    const seqs = await Promise.all([first, wrong, last].map((one) => seqOf(store.append(one))))
    const [one = 0, two = 0, three = 0] = seqs
    const results = await Promise.allSettled([
      store.recordAttempt(accepted(one)),
      store.recordAttempt(accepted(two, { decision: HALVES.slice(0, 1) })),
      store.append(submission()),
      store.recordAttempt(accepted(three)),
    ])
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'fulfilled'])
    expect(readTotals(await store.readSide())).toMatchObject({
      items: { received: 5, pending: 3, outcomes: { accepted: 2 } },
      unexplained: [],
    })
  })

  it.each([
    ['of 503', 503],
    ['without an answer', null],
  ])('an attempt %s leaves the record pending', async (_title, status) => {
    const store = await open()
    const seq = await seqOf(store.append(submission()))
    for (let n = 0; n < 2; n += 1) await store.recordAttempt(accepted(seq, { status, decision: null }))
    expect(await isPending(store, seq)).toBe(true)
    const db = await store.readSide()
    expect(readAttempts(db, seq).map((one) => [one.attempt, one.status])).toEqual([
      [1, status],
      [2, status],
    ])
    expect(readTotals(db).items).toMatchObject({ received: 1, pending: 1 })
  })

  it('the first decision holds; a later attempt is kept without its decision', async () => {
    const store = await open()
    const seq = await seqOf(store.append(submission({ quantities: TWO })))
    await store.decideWithoutAttempt(seq, LIMITED, [])
    await store.recordAttempt(accepted(seq))
    await store.decideWithoutAttempt(seq, HALVES, [])
    expect(await outcomesOf(store, seq)).toEqual([[null, 'rate_limited', 'limited']])
    const db = await store.readSide()
    expect(readAttempts(db, seq)).toHaveLength(1)
    expect(readTotals(db)).toMatchObject({
      items: { received: 2, pending: 0, outcomes: { rate_limited: 2 } },
      unexplained: [],
    })
  })

  it('of two decisions at once one holds', async () => {
    const store = await open()
    const seq = await seqOf(store.append(submission()))
    await Promise.all([store.recordAttempt(accepted(seq)), store.decideWithoutAttempt(seq, LIMITED, [])])
    expect(await outcomesOf(store, seq)).toHaveLength(1)
    expect(readTotals(await store.readSide())).toMatchObject({ items: { received: 1, pending: 0 }, unexplained: [] })
  })

  it('an append and the decisions about earlier records may run at once', async () => {
    const store = await open()
    const seqs = await Promise.all(Array.from({ length: 20 }, () => seqOf(store.append(submission()))))
    await Promise.all(seqs.flatMap((seq) => [store.recordAttempt(accepted(seq)), store.append(submission())]))
    expect(readTotals(await store.readSide())).toMatchObject({
      items: { received: 40, pending: 20, outcomes: { accepted: 20 } },
      unexplained: [],
    })
    expect(await store.countPending('key', '1')).toEqual({ pending: 20, deadLetters: 0 })
  })

  it('an attempt for an unknown record is ignored', async () => {
    const store = await open()
    await store.append(submission())
    const head = await store.head()
    await store.recordAttempt(accepted(1_000_000))
    await store.recordAttempt(accepted(1_000_000, { decision: null, dead: true, status: 413 }))
    await store.decideWithoutAttempt(1_000_000, LIMITED, [])
    expect(await store.head()).toBe(head)
    expect(readTotals(await store.readSide())).toMatchObject({ items: { received: 1, pending: 1 }, unexplained: [] })
  })

  it('100 attempts of a record are kept, the newest ones', async () => {
    const store = await open()
    const seq = await seqOf(store.append(submission()))
    for (let n = 1; n <= 103; n += 1)
      await store.recordAttempt(accepted(seq, { status: 503, decision: null, startedAt: n, endedAt: n + 1 }))
    const kept = readAttempts(await store.readSide(), seq)
    expect(kept.map(({ startedAt }) => startedAt)).toEqual(Array.from({ length: 100 }, (_, n) => n + 4))
    expect(kept.map(({ attempt }) => attempt)).toEqual(Array.from({ length: 100 }, (_, n) => n + 4))
  })
})
