import { describe, expect, it } from 'vitest'
import { isDiskFull } from '../../../collector/runtime/sqlite-errors'
import { WalBudget } from '../../../collector/spool/wal'

const MIB = 1024 * 1024

function logRoom(free: number, unfolded: number) {
  const room = new WalBudget({ freeBytes: () => free, walBytes: () => unfolded })
  const take = (bytes: number): 'taken' | 'full' => {
    try {
      room.reserve(bytes)
      return 'taken'
    } catch (error) {
      if (error instanceof Error && isDiskFull(error)) return 'full'
      throw error
    }
  }
  return { take, batchEnded: () => room.batchEnded() }
}

describe('what the log has room for', () => {
  it('is all that the ballast covers, however little the disk has left', () => {
    expect(logRoom(0, 3 * MIB).take(MIB)).toBe('taken')
    expect(logRoom(0, 3 * MIB).take(MIB + 1)).toBe('full')
  })

  it('is what could be folded into the file, with 2 MiB beside it', () => {
    expect(logRoom(10 * MIB, 7 * MIB).take(MIB)).toBe('taken')
    expect(logRoom(10 * MIB, 7 * MIB).take(MIB + 1)).toBe('full')
  })

  it('counts what the batch at hand adds, until it is in the log', () => {
    const { take, batchEnded } = logRoom(10 * MIB, 6 * MIB)
    expect([take(MIB), take(MIB), take(MIB)]).toEqual(['taken', 'taken', 'full'])
    batchEnded()
    expect(take(2 * MIB)).toBe('taken')
  })
})
