import { afterAll, afterEach, beforeEach, expect, it } from 'vitest'
import { collectorClient } from '../../lib/wire/collector-client'
import { limitingAnswer } from '../../lib/wire/scripted-answers'
import { type CollectorProcess, endCollectors, startCollector } from './collector-process'
import { type NodeSdkProgram, startNodeSdkProgram } from './node-sdk-program'

let collector: CollectorProcess
let program: NodeSdkProgram
beforeEach(async () => {
  collector = await startCollector({ WAYSTATION_UPSTREAM: 'stand-in' })
  program = await startNodeSdkProgram(collector.dsn)
})
afterEach(() => program.end())
afterAll(endCollectors)

const client = () => collectorClient(collector.url, fetch)
const slowly = { timeout: 60_000, interval: 50 }

/** The statuses of the posts at upstream that contain an item of this category. */
async function postsOf(category: string): Promise<readonly (number | null)[]> {
  const state = await client().standIn()
  return (state?.received ?? []).filter(({ categories }) => categories.includes(category)).map(({ status }) => status)
}

it('Sentry’s Node SDK stops a limited category, sends the others, reports its losses, and resumes; the ledger balances', async () => {
  await client().play({ answers: [limitingAnswer(['transaction'], 6, { scope: 'key', reason: 'quota_exceeded' })] })
  await program.cause('transaction')
  await expect.poll(() => postsOf('transaction'), slowly).toEqual([429])
  await expect
    .poll(async () => (await client().limits()).limits, slowly)
    .toMatchObject([{ category: 'transaction', sourceSeq: 1, scope: 'key', reason: 'quota_exceeded' }])

  // The answer to this envelope contains the limit.
  await program.cause('error')
  for (const what of ['transaction', 'transaction', 'error', 'transaction'] as const) await program.cause(what)
  await expect.poll(() => postsOf('error'), slowly).toEqual([200, 200])
  expect(await postsOf('transaction')).toEqual([429])
  expect((await client().overview()).limits).toHaveLength(1)

  // The SDK counts whole seconds from the answer, so its limit ends a little later.
  await expect.poll(async () => (await client().limits()).limits, slowly).toEqual([])
  let made = 4
  await expect
    .poll(async () => {
      await program.cause('transaction')
      made += 1
      await expect.poll(async () => (await client().overview()).items.pending, slowly).toBe(0)
      return postsOf('transaction')
    }, slowly)
    .toContain(200)
  const { categories, losses } = await client().losses()
  const rowOf = new Map(categories.map((one) => [one.category, one]))
  const lost = made - 2
  expect(rowOf.get('transaction')).toMatchObject({
    made,
    discarded: lost,
    received: 2,
    accepted: 1,
    rate_limited: 1,
    pending: 0,
    unexplained: 0,
  })
  expect(rowOf.get('error')).toMatchObject({ made: 2, received: 2, accepted: 2, discarded: 0, unexplained: 0 })
  // A transaction also counts as two spans: itself and its child.
  expect(rowOf.get('span')).toMatchObject({ made: 2 * lost, discarded: 2 * lost, received: 0 })
  expect(losses).toContainEqual({ by: 'sdk', reason: 'ratelimit_backoff', category: 'transaction', quantity: lost })
  expect(losses).toContainEqual({ by: 'upstream', reason: 'upstream_429', category: 'transaction', quantity: 1 })
  expect(categories.map(({ unexplained }) => unexplained)).toEqual(categories.map(() => 0))
})
