import { randomBytes } from 'node:crypto'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { Checkpointer } from '../../../collector/runtime/checkpointer'
import { openForReading, openForWriting } from '../../../collector/runtime/database'
import { isDiskFull } from '../../../collector/runtime/sqlite-errors'
import { WalBudget } from '../../../collector/spool/disk/wal-budget'
import { removeFolders, temporaryFolder } from '../spool/in-process-spool'

afterAll(removeFolders)

/** A database with 1 MiB in its write-ahead log. */
function logged() {
  const path = join(temporaryFolder(), 'one.db')
  const db = openForWriting(path, 'FULL')
  db.exec('CREATE TABLE parts (body BLOB)')
  const write = (): unknown => db.prepare('INSERT INTO parts VALUES (?)').run(randomBytes(1024 * 1024))
  write()
  return { path, write, checkpointer: new Checkpointer(db, () => 7), logBytes: () => statSync(`${path}-wal`).size }
}

it('a checkpointer truncates the log and returns by how many bytes', () => {
  const { checkpointer, logBytes } = logged()
  const before = logBytes()
  expect(before).toBeGreaterThan(1024 * 1024)
  expect(checkpointer.truncate()).toBe(before)
  expect(logBytes()).toBe(0)
  expect(checkpointer.truncate()).toBe(0)
})

it('a checkpointer keeps the file of a checkpointed log, and the next commit overwrites it', () => {
  const { checkpointer, logBytes, write } = logged()
  const before = logBytes()
  checkpointer.checkpoint()
  expect(logBytes()).toBe(before)
  write()
  expect(logBytes()).toBe(before)
})

it('a checkpointer does not truncate a log that a reader holds, and reports since when', () => {
  const { path, checkpointer, logBytes, write } = logged()
  const reader = openForReading(path)
  reader.exec('BEGIN')
  reader.prepare('SELECT count(*) FROM parts').get()
  write()
  const before = logBytes()
  expect(checkpointer.truncate(50)).toBe(0)
  expect(logBytes()).toBe(before)
  expect(checkpointer.state.blockedSince).toBe(7)
  reader.close()
  expect(checkpointer.truncate()).toBe(before)
  expect(checkpointer.state.blockedSince).toBeNull()
})

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
