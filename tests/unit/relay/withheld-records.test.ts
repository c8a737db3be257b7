import { expect, it } from 'vitest'
import type { UpstreamAnswer } from '../../../collector/relay/http-sender'
import { aRecord } from './made-record'
import { answered, aRelay, relayTools } from './relay-parts'

it('a withheld record is not posted before it is released, and an open post of another one is awaited', async () => {
  const posted: string[] = []
  const answers: ((answer: UpstreamAnswer) => void)[] = []
  const { reader } = relayTools({ seqs: [1, 2, 3] })
  const written: number[] = []
  const relay = aRelay({
    reader: { ...reader, record: async (seq) => ({ ...aRecord(), receipt: String(seq) }) },
    spool: { ...relayTools().spool, recordAttempt: async ({ seq }) => void written.push(seq) },
    send: ({ body }) => {
      posted.push(Buffer.from(body).toString())
      return new Promise((resolve) => answers.push(resolve))
    },
  })
  const held = relay.withhold([2, 3])
  expect(await held.ended).toBe(0)
  relay.wake()
  await expect.poll(() => posted.length).toBe(1)
  let ended: number | null = null
  const open = relay.withhold([1])
  const ending = open.ended.then((count) => {
    ended = count
  })
  expect(ended).toBeNull()
  answers[0]?.(answered(200))
  await ending
  expect({ ended, written, posts: posted.length }).toEqual({ ended: 1, written: [1], posts: 1 })
  open.release()
  held.release()
  await expect.poll(() => posted.length).toBe(3)
  for (const answer of answers) answer(answered(200))
  await expect.poll(() => written).toEqual([1, 2, 3])
  await relay.close(0)
})
