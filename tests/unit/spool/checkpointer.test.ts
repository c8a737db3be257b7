import { randomBytes } from 'node:crypto'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { openForReading, openForWriting } from '../../../collector/spool/database'
import { Checkpointer } from '../../../collector/spool/wal'
import { removeFolders, temporaryFolder } from './in-process-spool'

afterAll(removeFolders)

/** A database whose log has a mebibyte. */
function logged() {
  const path = join(temporaryFolder(), 'one.db')
  const db = openForWriting(path, 'FULL')
  db.exec('CREATE TABLE parts (body BLOB)')
  const write = (): unknown => db.prepare('INSERT INTO parts VALUES (?)').run(randomBytes(1024 * 1024))
  write()
  return { path, write, keeper: new Checkpointer(db, () => 7), logBytes: () => statSync(`${path}-wal`).size }
}

describe('the log', () => {
  it('that is emptied gives back what its file took, and says how much', () => {
    const { keeper, logBytes } = logged()
    const before = logBytes()
    expect(before).toBeGreaterThan(1024 * 1024)
    expect(keeper.truncate()).toBe(before)
    expect(logBytes()).toBe(0)
    expect(keeper.truncate()).toBe(0)
  })

  it('that is folded keeps its file, and what comes next begins at its front', () => {
    const { keeper, logBytes, write } = logged()
    const before = logBytes()
    keeper.checkpoint()
    expect(logBytes()).toBe(before)
    write()
    expect(logBytes()).toBe(before)
  })

  it('that somebody reads is not emptied, however long that is waited for, and says since when', () => {
    const { path, keeper, logBytes, write } = logged()
    const reader = openForReading(path)
    reader.exec('BEGIN')
    reader.prepare('SELECT count(*) FROM parts').get()
    write()
    const before = logBytes()
    expect(keeper.truncate(50)).toBe(0)
    expect(logBytes()).toBe(before)
    expect(keeper.state.blockedSince).toBe(7)
    reader.close()
    expect(keeper.truncate()).toBe(before)
    expect(keeper.state.blockedSince).toBeNull()
  })
})
