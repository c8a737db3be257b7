import { beforeEach, describe, expect, it } from 'vitest'
import type { UpstreamAnswer } from '../../../collector/relay/http-sender'
import type { UpstreamRelay } from '../../../collector/relay/upstream-relay'
import { aRecord } from './made-record'
import { answered, aRelay, HandClock, PendingInMemory } from './relay-parts'

let clock: HandClock
let pending: PendingInMemory
/** The answer to each post. */
let answer: (post: number) => UpstreamAnswer
let posts: number
let relay: UpstreamRelay
beforeEach(() => {
  clock = new HandClock()
  pending = new PendingInMemory()
  answer = () => answered(200)
  posts = 0
  const send = async (): Promise<UpstreamAnswer> => {
    posts += 1
    return answer(posts)
  }
  const { spool, reader } = pending
  relay = aRelay({ spool, reader, send, now: clock.now, later: clock.later })
})

const state = () => relay.state({ pending: pending.pending.length, deadLetters: pending.dead.size })
const receive = (many: number): void => {
  for (let each = 0; each < many; each += 1) pending.receive(aRecord())
  relay.wake(many)
}

describe('an upstream that answers 403', () => {
  it('is paused with its answer: everything stays pending, and one probe goes each minute', async () => {
    answer = () => answered(403, {}, 'project is disabled')
    receive(100)
    await expect.poll(() => state().state).toBe('paused')
    await expect.poll(() => state().open).toBe(0)
    expect(state()).toMatchObject({
      pending: 100,
      deadLetters: 0,
      retryAt: 60_000,
      paused: { since: 0, status: 403, answer: 'project is disabled' },
      last: { status: 403 },
    })
    const before = posts
    for (let minute = 1; minute <= 3; minute += 1) {
      clock.pass(60_000)
      await expect.poll(() => state().retryAt).toBe((minute + 1) * 60_000)
      expect(posts).toBe(before + minute)
    }
    expect(pending.pending).toHaveLength(100)
    expect(pending.attempts.every(({ decision, dead }) => decision === null && !dead)).toBe(true)
  })

  it('resumes when a probe is accepted: the oldest record, or the next where that was refused', async () => {
    answer = () => answered(403)
    receive(40)
    await expect.poll(() => [state().state, state().open]).toEqual(['paused', 0])
    const probes = pending.attempts.length
    clock.pass(60_000)
    await expect.poll(() => [state().retryAt, state().open]).toEqual([120_000, 0])
    answer = () => answered(200)
    clock.pass(60_000)
    await expect.poll(() => pending.pending).toEqual([])
    expect(pending.attempts.slice(probes, probes + 2)).toMatchObject([
      { seq: 1, status: 403 },
      { seq: 2, status: 200 },
    ])
    expect(state()).toMatchObject({ state: 'idle', paused: null, retryAt: null })
  })

  it('stops records that were read and not posted yet', async () => {
    let release: () => void = () => undefined
    const readLate = new Promise<void>((resolve) => {
      release = resolve
    })
    const { reader, spool } = pending
    const send = async (): Promise<UpstreamAnswer> => {
      posts += 1
      return answered(403)
    }
    const record = async (seq: number) => {
      if (seq > 1) await readLate
      return reader.record(seq)
    }
    relay = aRelay({ spool, reader: { ...reader, record }, send, now: clock.now, later: clock.later })
    receive(30)
    await expect.poll(() => state().state).toBe('paused')
    release()
    await expect.poll(() => state().open).toBe(0)
    expect(posts).toBe(1)
    expect(pending.pending).toHaveLength(30)
  })
})

it('an outage ends with one accepted probe, after which the waiting posts follow', async () => {
  answer = () => answered(503)
  receive(40)
  await expect.poll(() => [state().state, state().open]).toEqual(['backing_off', 0])
  let probes = 0
  expect(clock.next).toBe(1000)
  answer = () => {
    probes += 1
    return answered(503)
  }
  clock.pass(1000)
  await expect.poll(() => clock.next).toBe(1500)
  expect(probes).toBe(1)
  answer = () => answered(200)
  clock.pass(1500)
  await expect.poll(() => pending.pending).toEqual([])
  expect(pending.attempts.filter(({ seq }) => seq === 1).map(({ status }) => status)).toEqual([503, 503, 200])
  expect(state()).toMatchObject({ state: 'idle', retryAt: null })
})
