import { expect, it, onTestFinished } from 'vitest'
import { type FollowPlan, follow } from '../../../lib/kit/collector'
import { CollectorError } from '../../../lib/wire/collector-client'
import type { RecordedOptions, RecordedPage } from '../../../lib/wire/journal'
import { everythingElse, hastyClock } from './manual-clock'

/** A client whose requests the test answers, in order. */
function asking(given: Partial<FollowPlan> = {}) {
  const requested: {
    readonly options: RecordedOptions
    readonly answer: (head: number, page?: Partial<RecordedPage>) => void
    readonly refuse: (status: number | null) => void
  }[] = []
  const recorded = (options: RecordedOptions = {}): Promise<RecordedPage> =>
    new Promise((resolve, reject) => {
      options.signal?.addEventListener('abort', () => reject(new DOMException('aborted', 'AbortError')))
      requested.push({
        options,
        answer: (head, page) => resolve({ recorded: [], damaged: [], next: head, journal: head, oldest: 1, ...page }),
        refuse: (status) => reject(new CollectorError(status, `answered ${status}`)),
      })
    })
  const lost: string[] = []
  const damaged: number[] = []
  const follower = follow({
    client: { recorded },
    stamp: 'mine',
    after: 10,
    clock: hastyClock(),
    retryMs: 1_000,
    take: (page) => damaged.push(...page.damaged),
    onLost: (sentence) => lost.push(sentence),
    ...given,
  })
  onTestFinished(() => follower.close())
  const at = (index: number) => {
    const one = requested[index]
    if (one === undefined) throw new Error(`${requested.length} requests were made, and expected number ${index}`)
    return one
  }
  return { follower, requested, at, lost, damaged }
}

it('accepts an overtaken answer', async () => {
  const { follower, at, lost } = asking()
  const toHead = follower.readToHead(new AbortController().signal)
  at(1).answer(12)
  await toHead
  at(0).answer(11)
  await everythingElse()
  expect(lost).toEqual([])
  expect(at(2).options).toMatchObject({ after: 12, wait: 25 })
})

it('ends if the journal is shorter than its cursor', async () => {
  const { at, lost } = asking()
  at(0).answer(9)
  await everythingElse()
  expect(lost).toEqual([
    'the collector has a different record than before: its journal ends at 9, but 10 was read already',
  ])
})

it('reports damage in two answers once', async () => {
  const { follower, at, damaged } = asking()
  const toHead = follower.readToHead(new AbortController().signal)
  at(1).answer(11, { damaged: [7] })
  await toHead
  at(0).answer(11, { damaged: [7] })
  await everythingElse()
  expect(damaged).toEqual([7])
})

it('ends for a 4xx, and retries without an answer and for a 5xx', async () => {
  const { at, lost } = asking()
  at(0).refuse(503)
  await expect.poll(() => at(1).options.after).toBe(10)
  at(1).refuse(null)
  await expect.poll(() => at(2).options.after).toBe(10)
  expect(lost).toEqual([])
  at(2).refuse(403)
  await everythingElse()
  expect(lost).toEqual(['answered 403'])
})
