import { expect, it } from 'vitest'
import { readJournal } from '../../collector/spool/read/read-journal'
import { accepted, keptSubmission, seqOf, submission } from '../unit/spool/in-process-spool'
import { describeStores, type OpenedStore } from './engines'

const factsOf = async (store: OpenedStore) => readJournal(await store.readSide(), 0, 1000).facts

describeStores('the journal', (open) => {
  it('has a fact for each change, in order', async () => {
    const store = await open()
    const dead = (seq: number) => accepted(seq, { status: 413, decision: null, dead: true })
    const first = await seqOf(store.append(submission()))
    const kept = await seqOf(store.append(keptSubmission()))
    const copy = await seqOf(store.append(submission({ endpoint: 'stream', deliveryStatus: 'copy' })))
    await store.recordAttempt(accepted(first, { status: 503, decision: null }))
    await store.recordAttempt(dead(first))
    await store.requeueDeadLetters([first])
    await store.recordAttempt(accepted(first))
    const second = await seqOf(store.append(submission()))
    await store.recordAttempt(dead(second))
    await store.dropDeadLetters([second])
    const third = await seqOf(store.append(submission()))
    await store.decideWithoutAttempt(third, [{ item: -1, outcome: 'rate_limited', reason: 'limited' }], [])
    await store.countRefusal('too_large', 1000)
    await store.noteChanged()
    expect((await factsOf(store)).map(({ kind, seq }) => [kind, seq])).toEqual([
      ['received', first],
      ['received', kept],
      ['decided', kept],
      ['received', copy],
      ['delivered', first],
      ['delivered', first],
      ['pending', first],
      ['delivered', first],
      ['decided', first],
      ['received', second],
      ['delivered', second],
      ['decided', second],
      ['received', third],
      ['decided', third],
      ['refused', null],
      ['changed', null],
    ])
  })

  it('has contiguous numbers, and the head is the last one', async () => {
    let now = 1_700_000_000_000
    const store = await open({ now: () => now })
    expect(await store.head()).toBe((await factsOf(store)).at(-1)?.n ?? 0)
    const before = await store.head()
    await Promise.all(
      Array.from({ length: 30 }, async () => {
        const seq = await seqOf(store.append(submission()))
        await store.recordAttempt(accepted(seq))
        now += 1
      }),
    )
    const facts = await factsOf(store)
    const head = await store.head()
    expect(head).toBe(before + 90)
    expect(facts.map(({ n }) => n)).toEqual(Array.from({ length: head }, (_, at) => at + 1))
    for (const { at } of facts) expect([at >= 1_700_000_000_000, at <= now]).toEqual([true, true])
  })

  it('gives the number of the fact of a record with the answer to its append', async () => {
    const store = await open()
    await store.append(keptSubmission())
    const appended = await store.append(submission())
    const { seq, journal } = { seq: 0, journal: 0, ...appended }
    expect((await factsOf(store)).find(({ n }) => n === journal)).toMatchObject({ kind: 'received', seq })
  })

  it('grows by nothing for a probe or a read', async () => {
    const store = await open()
    await store.append(submission())
    const head = await store.head()
    expect(await store.probe()).toBe(true)
    await store.pending('key', '1', 0, 10)
    await store.limits()
    expect(await store.head()).toBe(head)
  })
})
