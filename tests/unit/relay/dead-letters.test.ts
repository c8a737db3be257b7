import { beforeEach, describe, expect, it } from 'vitest'
import type { UpstreamAnswer } from '../../../collector/relay/http-sender'
import type { UpstreamRelay } from '../../../collector/relay/upstream-relay'
import { aRecord } from './made-record'
import { answered, aRelay, PendingInMemory } from './relay-parts'

let pending: PendingInMemory
let status: number
let relay: UpstreamRelay
beforeEach(() => {
  pending = new PendingInMemory()
  status = 200
  const { spool, reader } = pending
  const send = async (): Promise<UpstreamAnswer> => answered(status, {}, 'the answer')
  relay = aRelay({ spool, reader, send })
})

const receive = (): void => relay.offer(pending.receive(aRecord()))

describe('an envelope that upstream refuses for its content', () => {
  it.each([400, 413, 500, 501])(
    'is a dead letter after %i: it stays undecided and unposted, and others are delivered',
    async (refused) => {
      status = refused
      receive()
      await expect.poll(() => [...pending.dead]).toEqual([1])
      status = 200
      receive()
      await expect.poll(() => pending.attempts).toHaveLength(2)
      expect(pending.attempts).toMatchObject([
        { seq: 1, status: refused, answer: 'the answer', decision: null, dead: true },
        { seq: 2, status: 200, dead: false },
      ])
      expect(relay.state({ pending: 0, deadLetters: 1 })).toMatchObject({
        state: 'idle',
        deadLetters: 1,
        retryAt: null,
      })
    },
  )

  it('is posted again on request, although younger ones were delivered', async () => {
    status = 413
    for (let each = 0; each < 3; each += 1) receive()
    await expect.poll(() => pending.dead.size).toBe(3)
    status = 200
    receive()
    await expect.poll(() => pending.attempts).toHaveLength(4)
    for (const seq of [2, 3]) pending.again(seq)
    relay.rewind(2)
    await expect.poll(() => pending.attempts).toHaveLength(6)
    expect(pending.attempts.slice(4)).toMatchObject([
      { seq: 2, status: 200 },
      { seq: 3, status: 200 },
    ])
    expect([pending.pending, [...pending.dead]]).toEqual([[], [1]])
  })
})
