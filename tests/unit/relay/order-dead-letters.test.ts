import { describe, expect, it } from 'vitest'
import { orderDeadLetters } from '../../../collector/relay/dead-letters'
import { RateLimits } from '../../../collector/relay/running-limits'
import type { DeadItems } from '../../../collector/spool/spool'
import type { DeadLetterOrder } from '../../../lib/wire/delivery'
import { storedLimit } from '../spool/stored-limit'

/** Active limits of one project, by category in seconds. */
const limited = (seconds: Readonly<Record<string, number>>, project = '1'): RateLimits =>
  new RateLimits(
    Object.entries(seconds).map(([category, each]) => storedLimit(category, each, { project })),
    { now: () => 0, monotonic: () => 0 },
  )

/** A spool with these dead letters, which records the size of each batch. */
function partsOf(letters: readonly (readonly string[])[], rateLimits = limited({})) {
  const batches: number[] = []
  const sent: number[] = []
  let reads = 0
  const done = async (which: readonly number[]): Promise<readonly number[]> => {
    batches.push(which.length)
    sent.push(...which)
    return which
  }
  const dead = letters.map((categories, at): DeadItems => ({ seq: at + 1, publicKey: 'key', project: '1', categories }))
  const parts = {
    spool: {
      requeueDeadLetters: done,
      dropDeadLetters: async (which: readonly number[]) => (await done(which)).length,
      deadSeqs: async () => dead.map(({ seq }) => seq),
      deadItems: async (seqs: readonly number[]) => {
        reads += 1
        return dead.filter(({ seq }) => seqs.includes(seq))
      },
    },
    rateLimits,
    now: () => 0,
  }
  return { parts, batches, sent, reads: () => reads }
}

const ofErrors = (many: number): readonly (readonly string[])[] => Array.from({ length: many }, () => ['error'])
const SEND_ALL: DeadLetterOrder = { do: 'send', which: 'all' }

it('all dead letters are sent or dropped in transactions of 500', async () => {
  for (const what of ['send', 'drop'] as const) {
    const { batches, parts, reads } = partsOf(ofErrors(1200))
    expect(await orderDeadLetters(parts, { do: what, which: 'all' })).toEqual({ done: 1200, limited: [] })
    expect(batches).toEqual([500, 500, 200])
    expect(reads()).toBe(0)
  }
})

it('named dead letters: the answer has the number that was changed', async () => {
  const { parts } = partsOf(ofErrors(3))
  const fits = { ...parts.spool, requeueDeadLetters: async (which: readonly number[]) => which.slice(0, 1) }
  const order: DeadLetterOrder = { do: 'send', which: [1, 2, 3] }
  expect((await orderDeadLetters({ ...parts, spool: fits }, order)).done).toBe(1)
})

describe('a dead letter with limited items', () => {
  it('is not sent, because it would be cut; the answer counts it under its longest limit', async () => {
    const letters = [['error'], ['transaction'], ['error', 'attachment'], ['attachment'], ['replay']]
    const { parts, sent } = partsOf(letters, limited({ error: 31, attachment: 60 }))
    expect(await orderDeadLetters(parts, SEND_ALL)).toEqual({
      done: 2,
      limited: [
        { category: 'attachment', seconds: 60, many: 2 },
        { category: 'error', seconds: 31, many: 1 },
      ],
    })
    expect(sent).toEqual([2, 5])
  })

  it.each([
    ['everything', 'all', ['log_item']],
    ['another name of it', 'metric', ['trace_metric']],
  ])('is limited by %s', async (_what, name, categories) => {
    const { parts, batches } = partsOf([categories], limited({ [name]: 0.2 }))
    expect(await orderDeadLetters(parts, SEND_ALL)).toEqual({
      done: 0,
      limited: [{ category: categories[0], seconds: 1, many: 1 }],
    })
    expect(batches).toEqual([])
  })

  it('is sent where only another project is limited', async () => {
    const { parts } = partsOf(ofErrors(1), limited({ error: 31 }, '2'))
    expect(await orderDeadLetters(parts, SEND_ALL)).toEqual({ done: 1, limited: [] })
  })

  it('can be dropped', async () => {
    const { parts } = partsOf(ofErrors(2), limited({ error: 31 }))
    expect(await orderDeadLetters(parts, { do: 'drop', which: 'all' })).toEqual({ done: 2, limited: [] })
  })
})
