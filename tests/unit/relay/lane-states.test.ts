import { expect, it } from 'vitest'
import { Relay } from '../../../collector/relay/relay'
import { CollectorOfLanes, ONE, pass, settle, sharing, TWO } from './collector-of-lanes'
import { aRecord } from './made-record'
import { answered, HandClock, PendingInMemory, relayTools } from './relay-parts'
import { SharedRecordInMemory } from './shared-record'

/** Two collectors, of which `a` owns the upstream 1 and `b` the upstream 2. */
async function oneEach() {
  const shared = await sharing('a', 'b')
  shared.collectorOf('b').relay.start()
  await shared.pass(15_000)
  expect(shared.record.owners).toEqual({ 1: 'a', 2: 'b' })
  return shared
}

it('each collector shows the owner of an upstream, and the state that the owner published within a second', async () => {
  const { record, receive, collectorOf, pass } = await oneEach()
  const [a, b] = [collectorOf('a'), collectorOf('b')]
  a.answersAtOnce = false
  receive(ONE, 2)
  await pass(1100)
  const shown = { label: 'one.test/1', pending: 2, deadLetters: 0, state: 'relaying', open: 2, owner: 'a' }
  expect((await a.relay.states())[0]).toMatchObject(shown)
  expect((await b.relay.states())[0]).toMatchObject(shown)

  for (const { answer } of a.open.splice(0)) answer(403)
  await pass(1100)
  const [seen] = await b.relay.states()
  expect(seen).toMatchObject({ state: 'paused', paused: { status: 403 }, open: 0, owner: 'a' })
  expect(seen).toEqual((await a.relay.states())[0])
  const before = record.published.length
  await pass(20_000)
  expect(record.published).toHaveLength(before)
})

it('an upstream that no collector owns is shown as idle, with its last answer and since when', async () => {
  const { record, receive, collectorOf, pass } = await sharing('a', 'b')
  const [a, b] = [collectorOf('a'), collectorOf('b')]
  receive(ONE, 1)
  await settle()
  a.answersAtOnce = false
  receive(ONE, 1)
  await pass(1100)
  a.freeze()
  await pass(60_000)
  expect(record.owners).toEqual({ 1: null, 2: null })
  const [seen] = await b.relay.states()
  expect(seen).toMatchObject({ state: 'idle', open: 0, pending: 1, last: { status: 200 }, owner: null })
  // The last renewal was 1.1 s before, and its lease lasts 20 s.
  expect(seen?.unownedMs).toBe(41_100)
})

it('a collector knows every configured upstream, and posts nothing to one that another owns', async () => {
  const { record, receive, collectorOf } = await oneEach()
  const a = collectorOf('a')
  const two = a.relay.upstreamFor(TWO)
  expect(two).toMatchObject({
    label: 'two.test/2',
    takesMetrics: false,
    standIn: false,
    isRelayed: false,
    isHealthy: false,
  })
  expect(a.relay.upstreamFor(ONE)).toMatchObject({ isRelayed: true, isHealthy: true })
  collectorOf('b').freeze()
  const [seq = 0] = receive(TWO, 1)
  two?.offer({ seq, pendingAfter: 0, content: aRecord() })
  a.relay.onJournal([{ n: 9, at: 0, kind: 'pending', seq }])
  a.relay.wake()
  a.relay.resume()
  expect(a.relay.tryNow()).toBe(0)
  await settle()
  expect(a.posted).toEqual([])
  expect(record.pending).toEqual([seq])
})

it('a record that is withheld stays so when its upstream gets a new relay, and an aborted post of it is awaited', async () => {
  const { record, receive, collectorOf, pass } = await sharing('a')
  const a = collectorOf('a')
  a.answersAtOnce = false
  const [first = 0] = receive(ONE, 1)
  await settle()
  let ended: number | null = null
  const withheld = a.relay.withhold([first, first + 1])
  void withheld.ended.then((count) => {
    ended = count
  })
  record.isAway = true
  await pass(14_000)
  expect(ended).toBeNull()
  await pass(2000)
  expect(ended).toBe(1)
  record.isAway = false
  a.answersAtOnce = true
  receive(ONE, 2)
  await pass(5000)
  expect(a.posted).toEqual([first, first + 2])
  withheld.release()
  await settle()
  expect(a.posted).toEqual([first, first + 2, first, first + 1])
})

it('cleared and decided records, and dead letters that are sent again, reach the relay of an owned upstream', async () => {
  const { record, receive, collectorOf } = await oneEach()
  const a = collectorOf('a')
  const [seq = 0] = receive(ONE, 1)
  await settle()
  expect(a.posted).toEqual([seq])
  record.makePending(seq)
  a.relay.onJournal([{ n: 9, at: 0, kind: 'pending', seq }])
  await settle()
  expect(a.posted).toEqual([seq, seq])
})

it('without a shared store every upstream is relayed from the start, without a timer and without an owner', async () => {
  const clock = new HandClock()
  const pending = new PendingInMemory()
  const { spool, reader } = pending
  const relay = new Relay(
    [{ upstream: ONE, standIn: false }],
    { countPending: async () => ({ pending: pending.pending.length, deadLetters: 0 }), stranded: async () => [] },
    relayTools({ spool, reader, now: clock.now, later: clock.later }),
    () => async () => answered(200),
  )
  expect(relay.upstreamFor(ONE)?.isRelayed).toBe(true)
  pending.receive(aRecord())
  relay.start()
  await settle()
  expect(pending.pending).toEqual([])
  expect(clock.next).toBeNull()
  const [state] = await relay.states()
  expect(state).toMatchObject({ state: 'idle', last: { status: 200 } })
  expect(Object.keys(state ?? {})).not.toContain('owner')
  await relay.close(0)
  await relay.releaseLanes()
})

it('a collector that closes while it renews takes no lane, and leaves', async () => {
  const clock = new HandClock()
  const record = new SharedRecordInMemory(clock.now)
  const a = new CollectorOfLanes('a', clock, record)
  record.receive(ONE)
  // The store has stored the first renewal, and its answer arrives during the close.
  a.freeze()
  a.relay.start()
  await settle()
  expect(record.owners).toEqual({ 1: 'a', 2: 'a' })
  const closing = a.relay.close(0).then(() => a.relay.releaseLanes())
  await a.resume()
  await closing
  await pass(clock, 60_000)
  expect(a.posted).toEqual([])
  expect(Object.values(record.owners).filter((owner) => owner !== null)).toEqual([])
  expect(clock.next).toBeNull()
})
