import { describe, expect, it } from 'vitest'
import { ONE, settle, sharing, TWO } from './collector-of-lanes'

describe('collectors that share a record', () => {
  it('share the upstreams when a second one comes, after the open posts of the first have ended', async () => {
    const { record, receive, collectorOf, pass } = await sharing('a', 'b')
    const [a, b] = [collectorOf('a'), collectorOf('b')]
    expect(record.owners).toEqual({ 1: 'a', 2: 'a' })

    a.answersAtOnce = false
    const [open = 0] = receive(TWO, 1)
    await settle()
    expect(a.open.map(({ seq }) => seq)).toEqual([open])
    b.relay.start()
    await pass(6000)
    expect(record.owners).toEqual({ 1: 'a', 2: 'a' })
    const later = receive(TWO, 2)
    await pass(2000)
    expect([...a.posted, ...b.posted]).toEqual([open])

    a.open[0]?.answer(200)
    await pass(6000)
    expect(record.owners).toEqual({ 1: 'a', 2: 'b' })
    expect([a.posted, b.posted]).toEqual([[open], later])
    expect(record.pending).toEqual([])
    expect(record.refused).toEqual([])
  })

  it('each post only to the upstreams that they own', async () => {
    const { receive, collectorOf, pass, record } = await sharing('a', 'b')
    collectorOf('b').relay.start()
    await pass(15_000)
    const [one, two] = [receive(ONE, 40), receive(TWO, 40)]
    await pass(1000)
    expect([collectorOf('a').posted, collectorOf('b').posted]).toEqual([one, two])
    expect(record.pending).toEqual([])
  })

  it('take over from one that died once its lease has ended, from the oldest pending record on', async () => {
    const { record, receive, collectorOf, pass } = await sharing('a', 'b')
    collectorOf('b').relay.start()
    await pass(15_000)
    collectorOf('a').freeze()
    const waiting = receive(ONE, 3)
    await pass(14_000)
    expect(collectorOf('b').posted).toEqual([])
    await pass(12_000)
    expect(record.owners).toEqual({ 1: 'b', 2: 'b' })
    expect(collectorOf('b').posted).toEqual(waiting)
  })

  it('take over at the next renewal from one that closed, after its posts were answered', async () => {
    const { record, receive, collectorOf, pass } = await sharing('a', 'b')
    const [a, b] = [collectorOf('a'), collectorOf('b')]
    b.relay.start()
    await pass(15_000)
    a.answersAtOnce = false
    receive(ONE, 1)
    await settle()
    const closing = a.relay.close(3000).then(() => a.relay.releaseLanes())
    const later = receive(ONE, 1)
    await pass(1000)
    expect(record.owners).toEqual({ 1: 'a', 2: 'b' })
    a.open[0]?.answer(200)
    await closing
    expect(record.owners).toEqual({ 1: null, 2: 'b' })
    await pass(5000)
    expect(record.owners).toEqual({ 1: 'b', 2: 'b' })
    expect([a.posted.length, b.posted]).toEqual([1, later])
  })

  it('go back to more upstreams each when one leaves', async () => {
    const { record, collectorOf, pass, receive } = await sharing('a', 'b')
    const b = collectorOf('b')
    b.relay.start()
    await pass(15_000)
    await b.relay.close(3000)
    await b.relay.releaseLanes()
    await pass(25_000)
    expect(record.owners).toEqual({ 1: 'a', 2: 'a' })
    const seqs = receive(TWO, 2)
    await settle()
    expect(collectorOf('a').posted).toEqual(seqs)
  })
})

describe('an owner that hangs for 40 s and continues', () => {
  it('posts nothing more until it owns a lane again, and its late results are refused', async () => {
    const { record, receive, collectorOf, pass } = await sharing('a', 'b')
    const [a, b] = [collectorOf('a'), collectorOf('b')]
    b.relay.start()
    await pass(15_000)
    a.answersAtOnce = false
    // More than one window: when a post is answered, the next one would start.
    const seqs = receive(ONE, 50)
    await settle()
    expect(a.open.length).toBe(30)
    a.freeze()
    for (const { answer } of a.open.splice(0, 10)) answer(200)
    await pass(40_000)
    expect(record.owners).toEqual({ 1: 'b', 2: 'b' })
    expect(b.posted).toEqual(seqs)

    await a.resume()
    expect(a.posted.length).toBe(30)
    expect(record.refused.map(({ by }) => by)).toEqual(Array(30).fill('a'))
    expect(record.outcomes).toEqual(seqs.map((seq) => ({ seq, by: 'b' })))
    expect(a.log.filter((line) => line.includes('one.test/1: another collector relays'))).toHaveLength(1)
    a.answersAtOnce = true
    await pass(30_000)
    expect(record.owners).toMatchObject({ 1: expect.any(String), 2: expect.any(String) })
    expect(Object.values(record.owners).sort()).toEqual(['a', 'b'])
    expect(a.posted.length).toBe(30)
  })

  it('does not trust a renewal whose answer it reads after the lease', async () => {
    const { record, receive, collectorOf, pass, clock } = await sharing('a', 'b')
    const [a, b] = [collectorOf('a'), collectorOf('b')]
    // It freezes while the store answers a renewal.
    clock.later(() => a.freeze(), 5000)
    await pass(5000)
    b.relay.start()
    await pass(35_000)
    expect(record.owners).toEqual({ 1: 'b', 2: 'b' })
    b.answersAtOnce = false
    receive(ONE, 5)
    await a.resume()
    expect(a.posted).toEqual([])
  })

  it('notices it before it posts, where an answer is read before any timer runs', async () => {
    const { receive, collectorOf, clock, record } = await sharing('a')
    const a = collectorOf('a')
    a.answersAtOnce = false
    receive(ONE, 31)
    await settle()
    a.freeze()
    a.open[0]?.answer(200)
    clock.pass(40_000)
    await a.resume()
    expect(a.aborted).toHaveLength(29)
    // No other collector took the lane, so the answer counts. After the next renewal it starts from the oldest record.
    expect(record.outcomes).toEqual([{ seq: 1, by: 'a' }])
    expect(a.posted.slice(29, 32)).toEqual([30, 2, 3])
  })
})

describe('while the store is away', () => {
  it('an owner aborts its posts after 15 s and starts none, and continues when it owns the lanes again', async () => {
    const { record, receive, collectorOf, pass } = await sharing('a')
    const a = collectorOf('a')
    a.answersAtOnce = false
    receive(ONE, 2)
    await settle()
    record.isAway = true
    await pass(14_900)
    expect(a.aborted).toEqual([])
    await pass(200)
    expect(a.aborted).toEqual([1, 2])
    receive(ONE, 1)
    await pass(30_000)
    expect(a.posted).toEqual([1, 2])
    expect(a.log.filter((line) => line.includes('cannot be renewed'))).toHaveLength(1)

    record.isAway = false
    a.answersAtOnce = true
    await pass(5000)
    expect(a.posted).toEqual([1, 2, 1, 2, 3])
    expect(record.pending).toEqual([])
  })

  it('an answered post whose result could not be written is not repeated by the same owner', async () => {
    const { record, receive, collectorOf, pass } = await sharing('a')
    const a = collectorOf('a')
    record.isAway = true
    const seqs = receive(ONE, 1)
    await pass(40_000)
    expect(a.posted).toEqual(seqs)
    record.isAway = false
    await pass(5000)
    expect(a.posted).toEqual(seqs)
    expect(record.outcomes).toEqual([{ seq: 1, by: 'a' }])
  })

  it('a record whose result is still being written is not posted again, also when the lane is lost and gained meanwhile', async () => {
    const { record, receive, collectorOf, pass } = await sharing('a')
    const a = collectorOf('a')
    let write: () => void = () => undefined
    record.beforeResults = new Promise((resolve) => {
      write = resolve
    })
    const seqs = receive(ONE, 1)
    await settle()
    record.isAway = true
    await pass(16_000)
    record.isAway = false
    await pass(5000)
    const later = receive(ONE, 1)
    await settle()
    expect(a.posted).toEqual(seqs)
    write()
    await settle()
    expect(a.posted).toEqual([...seqs, ...later])
    expect(record.pending).toEqual([])
  })

  it('a result that could not be written is dropped where another collector took the lane, which posts the record', async () => {
    const { record, receive, collectorOf, pass } = await sharing('a', 'b')
    const [a, b] = [collectorOf('a'), collectorOf('b')]
    record.isAway = true
    const seqs = receive(ONE, 1)
    await pass(25_000)
    expect(a.posted).toEqual(seqs)
    a.freeze()
    record.isAway = false
    b.relay.start()
    await pass(30_000)
    await a.resume()
    await pass(30_000)
    expect([a.posted, b.posted]).toEqual([seqs, seqs])
    expect(record.outcomes).toEqual([{ seq: 1, by: 'b' }])
  })
})
