import { expect, it } from 'vitest'
import { readLosses, readTotals } from '../../collector/spool/read/read-ledger'
import { accepted, seqOf, submission } from '../unit/spool/in-process-spool'
import { storedLimit } from '../unit/spool/stored-limit'
import { describeStores } from './engines'

describeStores('a store that is opened again', (open) => {
  it('has everything that was stored before, and continues its numbers', async () => {
    const first = await open()
    const sent = submission({ stamp: 'a' })
    const pending = await seqOf(first.append(sent))
    const dead = await seqOf(first.append(submission()))
    const decided = await seqOf(first.append(submission()))
    const cut = { category: 'span', reason: 'ratelimit_backoff', quantity: 2 }
    await first.recordAttempt(accepted(dead, { status: 413, decision: null, dead: true }))
    await first.recordAttempt(accepted(decided, { toReport: [cut] }))
    const limit = storedLimit('error', 600, { receivedAt: Date.now() })
    await first.storeLimits([limit])
    await first.saveSetting('relay', 'off')
    await first.countRefusal('too_large', 1000)
    const head = await first.head()
    const totals = readTotals(await first.readSide())

    const store = await first.reopen()
    expect(await store.head()).toBe(head)
    expect(await seqOf(store.append(sent))).toBe(pending)
    expect((await store.pending('key', '1', 0, 10)).map(({ seq }) => seq)).toEqual([pending])
    expect(await store.deadSeqs()).toEqual([dead])
    expect(await store.unreported('key', '1')).toEqual([cut])
    expect(await store.limits()).toEqual([limit])
    expect(await store.setting('relay')).toBe('off')
    expect(readTotals(await store.readSide())).toEqual(totals)
    expect(await seqOf(store.append(submission({ stamp: 'a' })))).toBeGreaterThan(decided)
    expect(readLosses(await store.readSide(), 'a', 0).categories).toMatchObject([{ received: 2, pending: 2 }])
  })

  it('continues to count the category names that senders made up', async () => {
    const first = await open()
    const quantities = Array.from({ length: 300 }, (_, n) => ({ category: `made-up-${n}`, quantity: 1 }))
    const before = await first.record(await seqOf(first.append(submission({ quantities }))))
    const store = await first.reopen()
    const after = await store.record(await seqOf(store.append(submission({ quantities }))))
    expect(after?.quantities).toEqual(before?.quantities)
  })
})
