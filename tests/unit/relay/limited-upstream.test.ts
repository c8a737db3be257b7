import { beforeEach, describe, expect, it } from 'vitest'
import type { UpstreamAnswer } from '../../../collector/relay/http-sender'
import { RateLimits } from '../../../collector/relay/running-limits'
import { UpstreamRelay } from '../../../collector/relay/upstream-relay'
import type { SubmissionContent } from '../../../lib/protocol/submission'
import { submission } from '../spool/in-process-spool'
import { storedLimit } from '../spool/stored-limit'
import { aRecord, LABEL, sessionRecord, theUpstream } from './made-record'
import { answered, HandClock, PendingInMemory, relayTools } from './relay-parts'

let clock: HandClock
let pending: PendingInMemory
let rateLimits: RateLimits
let posted: string[]
let relay: UpstreamRelay
beforeEach(() => {
  clock = new HandClock()
  pending = new PendingInMemory()
  rateLimits = new RateLimits([], { now: clock.now, monotonic: clock.now })
  posted = []
  relay = aRelay(true)
})

function aRelay(holdErrors: boolean): UpstreamRelay {
  const { spool, reader } = pending
  const send = async ({ body }: { readonly body: Uint8Array }): Promise<UpstreamAnswer> => {
    posted.push(Buffer.from(body).toString())
    return answered(200)
  }
  const tools = relayTools({ spool, reader, send, rateLimits, holdErrors, now: clock.now, later: clock.later })
  return new UpstreamRelay(theUpstream, false, LABEL, tools)
}

function limit(category: string, seconds: number): void {
  const { publicKey, projectId: project } = theUpstream
  rateLimits.add([storedLimit(category, seconds, { publicKey, project, receivedAt: clock.now() })])
}

const record = (...types: readonly string[]): SubmissionContent =>
  submission({
    body: new TextEncoder().encode(['{}', ...types.flatMap((type) => [JSON.stringify({ type }), '{}'])].join('\n')),
    quantities: types.map((type) => ({ category: type === 'event' ? 'error' : type, quantity: 1 })),
  })
/** An error together with an update of a session. */
const errorWith = (sid: string): SubmissionContent =>
  submission({
    body: new TextEncoder().encode(
      ['{}', '{"type":"event"}', '{}', '{"type":"session"}', JSON.stringify({ sid })].join('\n'),
    ),
    quantities: ['error', 'session'].map((category) => ({ category, quantity: 1 })),
  })
const state = () => relay.state({ pending: pending.pending.length, deadLetters: 0 })

describe('a limited error, where errors are deferred', () => {
  it('waits for the end of the limit while others are posted, and is then posted in its order', async () => {
    limit('error', 60)
    for (const each of [record('event'), record('session'), record('event')]) relay.offer(pending.receive(each))
    await expect.poll(() => pending.pending).toEqual([1, 3])
    expect(state()).toMatchObject({ state: 'idle', deferred: 2, open: 0, pending: 2 })
    expect(pending.attempts.map(({ seq }) => seq)).toEqual([2])
    clock.pass(60_000)
    await expect.poll(() => pending.pending).toEqual([])
    expect(pending.attempts.map(({ seq }) => seq)).toEqual([2, 1, 3])
    expect(state()).toMatchObject({ deferred: 0 })
  })

  it('is skipped when it was cleared meanwhile', async () => {
    limit('error', 60)
    relay.offer(pending.receive(record('event')))
    await expect.poll(() => state().deferred).toBe(1)
    pending.clear(1)
    clock.pass(60_000)
    await expect.poll(() => state()).toMatchObject({ deferred: 0, open: 0 })
    expect(posted).toEqual([])
  })

  it('leaves the queue of its session when it was cleared: later updates are posted', async () => {
    limit('error', 60)
    relay.offer(pending.receive(errorWith('a')))
    await expect.poll(() => state().deferred).toBe(1)
    pending.clear(1)
    clock.pass(60_000)
    await expect.poll(() => state()).toMatchObject({ deferred: 0, open: 0 })
    const seqs = ['a', 'b', 'a'].map((sid) => {
      const fresh = pending.receive(sessionRecord([sid]))
      relay.offer(fresh)
      return fresh.seq
    })
    await expect.poll(() => pending.pending).toEqual([])
    expect(pending.attempts.map(({ seq }) => seq).sort()).toEqual(seqs)
  })

  it('leaves that queue at once when its outcome is written', async () => {
    limit('error', 86_400)
    relay.offer(pending.receive(errorWith('a')))
    await expect.poll(() => state().deferred).toBe(1)
    relay.offer(pending.receive(sessionRecord(['a'])))
    pending.clear(1)
    relay.decided([1])
    await expect.poll(() => pending.pending).toEqual([])
    expect(pending.attempts.map(({ seq }) => seq)).toEqual([2])
  })

  it('is posted at its end also with ten thousand later updates of its session', async () => {
    limit('error', 60)
    pending.receive(errorWith('a'))
    for (let each = 0; each < 10_050; each += 1) pending.receive(sessionRecord(['a']))
    pending.receive(aRecord())
    relay.wake(10_052)
    await expect.poll(() => [state().deferred, state().open], { timeout: 20_000 }).toEqual([1, 0])
    const before = posted.length
    clock.pass(60_000)
    await expect.poll(() => pending.pending.length, { timeout: 20_000 }).toBe(0)
    expect([before, posted.length]).toEqual([0, 10_052])
  })

  it('still waits when the limit was extended meanwhile', async () => {
    limit('error', 60)
    relay.offer(pending.receive(record('event')))
    await expect.poll(() => state().deferred).toBe(1)
    clock.pass(30_000)
    limit('error', 60)
    clock.pass(30_000)
    await expect.poll(() => state()).toMatchObject({ deferred: 1, open: 0 })
    expect(posted).toEqual([])
    clock.pass(30_000)
    await expect.poll(() => pending.pending).toEqual([])
  })

  it('is one of at most ten thousand; then nothing more is read until the limit ends', async () => {
    limit('error', 60)
    for (let each = 0; each < 10_050; each += 1) pending.receive(record('event'))
    pending.receive(record('session'))
    relay.wake(10_051)
    await expect.poll(() => state().deferred, { timeout: 20_000 }).toBeGreaterThanOrEqual(10_000)
    await expect.poll(() => state().open).toBe(0)
    expect(state().deferred).toBeLessThanOrEqual(10_030)
    expect(posted).toEqual([])
    clock.pass(60_000)
    await expect.poll(() => pending.pending, { timeout: 20_000 }).toEqual([])
  })
})

describe('an envelope with some limited items', () => {
  it('is posted without the limited items, whose outcome is written with that of the rest', async () => {
    relay = aRelay(false)
    limit('error', 60)
    relay.offer(pending.receive(record('event', 'session')))
    await expect.poll(() => pending.pending).toEqual([])
    expect(posted).toEqual(['{}\n{"type":"session"}\n{}'])
    expect(pending.attempts).toMatchObject([
      {
        form: ['cut'],
        bytes: 24,
        leftOut: [{ item: 0, category: 'error', reason: 'limited' }],
        decision: [
          { item: 0, outcome: 'rate_limited', reason: 'limited' },
          { item: 1, outcome: 'accepted', reason: null },
        ],
        toReport: [{ category: 'error', quantity: 1, reason: 'ratelimit_backoff' }],
      },
    ])
  })

  it('is settled without a post where every item is cut, also after an update of its session', async () => {
    relay = aRelay(false)
    limit('session', 60)
    for (let each = 0; each < 2; each += 1) relay.offer(pending.receive(sessionRecord(['a'])))
    await expect.poll(() => pending.pending).toEqual([])
    expect(pending.settled).toEqual([1, 2])
    expect(posted).toEqual([])
  })
})
