import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Folder } from './folder'
import { randomRecords } from './random-records'
import { rowsOfRecords } from './rows-in-memory'

let folder: Folder
beforeEach(() => {
  folder = new Folder()
})
afterEach(() => folder.remove())

const RECORDS = randomRecords(300, 51)
const seqs = (from: number, to: number): readonly number[] => RECORDS.slice(from, to).map(({ seq }) => seq)

/** Records from `from` to `to` come to be on record after all later ones. */
function addOlder(from: number, to: number): void {
  folder.receive(RECORDS.slice(from, to))
  folder.digest.addOlder(seqs(from, to))
}

describe('records that are added before those that have rows', () => {
  it('have the rows of a record that was digested in order', () => {
    folder.take(RECORDS.slice(220))
    for (let from = 180; from >= 0; from -= 60) {
      addOlder(from, Math.min(from + 60, 220))
      expect(folder.digest.state().older).toBe(Math.min(from + 60, 220) - from)
      folder.settle()
      expect(folder.digest.state()).toMatchObject({ older: 0, cursor: 300 })
    }
    expect(folder.rows()).toEqual(rowsOfRecords(RECORDS))
  })

  it('are digested after newer ones', () => {
    folder.take(RECORDS.slice(100, 200))
    addOlder(0, 100)
    folder.receive(RECORDS.slice(200))
    folder.digest.step()
    expect(folder.digest.state()).toMatchObject({ older: 100, cursor: 264 })
    folder.settle()
    expect(folder.rows()).toEqual(rowsOfRecords(RECORDS))
  })

  it('are digested once, by whichever way the digest finds them', () => {
    addOlder(100, 200)
    folder.settle()
    folder.digest.addOlder(seqs(100, 200))
    addOlder(0, 100)
    folder.reopen()
    folder.digest.addOlder(seqs(0, 100))
    folder.settle()
    folder.take(RECORDS.slice(200))
    expect(folder.rows()).toEqual(rowsOfRecords(RECORDS))
  })

  it('get no rows when they were erased meanwhile', () => {
    folder.take(RECORDS.slice(100))
    addOlder(0, 100)
    folder.evict(seqs(20, 40))
    folder.settle()
    expect(folder.rows()).toEqual(rowsOfRecords(RECORDS.filter(({ seq }) => !seqs(20, 40).includes(seq))))
  })

  it.each([true, false])('are in a rebuilt index (old index kept: %s)', (keepOld) => {
    folder.take(RECORDS.slice(100))
    folder.digest.rebuild(keepOld)
    folder.digest.step()
    addOlder(0, 100)
    folder.settle()
    expect(folder.rows()).toEqual(rowsOfRecords(RECORDS))
  })
})

describe('an index of a record that becomes another one', () => {
  it('is deleted, and begins again', () => {
    folder.take(RECORDS)
    folder.digest.rebuild(true)
    folder.digest.clear()
    folder.forget(seqs(100, 300))
    folder.digest.start()
    expect(folder.digest.state()).toMatchObject({ cursor: 0, older: 0, progress: { done: 0, of: 100 } })
    folder.settle()
    expect(folder.rows()).toEqual(rowsOfRecords(RECORDS.slice(0, 100)))
  })
})
