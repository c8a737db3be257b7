import { beforeEach, describe, expect, it } from 'vitest'
import { SendError, type UpstreamAnswer } from '../../../collector/relay/http-sender'
import type { RelayTools, UpstreamRelay } from '../../../collector/relay/upstream-relay'
import { aRecord } from './made-record'
import { answered, aRelay, HandClock, PendingInMemory } from './relay-parts'

const POISON = 'what a firewall takes for an attack'

let clock: HandClock
let pending: PendingInMemory
let relay: UpstreamRelay
/** The answer to the one failing envelope; every other is accepted. */
let ofPoison: () => Promise<UpstreamAnswer>
beforeEach(() => {
  clock = new HandClock()
  pending = new PendingInMemory()
  const { spool, reader } = pending
  const send = ({ body }: { readonly body: Uint8Array }): Promise<UpstreamAnswer> =>
    Buffer.from(body).toString() === POISON ? ofPoison() : Promise.resolve(answered(200))
  relay = aRelay({ spool, reader, send, now: clock.now, later: clock.later })
})

const state = () => relay.state({ pending: pending.pending.length, deadLetters: pending.dead.size })
const triesOfPoison = (): number => pending.attempts.filter(({ seq }) => seq === 1).length
const receive = (many: number): void => {
  pending.receive(aRecord(Buffer.from(POISON)))
  for (let each = 0; each < many; each += 1) pending.receive(aRecord())
  relay.wake(many + 1)
}

describe('an envelope that fails repeatedly while upstream accepts others', () => {
  it.each([
    ['is refused by 403', async () => answered(403)],
    [
      'always takes longer than its time',
      () => Promise.reject(new SendError('timeout', 'no answer within 10 s', true)),
    ],
  ])(
    'an envelope that %s stays pending, is tried once a minute, and does not delay other envelopes',
    async (_, deliveryStatus) => {
      ofPoison = deliveryStatus
      receive(1)
      await expect.poll(() => [triesOfPoison(), pending.pending, state().open]).toEqual([1, [1], 0])
      for (let each = 0; each < 100; each += 1) pending.receive(aRecord())
      relay.wake(102)
      clock.pass(60_000)
      await expect.poll(() => [triesOfPoison(), state().open]).toEqual([2, 0])
      clock.pass(60_000)
      await expect.poll(() => pending.pending).toEqual([1])
      await expect
        .poll(() => state())
        .toMatchObject({ state: 'idle', paused: null, retryAt: null, open: 0, pending: 1 })
      for (let minute = 0; minute < 3; minute += 1) {
        const before = triesOfPoison()
        relay.offer(pending.receive(aRecord()))
        await expect.poll(() => [pending.pending, state().open]).toEqual([[1], 0])
        clock.pass(61_000)
        await expect.poll(() => [triesOfPoison(), state().open]).toEqual([before + 1, 0])
      }
      ofPoison = async () => answered(200)
      clock.pass(61_000)
      await expect.poll(() => pending.pending).toEqual([])
    },
  )

  it('an envelope that is answered 503 waits alone, each time longer, while other envelopes are posted', async () => {
    ofPoison = async () => answered(503)
    receive(300)
    await expect.poll(() => [pending.pending, state().open]).toEqual([[1], 0])
    expect([triesOfPoison(), pending.attempts.length]).toEqual([1, 301])
    expect(state()).toMatchObject({ state: 'idle', paused: null, retryAt: null, pending: 1 })
    for (const [tries, wait] of [1000, 1500, 2250].entries()) {
      clock.pass(wait - 1001)
      expect(triesOfPoison()).toBe(tries + 1)
      // Waits end at whole seconds.
      clock.pass(2001)
      await expect.poll(() => [triesOfPoison(), state().open]).toEqual([tries + 2, 0])
    }
    ofPoison = async () => answered(200)
    clock.pass(61_000)
    await expect.poll(() => pending.pending).toEqual([])
  })

  it('is tried at once on request', async () => {
    ofPoison = async () => answered(503)
    receive(1)
    await expect.poll(() => [pending.pending, state().open]).toEqual([[1], 0])
    expect(relay.tryNow()).toBe(true)
    await expect.poll(() => [triesOfPoison(), state().open]).toEqual([2, 0])
    relay.offer(pending.receive(aRecord()))
    clock.pass(60_000)
    await expect.poll(() => [pending.pending, state().open, state().retryAt]).toEqual([[1], 0, null])
    ofPoison = async () => answered(200)
    expect(relay.tryNow()).toBe(true)
    await expect.poll(() => pending.pending).toEqual([])
    expect(relay.tryNow()).toBe(false)
  })

  it('is posted once, and blocks no others, where only its result cannot be written', async () => {
    const { spool, reader } = pending
    let tries = 0
    let posts = 0
    const deliver: RelayTools['spool']['recordAttempt'] = async (attempt) => {
      if (attempt.seq !== 1) return spool.recordAttempt(attempt)
      tries += 1
      throw new Error('what it says of an item is none')
    }
    const send = async (): Promise<UpstreamAnswer> => {
      posts += 1
      return answered(200)
    }
    relay = aRelay({
      spool: { ...spool, recordAttempt: deliver },
      reader,
      send,
      now: clock.now,
      later: clock.later,
    })
    receive(100)
    for (let minute = 0; minute < 3; minute += 1) {
      await expect.poll(() => state().open).toBe(0)
      clock.pass(60_000)
    }
    await expect.poll(() => [pending.pending, state().open]).toEqual([[1], 0])
    for (let minute = 0; minute < 3; minute += 1) {
      relay.offer(pending.receive(aRecord()))
      await expect.poll(() => [pending.pending, state().open, state().state]).toEqual([[1], 0, 'idle'])
      const before = tries
      clock.pass(61_000)
      await expect.poll(() => [tries, state().open]).toEqual([before + 1, 0])
    }
    expect([posts, pending.attempts.length]).toEqual([104, 103])
  })
})
