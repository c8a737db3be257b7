import { describe, expect, it } from 'vitest'
import { isDiskFull } from '../../../collector/runtime/sqlite-errors'
import { WalBudget } from '../../../collector/spool/wal'

const MIB = 1024 * 1024

function walBudget(freeBytes: number, walBytes: number) {
  const budget = new WalBudget({ freeBytes: () => freeBytes, walBytes: () => walBytes })
  const reserve = (bytes: number): 'reserved' | 'full' => {
    try {
      budget.reserve(bytes)
      return 'reserved'
    } catch (error) {
      if (isDiskFull(error)) return 'full'
      throw error
    }
  }
  return { reserve, batchEnded: () => budget.batchEnded() }
}

describe('the budget of the write-ahead log', () => {
  it('allows the 4 MiB that the ballast covers on any disk', () => {
    expect(walBudget(0, 3 * MIB).reserve(MIB)).toBe('reserved')
    expect(walBudget(0, 3 * MIB).reserve(MIB + 1)).toBe('full')
  })

  it('allows a log that can still be checkpointed with 2 MiB to spare', () => {
    expect(walBudget(10 * MIB, 7 * MIB).reserve(MIB)).toBe('reserved')
    expect(walBudget(10 * MIB, 7 * MIB).reserve(MIB + 1)).toBe('full')
  })

  it('counts the appends of the current batch', () => {
    const { reserve, batchEnded } = walBudget(10 * MIB, 6 * MIB)
    expect([reserve(MIB), reserve(MIB), reserve(MIB)]).toEqual(['reserved', 'reserved', 'full'])
    batchEnded()
    expect(reserve(2 * MIB)).toBe('reserved')
  })
})
