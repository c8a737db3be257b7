import { describe, expect, it } from 'vitest'
import { LaneLostError, type OwnedLane, type TakenLanes } from '../../collector/spool/lanes'
import { MAX_LANES } from '../../lib/protocol/upstream-address'
import { accepted, seqOf, submission } from '../unit/spool/in-process-spool'
import { closeKeptStores, type KeptStore, openKeptStore, server } from './housekeeping-store'

const UPSTREAM = { publicKey: 'key', project: '1' }
const OTHER = { publicKey: 'key', project: '2' }
const SESSION = [{ category: 'session', quantity: 1 }]

closeKeptStores()

const namesOf = ({ lanes }: TakenLanes): readonly string[] => lanes.map(({ project, lane }) => `${project}/${lane}`)
const take = async (store: KeptStore, ...upstreams: (typeof UPSTREAM)[]) =>
  namesOf(await store.takeLanes(upstreams.length === 0 ? [UPSTREAM] : upstreams))
const share = async (store: KeptStore, ...upstreams: (typeof UPSTREAM)[]) =>
  (await store.takeLanes(upstreams.length === 0 ? [UPSTREAM] : upstreams)).share

/** Ends the leases of a collector, and its share, as if it had not called for longer than a lease. */
const pass20Seconds = async (store: KeptStore): Promise<void> => {
  await store.column(`UPDATE waystation.lanes SET until = until - interval '21 s' WHERE public_key <> ''`)
  await store.column(
    `UPDATE waystation.collectors SET seen_at = seen_at - interval '21 s', relayed_at = relayed_at - interval '21 s'`,
  )
}

/** Gives back what is beyond the share, as the keeper of a collector does. */
async function balance(...stores: readonly KeptStore[]): Promise<readonly (readonly string[])[]> {
  for (let round = 0; round < 3; round += 1)
    for (const store of stores) {
      const { lanes, share: own } = await store.takeLanes([UPSTREAM, OTHER])
      for (const lane of lanes.slice(own)) await store.releaseLane(lane)
    }
  return Promise.all(stores.map((store) => take(store, UPSTREAM, OTHER)))
}

const append = (store: KeptStore, count: number, given = {}): Promise<readonly number[]> =>
  Promise.all(Array.from({ length: count }, () => seqOf(store.append(submission(given)))))

const pendingOf = async (store: KeptStore, lane: number): Promise<readonly number[]> =>
  (await store.pendingIn({ ...UPSTREAM, lane }, 0, 1000)).map(({ seq }) => seq)

const laneOf = ({ lanes }: TakenLanes, lane: number): OwnedLane => {
  const found = lanes.find((one) => one.lane === lane)
  if (found === undefined) throw new Error(`lane ${lane} is not owned`)
  return found
}

describe.skipIf('why' in server)('pending records', () => {
  it('are divided among the configured lanes, each in one of them, and those with a session are in lane 0', async () => {
    const store = await openKeptStore({ lanes: 4 })
    const sessions = await append(store, 20, { quantities: SESSION })
    const rest = await append(store, 200)
    const lanes = await Promise.all([0, 1, 2, 3, 4].map((lane) => pendingOf(store, lane)))
    expect(lanes.flat().sort((one, other) => one - other)).toEqual([...sessions, ...rest])
    expect(lanes[0]).toEqual(expect.arrayContaining([...sessions]))
    expect(lanes[4]).toEqual([])
    for (const seqs of lanes.slice(1, 4)) expect(seqs.length).toBeGreaterThan(20)
    for (const seqs of lanes) expect(seqs).toEqual([...seqs].sort((one, other) => one - other))
    const [first = 0, second = 0] = lanes[1] ?? []
    expect((await store.pendingIn({ ...UPSTREAM, lane: 1 }, first, 1)).map(({ seq }) => seq)).toEqual([second])
    expect(await store.countPending('key', '1')).toMatchObject({ pending: 220 })
  })

  it('are in lane 0 by default, and stay in their lane as dead letters', async () => {
    const one = await openKeptStore()
    const seqs = await append(one, 20)
    expect(await pendingOf(one, 0)).toEqual(seqs)

    const many = await openKeptStore({ lanes: 16 })
    await append(many, 60)
    const [dead = 0] = await pendingOf(many, 7)
    await many.recordAttempt(accepted(dead, { status: 413, decision: null, dead: true }))
    expect(await pendingOf(many, 7)).not.toContain(dead)
    expect(await many.requeueDeadLetters([dead])).toEqual([dead])
    expect(await pendingOf(many, 7)).toContain(dead)
  })
})

describe.skipIf('why' in server)('lanes', () => {
  it('are shared equally by the collectors that take them, across all upstreams', async () => {
    const a = await openKeptStore({ lanes: 4 })
    expect(await take(a, UPSTREAM, OTHER)).toEqual(['1/0', '2/0', '1/1', '2/1', '1/2', '2/2', '1/3', '2/3'])
    const b = await a.openOther('b')
    const c = await a.openOther('c')
    const shares = await balance(a, b, c)
    expect(shares.map(({ length }) => length)).toEqual([3, 3, 2])
    expect(shares.flat().sort()).toEqual(['1/0', '1/1', '1/2', '1/3', '2/0', '2/1', '2/2', '2/3'])
    // Each collector has lanes of both upstreams.
    for (const lanes of shares) expect(new Set(lanes.map((name) => name[0])).size).toBe(2)

    await b.leave()
    expect((await balance(a, c)).map(({ length }) => length)).toEqual([4, 4])
  })

  it('are too few for some collectors: those that came last have none', async () => {
    const a = await openKeptStore()
    const b = await a.openOther('b')
    expect([await share(a), await share(b), await share(a), await share(b)]).toEqual([1, 0, 1, 0])
    await a.leave()
    expect(await take(b)).toEqual(['1/0'])
  })

  it('of a collector that died are taken over by all others, each its share', async () => {
    const a = await openKeptStore({ lanes: 4 })
    const [b, c] = [await a.openOther('b'), await a.openOther('c')]
    await balance(a, b, c)
    await pass20Seconds(a)
    // The two that live renew, one after the other.
    expect((await balance(b, c)).map(({ length }) => length)).toEqual([4, 4])
    expect(await take(a)).toEqual([])
  })

  it('are settled by their owner alone: a hung one keeps what it still owns', async () => {
    const a = await openKeptStore({ lanes: 2 })
    await append(a, 40)
    const mine = await a.takeLanes([UPSTREAM])
    const b = await a.openOther('b')
    await b.takeLanes([UPSTREAM])
    await a.releaseLane(laneOf(mine, 1))
    const theirs = await b.takeLanes([UPSTREAM])
    expect(namesOf(theirs)).toEqual(['1/1'])
    const [[first = 0, more = 0], [second = 0]] = [await pendingOf(a, 0), await pendingOf(a, 1)]
    await expect(a.recordAttempt(accepted(second), laneOf(mine, 1))).rejects.toThrow(LaneLostError)
    // Both results are in one batch: the one of the lane that it owns is stored.
    const results = await Promise.allSettled([
      a.recordAttempt(accepted(first), laneOf(mine, 0)),
      a.recordAttempt(accepted(second), laneOf(mine, 1)),
    ])
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected'])
    await b.recordAttempt(accepted(second), laneOf(theirs, 1))
    expect(await pendingOf(a, 0)).toEqual(expect.arrayContaining([more]))
    expect(await pendingOf(a, 0)).not.toContain(first)
    expect(await pendingOf(a, 1)).not.toContain(second)
  })

  it.each([1, 4, 16])(
    'leave no record behind that other settings wrote: a collector with %d of them takes all',
    async (lanes) => {
      const writer = await openKeptStore({ lanes: MAX_LANES })
      const seqs = await append(writer, 100)
      const relaying = await writer.openOther('relaying', { lanes })
      // Only the pending records tell of the lanes of the other.
      await pass20Seconds(writer)
      const found: number[] = []
      for (let round = 0; found.length < seqs.length && round < 20; round += 1) {
        const taken = await relaying.takeLanes([UPSTREAM])
        for (const lane of taken.lanes) {
          const waiting = await relaying.pendingIn(lane, 0, 1000)
          for (const { seq } of waiting) {
            await relaying.recordAttempt(accepted(seq), lane)
            found.push(seq)
          }
        }
      }
      expect(found.sort((one, other) => one - other)).toEqual(seqs)
      expect(await relaying.countPending('key', '1')).toMatchObject({ pending: 0 })
      // Empty ones go back first, although they were taken earlier.
      const { lanes: left, share: own } = await relaying.takeLanes([UPSTREAM])
      expect(left.map(({ lane }) => lane)).toEqual(Array.from({ length: MAX_LANES }, (_, lane) => lane))
      expect(own).toBe(lanes)
      expect((await relaying.readLanes([UPSTREAM])).map(({ lane }) => lane)).toEqual(
        Array.from({ length: lanes }, (_, lane) => lane),
      )
    },
  )

  it('are as many as the collector with the most of them has, for all alike', async () => {
    const a = await openKeptStore({ lanes: 1 })
    expect(await take(a)).toEqual(['1/0'])
    const b = await a.openOther('b', { lanes: 4 })
    expect([await share(b), await share(a)]).toEqual([2, 2])
    expect(await take(a)).toEqual(['1/0', '1/3'])
    expect(await take(b)).toEqual(['1/1', '1/2'])
    await b.leave()
    await pass20Seconds(a)
    expect(await share(a)).toBe(1)
  })

  it('with a pending record only are not called unowned before their record was seen', async () => {
    const a = await openKeptStore({ lanes: 4 })
    for (const lane of (await a.takeLanes([UPSTREAM])).lanes) await a.releaseLane(lane)
    await append(a, 40)
    await a.column(`UPDATE waystation.lanes SET until = until - interval '1 hour' WHERE public_key <> ''`)
    await pass20Seconds(a)
    const b = await a.openOther('b', { lanes: 2 })
    const unowned = (await b.readLanes([UPSTREAM])).map(({ lane, owner, unownedMs }) => [
      lane,
      owner,
      unownedMs > 3_600_000,
    ])
    expect(unowned).toEqual([
      [0, null, true],
      [1, null, true],
      [2, null, false],
      [3, null, false],
    ])
  })
})
