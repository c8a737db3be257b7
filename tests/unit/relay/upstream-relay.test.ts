import { describe, expect, it } from 'vitest'
import { SendError, type UpstreamAnswer } from '../../../collector/relay/http-sender'
import { BodyDamagedError } from '../../../collector/spool/record-body'
import type { Attempt } from '../../../collector/spool/submission'
import type { SubmissionContent } from '../../../lib/protocol/submission'
import { aRecord } from './made-record'
import { answered, aRelay, HandClock, PendingInMemory, relayTools } from './relay-parts'

const nothingPending = { pending: 0, deadLetters: 0 }

/** A relay with one pending record, whose spool rejects the first `refusals` writes. */
async function relayOne(given: { readonly refusals: number; readonly read?: () => Promise<SubmissionContent> }) {
  const written: Attempt[] = []
  let posts = 0
  let refusals = given.refusals
  const pending = [{ seq: 1, bytes: 2 }]
  await new Promise<void>((resolve, reject) => {
    const { spool } = relayTools()
    const deliver = async (attempt: Attempt): Promise<void> => {
      refusals -= 1
      if (refusals >= 0) throw new Error('database or disk is full')
      written.push(attempt)
      resolve()
    }
    const relay = aRelay({
      spool: { ...spool, recordAttempt: deliver },
      reader: { pending: async () => pending.splice(0), record: given.read ?? (async () => aRecord()) },
      send: async () => {
        posts += 1
        return answered(200)
      },
      later: (work) => {
        const timer = setImmediate(work)
        return () => clearImmediate(timer)
      },
      onDeath: reject,
    })
    relay.wake()
  })
  return { written, posts: () => posts }
}

it('an envelope with a final answer is not posted again while its result cannot be written; the write is repeated', async () => {
  const { written, posts } = await relayOne({ refusals: 3 })
  expect(posts()).toBe(1)
  expect(written).toMatchObject([{ seq: 1, status: 200, decision: [{ outcome: 'accepted' }] }])
})

it('an envelope whose bytes are damaged is settled without a post, as soon as that can be written', async () => {
  const read = async (): Promise<never> => {
    throw new BodyDamagedError('it is cut')
  }
  const { written, posts } = await relayOne({ refusals: 2, read })
  expect(posts()).toBe(0)
  expect(written).toMatchObject([{ seq: 1, decision: [{ outcome: 'invalid', reason: 'damaged_record' }] }])
})

describe('an envelope that became pending during an outage', () => {
  it('is read when its turn comes, so that a cleared one is not posted', async () => {
    const posted: string[] = []
    let isUp = false
    let isKept = true
    const timers: (() => void)[] = []
    const { reader } = relayTools({ seqs: [1, 2] })
    const relay = aRelay({
      reader: { ...reader, record: async () => (isKept ? aRecord() : null) },
      send: async ({ body }) => {
        if (!isUp) throw new SendError('failed', 'ECONNREFUSED', false)
        posted.push(Buffer.from(body).toString())
        return answered(200)
      },
      later: (work) => {
        timers.push(work)
        return () => undefined
      },
    })
    relay.offer({ seq: 1, pendingAfter: 0, content: aRecord() })
    await expect.poll(() => timers.length).toBe(1)
    relay.offer({ seq: 2, pendingAfter: 1, content: aRecord() })
    isKept = false
    isUp = true
    timers[0]?.()
    await expect.poll(() => relay.state(nothingPending).state).toBe('idle')
    expect(posted).toEqual([])
  })
})

it('while intake is busy at most two posts are open, and each one that ends starts the next', async () => {
  const open: (() => void)[] = []
  let most = 0
  let written = 0
  const { spool } = relayTools()
  const deliver = async (): Promise<void> => {
    written += 1
  }
  const relay = aRelay({
    seqs: [1, 2, 3, 4, 5],
    spool: { ...spool, recordAttempt: deliver },
    isIntakeBusy: () => true,
    send: () =>
      new Promise((resolve) => {
        open.push(() => resolve(answered(200)))
        most = Math.max(most, open.length)
      }),
  })
  relay.wake()
  for (let end = 1; end <= 5; end += 1) {
    await expect.poll(() => open.length).toBeGreaterThan(0)
    open.shift()?.()
    await expect.poll(() => written).toBe(end)
  }
  expect(most).toBe(2)
})

it('while intake is busy more are opened as soon as it is idle, although neither of the two is answered', async () => {
  let isBusy = true
  let open = 0
  const relay = aRelay({
    seqs: [1, 2, 3, 4, 5],
    isIntakeBusy: () => isBusy,
    send: () =>
      new Promise(() => {
        open += 1
      }),
  })
  relay.wake()
  await expect.poll(() => open).toBe(2)
  isBusy = false
  relay.resume()
  await expect.poll(() => open).toBe(5)
})

describe('an upstream that fails', () => {
  it('is shown with the answer that began the wait, even if earlier posts return something else', async () => {
    const clock = new HandClock()
    const { spool, reader, ...pending } = fresh()
    const answers: ((status: number | null) => void)[] = []
    const send = (): Promise<UpstreamAnswer> =>
      new Promise((resolve, reject) =>
        answers.push((status) =>
          status === null ? reject(new SendError('failed', 'ECONNREFUSED', false)) : resolve(answered(status)),
        ),
      )
    const relay = aRelay({ spool, reader, send, now: clock.now, later: clock.later })
    for (let each = 0; each < 2; each += 1) relay.offer(pending.receive())
    await expect.poll(() => answers.length).toBe(2)
    answers[0]?.(null)
    await expect.poll(() => relay.state(nothingPending).state).toBe('backing_off')
    answers[1]?.(200)
    await expect.poll(() => relay.state(nothingPending).open).toBe(0)
    expect(relay.state(nothingPending)).toMatchObject({ state: 'backing_off', last: { status: null } })
    clock.pass(1000)
    await expect.poll(() => answers.length).toBe(3)
    answers[2]?.(200)
    await expect.poll(() => relay.state(nothingPending)).toMatchObject({ state: 'idle', last: { status: 200 } })
  })

  it('pauses after five failures that began after the last success, and after a Retry-After', async () => {
    const clock = new HandClock()
    const { spool, reader, ...pending } = fresh()
    let posts = 0
    let answer = answered(503)
    const send = async (): Promise<UpstreamAnswer> => {
      posts += 1
      return answer
    }
    const relay = aRelay({ spool, reader, send, now: clock.now, later: clock.later })
    const state = () => relay.state(nothingPending)
    for (let each = 1; each <= 4; each += 1) {
      relay.offer(pending.receive())
      await expect.poll(() => [posts, state().open]).toEqual([each, 0])
    }
    // Posts still go, and the state says that they failed.
    expect(state().state).toBe('backing_off')
    relay.offer(pending.receive())
    await expect.poll(() => [posts, state().open]).toEqual([5, 0])
    relay.offer(pending.receive())
    expect(posts).toBe(5)

    answer = answered(200)
    clock.pass(10_000)
    await expect.poll(() => state().state).toBe('idle')
    answer = answered(503, { 'retry-after': '7' })
    const before = posts
    relay.offer(pending.receive())
    await expect.poll(() => [posts, state().state]).toEqual([before + 1, 'backing_off'])
    relay.offer(pending.receive())
    clock.pass(6000)
    expect(posts).toBe(before + 1)
  })

  it('gets its probe also where a read lasts from before the outage until after the wait', async () => {
    const clock = new HandClock()
    const { spool, reader, ...pending } = fresh()
    let read: () => void = () => undefined
    const slow = new Promise<void>((resolve) => {
      read = resolve
    })
    let status = 503
    const relay = aRelay({
      spool,
      reader: {
        ...reader,
        pending: async (...args) => {
          const found = await reader.pending(...args)
          await slow
          return found
        },
      },
      send: async () => answered(status),
      now: clock.now,
      later: clock.later,
    })
    relay.offer(pending.receive())
    await expect.poll(() => relay.state(nothingPending).state).toBe('backing_off')
    status = 200
    clock.pass(1000)
    read()
    await expect.poll(() => pending.attempts().map((one) => one.status)).toEqual([503, 200])
  })
})

function fresh() {
  const pending = new PendingInMemory()
  const { spool, reader } = pending
  return { spool, reader, receive: () => pending.receive(aRecord()), attempts: () => pending.attempts }
}
