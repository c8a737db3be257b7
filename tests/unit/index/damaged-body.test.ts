import { existsSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Folder } from './folder'
import { rowsOfRecords } from './rows-in-memory'

let folder: Folder
beforeEach(() => {
  folder = new Folder()
})
afterEach(() => folder.remove())

const rowsWithout = (records: ReturnType<Folder['fill']>, gone: readonly number[]) =>
  rowsOfRecords(records.filter(({ seq }) => !gone.includes(seq)))

/** Digested records that share rows with others. */
const DAMAGED = [20, 70]
const GONE = Array.from({ length: 90 }, (_, index) => index + 1)

describe('a record whose body was damaged after the digest', () => {
  it('is evicted like any other, without a rebuild', () => {
    const records = folder.fill(200, 31)
    for (const seq of DAMAGED) folder.damageBody(seq)
    folder.evict(GONE)
    expect(folder.rows()).toEqual(rowsWithout(records, GONE))
    expect(folder.digest.state()).toMatchObject({ progress: null, cursor: 200 })
    expect(existsSync(folder.file('telemetry.next.db'))).toBe(false)
    expect(folder.logged).toEqual([])
  })

  it('is evicted from both files during a rebuild, which continues', () => {
    const records = folder.fill(200, 33)
    folder.digest.rebuild(true)
    folder.digest.step()
    folder.digest.step()
    for (const seq of DAMAGED) folder.damageBody(seq)
    folder.evict(GONE)
    expect(folder.digest.state().progress).toMatchObject({ done: 128 })
    expect(folder.rows()).toEqual(rowsWithout(records, GONE))
    folder.settle()
    expect(folder.rows()).toEqual(rowsWithout(records, GONE))
  })
})
