import { describe, expect, it } from 'vitest'
import type { UpstreamAnswer } from '../../../collector/relay/http-sender'
import { OPEN_POSTS } from '../../../collector/relay/open-posts'
import { UpstreamRelay } from '../../../collector/relay/upstream-relay'
import { LABEL, theUpstream } from './made-record'
import { answered, relayTools } from './relay-parts'

const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** A relay with more pending records than may be in progress. The test decides when results are written. */
function unwritten(status: number) {
  const open: (() => void)[] = []
  const waiting: (() => void)[] = []
  let sent = 0
  const send = (): Promise<UpstreamAnswer> =>
    new Promise((resolve) => {
      sent += 1
      open.push(() => resolve(answered(status)))
    })
  const deliver = (): Promise<void> => new Promise((resolve) => waiting.push(resolve))
  const seqs = Array.from({ length: 5 * OPEN_POSTS }, (_, index) => index + 1)
  const tools = relayTools({ seqs, send })
  const relay = new UpstreamRelay(theUpstream, false, LABEL, {
    ...tools,
    spool: { ...tools.spool, recordAttempt: deliver },
  })
  return {
    relay,
    open,
    waiting,
    sent: () => sent,
    answerAll: async () => {
      for (const answer of open.splice(0)) answer()
      await settle()
    },
  }
}

describe('a post that is answered', () => {
  it('frees its place before its result is written, for up to three more windows', async () => {
    const { relay, open, waiting, sent, answerAll } = unwritten(200)
    relay.wake()
    await expect.poll(() => open.length).toBe(OPEN_POSTS)
    for (let window = 1; window < 4; window += 1) {
      await answerAll()
      await expect.poll(() => open.length).toBe(OPEN_POSTS)
    }
    await answerAll()
    expect([sent(), waiting.length, open.length]).toEqual([4 * OPEN_POSTS, 4 * OPEN_POSTS, 0])
    for (const written of waiting.splice(0)) written()
    await expect.poll(() => sent()).toBe(5 * OPEN_POSTS)
    expect(open).toHaveLength(OPEN_POSTS)
  })

  it('frees no place where the answer says that upstream cannot accept posts', async () => {
    const { relay, open, waiting, sent, answerAll } = unwritten(503)
    relay.wake()
    await expect.poll(() => open.length).toBe(OPEN_POSTS)
    await answerAll()
    expect([sent(), waiting.length]).toEqual([OPEN_POSTS, OPEN_POSTS])
  })

  it('delays the end of the relay until its result is written', async () => {
    const { relay, open, waiting, answerAll } = unwritten(200)
    relay.wake()
    await expect.poll(() => open.length).toBe(OPEN_POSTS)
    let closed = false
    const closing = relay.close(1000).then(() => {
      closed = true
    })
    await answerAll()
    expect([closed, waiting.length, open.length]).toEqual([false, OPEN_POSTS, 0])
    for (const written of waiting.splice(0)) written()
    await closing
  })
})
