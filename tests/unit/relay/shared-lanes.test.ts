import { describe, expect, it } from 'vitest'
import { type CollectorOfLanes, ONE, settle, sharing, TWO } from './collector-of-lanes'

/** Collectors that share 4 lanes of each upstream. The first one owns all of them. */
async function fourLanes<Name extends string>(...names: readonly Name[]) {
  const shared = await sharing(...names)
  shared.record.lanes = 4
  await shared.pass(5000)
  return shared
}

const openSeqs = ({ open }: CollectorOfLanes): readonly number[] => open.map(({ seq }) => seq)

describe('lanes of one upstream', () => {
  it('go half to a collector that starts later, and each record is posted by the owner of its lane', async () => {
    const { record, receive, collectorOf, pass } = await fourLanes('a', 'b')
    const [a, b] = [collectorOf('a'), collectorOf('b')]
    expect([record.ownersOf(ONE), record.ownersOf(TWO)]).toEqual([Array(4).fill('a'), Array(4).fill('a')])
    b.relay.start()
    await pass(15_000)
    expect([record.ownersOf(ONE), record.ownersOf(TWO)]).toEqual([
      ['a', 'a', 'b', 'b'],
      ['a', 'a', 'b', 'b'],
    ])
    const seqs = [0, 1, 2, 3].map((lane) => receive(ONE, 20, lane))
    await pass(1000)
    const sorted = (posted: readonly number[]) => [...posted].sort((one, other) => one - other)
    expect(sorted(a.posted)).toEqual([...(seqs[0] ?? []), ...(seqs[1] ?? [])])
    expect(sorted(b.posted)).toEqual([...(seqs[2] ?? []), ...(seqs[3] ?? [])])
    expect(record.pending).toEqual([])
  })

  it('are shared by three, taken back when one closes, and by all others when one dies', async () => {
    const { record, collectorOf, pass } = await fourLanes('a', 'b', 'c')
    collectorOf('b').relay.start()
    collectorOf('c').relay.start()
    await pass(30_000)
    const counts = (): Record<string, number> => {
      const owners = [...record.ownersOf(ONE), ...record.ownersOf(TWO)]
      return Object.fromEntries(['a', 'b', 'c'].map((name) => [name, owners.filter((one) => one === name).length]))
    }
    expect(counts()).toEqual({ a: 3, b: 3, c: 2 })
    await collectorOf('c').relay.close(3000)
    await collectorOf('c').relay.releaseLanes()
    await pass(10_000)
    expect(counts()).toEqual({ a: 4, b: 4, c: 0 })
    collectorOf('a').freeze()
    await pass(29_000)
    expect(counts()).toEqual({ a: 0, b: 8, c: 0 })
  })

  it('are taken over from one that hangs, whose results count for none of them when it continues', async () => {
    const { record, receive, collectorOf, pass } = await fourLanes('a', 'b')
    const [a, b] = [collectorOf('a'), collectorOf('b')]
    b.relay.start()
    await pass(15_000)
    a.answersAtOnce = false
    const seqs = [...receive(ONE, 5, 0), ...receive(ONE, 5, 1)]
    await settle()
    expect(a.open).toHaveLength(10)
    a.freeze()
    for (const { answer } of a.open) answer(200)
    await pass(29_000)
    expect([...b.posted].sort((one, other) => one - other)).toEqual(seqs)
    await a.resume()
    expect(record.refused.map(({ by }) => by)).toEqual(Array(10).fill('a'))
    expect(record.outcomes.every(({ by }) => by === 'b')).toBe(true)
    a.answersAtOnce = true
    await pass(40_000)
    expect(record.ownersOf(ONE)).toHaveLength(4)
    expect(record.ownersOf(ONE).filter((owner) => owner === 'a')).toHaveLength(2)
  })

  it('have one window of posts together, and start posts in turn', async () => {
    const { receive, collectorOf } = await fourLanes('a')
    const a = collectorOf('a')
    a.answersAtOnce = false
    const long = receive(ONE, 200, 1)
    await settle()
    expect(openSeqs(a)).toEqual(long.slice(0, 30))
    const others = [...receive(ONE, 3, 0), ...receive(ONE, 3, 3)]
    await settle()
    expect(a.open).toHaveLength(30)
    for (const { answer } of a.open.splice(0, 9)) {
      answer(200)
      await settle()
      expect(a.open.length).toBeLessThanOrEqual(30)
    }
    // Of nine posts that started since, three are of each lane.
    expect(a.posted.slice(30).filter((seq) => others.includes(seq))).toHaveLength(6)
    expect(a.posted).toHaveLength(39)
  })

  it('wait together for an upstream that is away, and one probe is sent for all', async () => {
    const { record, receive, collectorOf, pass } = await fourLanes('a')
    const a = collectorOf('a')
    a.answersAtOnce = false
    const seqs = [0, 1, 2, 3].flatMap((lane) => receive(ONE, 5, lane))
    await settle()
    for (const { answer } of a.open.splice(0)) answer(503)
    await settle()
    expect((await a.relay.states())[0]).toMatchObject({ state: 'backing_off', pending: 20 })
    const before = a.posted.length
    await pass(2000)
    expect(a.posted).toHaveLength(before + 1)
    a.answersAtOnce = true
    for (const { answer } of a.open.splice(0)) answer(200)
    await pass(10_000)
    expect(record.pending).toEqual([])
    expect(record.outcomes.map(({ seq }) => seq).sort((one, other) => one - other)).toEqual(seqs)
    expect(a.posted.length).toBeLessThan(2 * seqs.length + 2)
  })

  it('are lost alone: the posts of one are aborted, and the others continue at once', async () => {
    const { record, receive, collectorOf, clock } = await fourLanes('a')
    const a = collectorOf('a')
    a.answersAtOnce = false
    const [lost, kept] = [receive(ONE, 3, 1), receive(ONE, 3, 2)]
    await settle()
    record.takeAway(ONE, 1)
    a.open.find(({ seq }) => seq === lost[0])?.answer(200)
    await settle()
    expect(a.aborted).toEqual(lost.slice(1))
    expect(record.refused.map(({ seq }) => seq)).toContain(lost[0])
    for (const { seq, answer } of a.open) if (kept.includes(seq)) answer(200)
    const [later = 0] = receive(ONE, 1, 3)
    await settle()
    // Without a wait: aborted posts are no failures of upstream.
    expect(clock.now()).toBe(5000)
    expect(a.posted.at(-1)).toBe(later)
    expect(record.outcomes.map(({ seq }) => seq)).toEqual(kept)
  })

  it('that are not configured any more are delivered, then given back', async () => {
    const { record, receive, collectorOf, pass } = await fourLanes('a')
    const a = collectorOf('a')
    a.answersAtOnce = false
    const [seq = 0] = receive(ONE, 1, 3)
    await settle()
    record.lanes = 1
    await pass(6000)
    expect(record.ownersOf(ONE)).toEqual(['a', null, null, 'a'])
    expect(openSeqs(a)).toEqual([seq])
    a.open[0]?.answer(200)
    await pass(6000)
    expect(record.ownersOf(ONE)).toEqual(['a', null, null, null])
    a.answersAtOnce = true
    const late = receive(ONE, 2, 2)
    await pass(6000)
    expect(a.posted).toEqual([seq, ...late])
    expect(record.pending).toEqual([])
  })

  it('show one state of the upstream at each collector, with both owners', async () => {
    const { receive, collectorOf, pass } = await fourLanes('a', 'b')
    const [a, b] = [collectorOf('a'), collectorOf('b')]
    b.relay.start()
    await pass(15_000)
    for (const one of [a, b]) one.answersAtOnce = false
    for (const lane of [0, 1, 2, 3]) receive(ONE, 2, lane)
    await pass(1100)
    const shown = { state: 'relaying', open: 8, pending: 8, owner: 'a, b' }
    expect((await a.relay.states())[0]).toMatchObject(shown)
    expect((await b.relay.states())[0]).toMatchObject(shown)
    for (const { answer } of b.open.splice(0)) answer(403)
    await pass(1100)
    const seen = (await a.relay.states())[0]
    expect(seen).toMatchObject({ state: 'paused', paused: { status: 403 }, open: 4 })
    expect((await b.relay.states())[0]).toEqual(seen)
    b.freeze()
    await pass(60_000)
    const alone = (await a.relay.states())[0]
    expect(alone).toMatchObject({ owner: 'a' })
    expect(alone).not.toHaveProperty('unownedMs')
  })

  it('have one collector that reports what all of them cut: the owner of the first', async () => {
    const { collectorOf, pass } = await fourLanes('a', 'b')
    collectorOf('b').relay.start()
    await pass(15_000)
    const upstreamOf = (name: 'a' | 'b') => collectorOf(name).relay.upstreamFor(ONE)
    expect(upstreamOf('a')).toMatchObject({ isRelayed: true, isReported: true })
    expect(upstreamOf('b')).toMatchObject({ isRelayed: true, isReported: false })
  })
})
