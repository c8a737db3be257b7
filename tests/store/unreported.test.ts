import { expect, it } from 'vitest'
import { readUnreported } from '../../collector/spool/read/read-limits'
import { accepted, seqOf, submission } from '../unit/spool/in-process-spool'
import { describeStores } from './engines'

const cut = { category: 'transaction', reason: 'ratelimit_backoff', quantity: 1 }
const spans = { ...cut, category: 'span', quantity: 4 }
const LIMITED = [{ item: -1, outcome: 'rate_limited', reason: 'limited' }] as const

describeStores('discards to report upstream', (open) => {
  it('are written with a decision, and only by the one that holds', async () => {
    const store = await open()
    const seqs: number[] = []
    for (let n = 0; n < 3; n += 1) seqs.push(await seqOf(store.append(submission())))
    const [first = 0, second = 0, third = 0] = seqs
    await store.recordAttempt(accepted(first, { status: 503, decision: null, toReport: [cut] }))
    await store.recordAttempt(accepted(second, { status: 413, decision: null, dead: true, toReport: [cut] }))
    expect(await store.unreported('key', '1')).toEqual([])
    await store.recordAttempt(accepted(first, { toReport: [cut, spans] }))
    await store.recordAttempt(accepted(first, { toReport: [cut, spans] }))
    await store.decideWithoutAttempt(third, LIMITED, [cut])
    await store.decideWithoutAttempt(third, LIMITED, [cut])
    const expected = [
      { category: 'span', reason: 'ratelimit_backoff', quantity: 4 },
      { category: 'transaction', reason: 'ratelimit_backoff', quantity: 2 },
    ]
    expect(await store.unreported('key', '1')).toEqual(expected)
    expect(await store.unreported('key', '2')).toEqual([])
    expect(readUnreported(await store.readSide(), 'key', '1')).toEqual(expected)
  })

  it('add up when one decision names a category twice', async () => {
    const store = await open()
    const seq = await seqOf(store.append(submission()))
    await store.recordAttempt(accepted(seq, { toReport: [cut, { ...cut, quantity: 2 }] }))
    expect(await store.unreported('key', '1')).toEqual([{ ...cut, quantity: 3 }])
  })

  it('decrease by the reported quantities; later ones stay', async () => {
    const store = await open()
    const seq = await seqOf(store.append(submission()))
    await store.recordAttempt(accepted(seq, { toReport: [{ ...cut, quantity: 5 }, spans] }))
    await store.subtractReported('key', '1', [{ ...cut, quantity: 3 }, spans])
    await store.subtractReported('key', '2', [cut])
    await store.subtractReported('key', '1', [])
    expect(await store.unreported('key', '1')).toEqual([{ ...cut, quantity: 2 }])
    expect(readUnreported(await store.readSide(), 'key', '1')).toEqual([{ ...cut, quantity: 2 }])
    await store.subtractReported('key', '1', [{ ...cut, quantity: 9 }])
    expect(await store.unreported('key', '1')).toEqual([])
    const later = await seqOf(store.append(submission()))
    await store.recordAttempt(accepted(later, { toReport: [cut] }))
    expect(await store.unreported('key', '1')).toEqual([cut])
  })
})
