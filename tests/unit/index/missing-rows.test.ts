import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Folder } from './folder'
import { randomRecords } from './random-records'
import { rowsOfRecords } from './rows-in-memory'

let folder: Folder
beforeEach(() => {
  folder = new Folder()
})
afterEach(() => folder.remove())

const BATCH = Array.from({ length: 150 }, (_, index) => index + 11)

describe('a process that dies between erasing rows and evicting their records', () => {
  it('leaves records whose rows the next process creates again', () => {
    const records = folder.fill(300, 41)
    folder.digest.erase(BATCH)
    folder.reopen()
    folder.settle()
    expect(folder.rows()).toEqual(rowsOfRecords(records))
    expect(folder.digest.state()).toMatchObject({ cursor: 300, done: 300 })
  })

  it('does not create rows that were evicted, and digests new records', () => {
    const records = randomRecords(320, 42)
    folder.take(records.slice(0, 300))
    folder.evictRows(100)
    folder.digest.erase(BATCH)
    folder.reopen()
    folder.take(records.slice(300))
    expect(folder.rows()).toEqual(rowsOfRecords(records.slice(100)))
  })

  it('leaves records that may be evicted before their rows are created again', () => {
    const records = folder.fill(300, 43)
    folder.digest.erase(BATCH)
    folder.reopen()
    folder.evict(BATCH.slice(0, 20))
    folder.digest.step()
    folder.evict(BATCH.slice(20, 120))
    folder.settle()
    expect(folder.rows()).toEqual(rowsOfRecords(records.filter(({ seq }) => !BATCH.slice(0, 120).includes(seq))))
  })

  it.each([true, false])('leaves no gap in a rebuilt index (old index kept: %s)', (keepOld) => {
    const records = folder.fill(300, 44)
    folder.digest.rebuild(keepOld)
    for (let step = 0; step < 4; step += 1) folder.digest.step()
    folder.digest.erase(BATCH)
    folder.reopen()
    folder.settle()
    expect(folder.rows()).toEqual(rowsOfRecords(records))
  })
})
