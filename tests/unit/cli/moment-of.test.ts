import { describe, expect, it } from 'vitest'
import { momentOf } from '../../../collector/cli/moment-of'

describe('the moment of a journal number', () => {
  const journal = {
    facts: async (after: number) => ({
      facts: [5, 6, 7].filter((n) => n > after).map((n) => ({ n, at: n * 10, kind: 'received' as const, seq: n })),
      next: 7,
      oldest: 5,
    }),
  }

  it('is when its fact was written', async () => {
    expect(await momentOf(6, journal)).toBe(60)
  })

  it('is not known where that is no longer kept, and there is none before the first', async () => {
    expect([await momentOf(3, journal), await momentOf(9, journal), await momentOf(0, journal)]).toEqual([
      null,
      null,
      null,
    ])
  })
})
