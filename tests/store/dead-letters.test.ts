import { expect, it } from 'vitest'
import { readLosses, readTotals } from '../../collector/spool/read/read-ledger'
import { readOutcomesOf } from '../../collector/spool/read/read-outcomes'
import { readDeadLetters } from '../../collector/spool/read/read-pending'
import { accepted, seqOf, submission } from '../unit/spool/in-process-spool'
import { describeStores, type OpenedStore } from './engines'

const FIRST_PAGE = [{ journal: 0, id: '' }, { limit: 10 }] as const
const refused = (seq: number, status = 400) =>
  accepted(seq, { status, answer: 'no', decision: null, dead: true, endedAt: 5 })

async function deadLetter(store: OpenedStore, ...given: Parameters<typeof submission>): Promise<number> {
  const seq = await seqOf(store.append(submission(...given)))
  await store.recordAttempt(refused(seq))
  return seq
}

describeStores('a dead letter', (open) => {
  it('is not listed as pending, has no outcome and counts as pending in the ledger totals', async () => {
    const store = await open()
    const quantities = [
      { category: 'span', quantity: 3 },
      { category: 'span', quantity: 4 },
      { category: 'error', quantity: 1 },
    ]
    const first = await seqOf(store.append(submission({ stamp: 'a', quantities })))
    const other = await seqOf(store.append(submission({ publicKey: 'other' })))
    await store.recordAttempt(accepted(first, { status: 503, decision: null }))
    await store.recordAttempt(refused(first, 413))
    await store.recordAttempt(refused(other))
    expect(await store.pending('key', '1', 0, 10)).toEqual([])
    expect(await store.countPending('key', '1')).toEqual({ pending: 0, deadLetters: 1 })
    expect(await store.deadSeqs()).toEqual([first, other])
    expect(await store.deadItems([other, first, 1_000_000])).toEqual([
      { seq: first, publicKey: 'key', project: '1', categories: ['span', 'error'] },
      { seq: other, publicKey: 'other', project: '1', categories: ['error'] },
    ])
    const db = await store.readSide()
    expect(readOutcomesOf(db, first)?.outcomes).toEqual([])
    expect(readTotals(db)).toMatchObject({ items: { received: 4, pending: 4 }, unexplained: [] })
    expect(readLosses(db, 'a', 0).deadLetters).toEqual([
      { category: 'span', status: 413, quantity: 7 },
      { category: 'error', status: 413, quantity: 1 },
    ])
    expect(readDeadLetters(db, ...FIRST_PAGE).deadLetters).toMatchObject([
      { seq: other, status: 400, attempts: 1 },
      { seq: first, at: 5, status: 413, answer: 'no', attempts: 2, bytes: 100, items: quantities },
    ])
  })

  it('is pending again in its old position when a person sends it again', async () => {
    const store = await open()
    const first = await deadLetter(store)
    const second = await seqOf(store.append(submission()))
    const decided = await seqOf(store.append(submission()))
    await store.recordAttempt(accepted(decided))
    expect(await store.requeueDeadLetters([first, second, decided, 1_000_000])).toEqual([first])
    expect((await store.pending('key', '1', 0, 10)).map(({ seq }) => seq)).toEqual([first, second])
    expect(await store.deadSeqs()).toEqual([])
    expect(await store.requeueDeadLetters([first])).toEqual([])
    expect(await store.requeueDeadLetters([])).toEqual([])
    const db = await store.readSide()
    expect(readDeadLetters(db, ...FIRST_PAGE).deadLetters).toEqual([])
    await store.recordAttempt(accepted(first))
    expect(readTotals(await store.readSide())).toMatchObject({
      items: { received: 3, pending: 1, outcomes: { accepted: 2 } },
      unexplained: [],
    })
  })

  it('becomes a dead letter again after it was sent again', async () => {
    const store = await open()
    const seq = await deadLetter(store)
    await store.requeueDeadLetters([seq])
    await store.recordAttempt(refused(seq, 422))
    expect(await store.deadSeqs()).toEqual([seq])
    expect(readDeadLetters(await store.readSide(), ...FIRST_PAGE).deadLetters).toMatchObject([
      { seq, status: 422, attempts: 2 },
    ])
  })

  it('gets the outcome dropped once', async () => {
    const store = await open()
    const dead = [await deadLetter(store), await deadLetter(store)]
    const pending = await seqOf(store.append(submission()))
    expect(await store.dropDeadLetters([...dead, pending, 1_000_000])).toBe(2)
    expect(await store.dropDeadLetters(dead)).toBe(0)
    expect(await store.dropDeadLetters([])).toBe(0)
    expect(await store.deadSeqs()).toEqual([])
    const db = await store.readSide()
    for (const seq of dead)
      expect(readOutcomesOf(db, seq)?.outcomes).toMatchObject([{ outcome: 'dropped', reason: 'dead_letter' }])
    expect(readTotals(db)).toMatchObject({ items: { pending: 1, outcomes: { dropped: 2 } }, unexplained: [] })
    expect(readDeadLetters(db, ...FIRST_PAGE).deadLetters).toEqual([])
  })

  it('is dropped or sent again, never both', async () => {
    const store = await open()
    const seq = await deadLetter(store)
    const [requeued, dropped] = await Promise.all([store.requeueDeadLetters([seq]), store.dropDeadLetters([seq])])
    expect(requeued.length + dropped).toBe(1)
    expect(await store.countPending('key', '1')).toEqual({ pending: requeued.length, deadLetters: 0 })
    expect(readTotals(await store.readSide())).toMatchObject({
      items: { pending: requeued.length, outcomes: { dropped } },
      unexplained: [],
    })
  })

  it('is not made of a submission that was settled while its post was open', async () => {
    const store = await open()
    const seq = await seqOf(store.append(submission()))
    await store.decideWithoutAttempt(seq, [{ item: -1, outcome: 'rate_limited', reason: 'limited' }], [])
    await store.recordAttempt(refused(seq))
    expect(await store.deadSeqs()).toEqual([])
    expect(readTotals(await store.readSide())).toMatchObject({ items: { pending: 0 }, unexplained: [] })
  })

  it('requires the status of the refusal', async () => {
    const store = await open()
    const seq = await seqOf(store.append(submission()))
    await expect(store.recordAttempt({ ...refused(seq), status: null })).rejects.toThrow(
      'needs a status and no decision',
    )
    expect(await store.countPending('key', '1')).toEqual({ pending: 1, deadLetters: 0 })
    expect(readTotals(await store.readSide())).toMatchObject({ items: { pending: 1 }, unexplained: [] })
  })
})
