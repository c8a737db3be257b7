import { expect, it } from 'vitest'
import { SendError, type UpstreamAnswer } from '../../../collector/relay/http-sender'
import { StartOrder } from '../../../collector/relay/open-posts'
import type { SubmissionContent } from '../../../lib/protocol/submission'
import { seededRandom } from '../protocol/seeded-random'
import { submission } from '../spool/in-process-spool'
import { sessionRecord } from './made-record'
import { answered, aRelay, HandClock, PendingInMemory } from './relay-parts'

/** An open post: its record, and ways to end it. */
interface Open {
  readonly seq: number
  readonly answer: (status: number) => void
  readonly fail: () => void
}

/** A relay whose reads and posts a test ends in any order. */
function slowly(random: () => number) {
  const clock = new HandClock()
  const pending = new PendingInMemory()
  const open: Open[] = []
  const started: number[] = []
  const reading: (() => void)[] = []
  const { spool, reader } = pending
  const record = async (seq: number): Promise<SubmissionContent | null> => {
    await new Promise<void>((resolve) => reading.push(resolve))
    return reader.record(seq)
  }
  const send = ({ headers }: { readonly headers: Readonly<Record<string, string>> }): Promise<UpstreamAnswer> =>
    new Promise((resolve, reject) => {
      const seq = Number(headers['user-agent'])
      started.push(seq)
      open.push({
        seq,
        answer: (status) => resolve(answered(status)),
        fail: () => reject(new SendError('failed', 'ECONNRESET', true)),
      })
    })
  const tools = { spool, reader: { ...reader, record }, send, random, now: clock.now, later: clock.later }
  const relay = aRelay(tools)
  /** Puts the record's number into a header that the test can read. */
  const numbered = (record: SubmissionContent, seq: number): SubmissionContent => ({
    ...record,
    facts: { ...record.facts, userAgent: String(seq) },
  })
  let received = 0
  return {
    clock,
    pending,
    open,
    started,
    reading,
    relay,
    receive: (made: SubmissionContent, isAtHand: boolean): void => {
      received += 1
      const fresh = pending.receive(numbered(made, received))
      if (isAtHand) relay.offer(fresh)
      else relay.wake(received)
    },
  }
}

const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

it('posts start in spool order, also those in memory after those that are read from disk', async () => {
  const { receive, reading, started, open } = slowly(() => 0)
  receive(submission(), false)
  receive(submission(), false)
  await expect.poll(() => reading.length).toBe(2)
  for (let each = 0; each < 3; each += 1) receive(submission(), true)
  await settle()
  expect(started).toEqual([])
  // The reads end in reverse order.
  for (const resolve of reading.splice(0).reverse()) resolve()
  await expect.poll(() => started).toEqual([1, 2, 3, 4, 5])
  for (const post of open) post.answer(200)
})

it.each([1, 2, 3, 4, 5, 6, 7, 8])(
  'the posts of one session keep their order through random failures, and all arrive (seed %i)',
  async (seed) => {
    const random = seededRandom(seed)
    const { receive, reading, open, pending, relay, clock } = slowly(random)
    const sids = ['a', 'b', 'c']
    const sidsOf = new Map<number, readonly string[]>()
    const accepted = new Map<string, number[]>()
    const busy = new Set<string>()
    const pick = (most: number): number => Math.floor(random() * most)
    let received = 0
    const end = (post: Open): void => {
      const mine = sidsOf.get(post.seq) ?? []
      for (const sid of mine) busy.delete(sid)
      const status = [200, 200, 200, 200, 503, 403, 400][pick(8)]
      if (status === undefined) post.fail()
      else post.answer(status)
      if (status === 200) for (const sid of mine) accepted.set(sid, [...(accepted.get(sid) ?? []), post.seq])
    }
    const seen = new Set<Open>()
    const answerOpen = (): void => {
      for (const post of open) {
        if (seen.has(post)) continue
        seen.add(post)
        for (const sid of sidsOf.get(post.seq) ?? []) {
          expect(busy.has(sid), `two updates of ${sid} are open`).toBe(false)
          busy.add(sid)
        }
      }
    }
    for (let step = 0; step < 3000 && (received < 120 || pending.pending.length > 0); step += 1) {
      if (received < 120 && random() < 0.4) {
        received += 1
        const mine = sids.filter(() => random() < 0.4)
        sidsOf.set(received, mine)
        receive(mine.length === 0 ? submission() : sessionRecord(mine), random() < 0.5)
      }
      reading.splice(pick(reading.length), 1)[0]?.()
      await settle()
      answerOpen()
      if (open.length > 0 && random() < 0.6) {
        const [post] = open.splice(pick(open.length), 1)
        if (post !== undefined) end(post)
      }
      await settle()
      answerOpen()
      if (random() < 0.2) clock.pass(clock.next ?? 0)
    }
    expect(pending.pending).toEqual([])
    for (const seqs of accepted.values()) expect(seqs).toEqual([...seqs].sort((one, other) => one - other))
    expect(accepted.size).toBe(3)
    expect(relay.state({ pending: 0, deadLetters: pending.dead.size }).open).toBe(0)
  },
)

it('records that become ready in any order start in the order of their turns, also after one that does not start', async () => {
  const order = new StartOrder()
  const turns = [1, 2, 3, 4].map(() => order.next())
  const started: number[] = []
  const start = async (which: number): Promise<void> => {
    await turns[which - 1]?.ready
    started.push(which)
    turns[which - 1]?.passed()
  }
  // The third passes at once; the fourth still waits for the first and the second.
  turns[2]?.passed()
  await Promise.all([start(4), start(2), start(1)])
  expect(started).toEqual([1, 2, 4])
})
