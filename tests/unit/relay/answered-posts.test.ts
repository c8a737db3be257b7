import { describe, expect, it } from 'vitest'
import { OPEN_POSTS } from '../../../collector/relay/open-posts'
import type { Answer } from '../../../collector/relay/send'
import { UpstreamRelay } from '../../../collector/relay/upstream-relay'
import { LABEL, theUpstream } from './made-record'
import { answered, relayTools } from './relay-parts'

const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** A relay with more to post than may be in hand; nothing is written down before a test says so. */
function unwritten(status: number) {
  const open: (() => void)[] = []
  const waiting: (() => void)[] = []
  let sent = 0
  const send = (): Promise<Answer> =>
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
  it('makes place for the next before it is written down, for three times as many as may be open', async () => {
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

  it('makes none where it says that upstream is not well', async () => {
    const { relay, open, waiting, sent, answerAll } = unwritten(503)
    relay.wake()
    await expect.poll(() => open.length).toBe(OPEN_POSTS)
    await answerAll()
    expect([sent(), waiting.length]).toEqual([OPEN_POSTS, OPEN_POSTS])
  })

  it('is waited for until it is written down, when the relay closes', async () => {
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
