import { expect, it } from 'vitest'
import { orderDeadLetters } from '../../../collector/order-dead-letters'

/** A spool that has so many dead letters, and notes how many it is asked about at once. */
function spoolOf(many: number) {
  const asked: number[] = []
  const done = async (which: readonly number[]): Promise<readonly number[]> => {
    asked.push(which.length)
    return which
  }
  return {
    asked,
    spool: { sendAgain: done, drop: async (which: readonly number[]) => (await done(which)).length },
    reader: { deadSeqs: async () => Array.from({ length: many }, (_, n) => n + 1) },
  }
}

it('all dead letters are sent or dropped in transactions of 500', async () => {
  for (const what of ['send', 'drop'] as const) {
    const { asked, ...parts } = spoolOf(1200)
    expect(await orderDeadLetters(parts, { do: what, which: 'all' })).toBe(1200)
    expect(asked).toEqual([500, 500, 200])
  }
})

it('of those that are named it is told how many it was done to', async () => {
  const { spool, reader } = spoolOf(3)
  const fits = { ...spool, sendAgain: async (which: readonly number[]) => which.slice(0, 1) }
  expect(await orderDeadLetters({ spool: fits, reader }, { do: 'send', which: [1, 2, 3] })).toBe(1)
})
