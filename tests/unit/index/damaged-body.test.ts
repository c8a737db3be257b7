import { existsSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Folder } from './folder'
import { randomRecords } from './random-records'
import { dump, rowsOf } from './rows-in-memory'

let folder: Folder
beforeEach(() => {
  folder = new Folder()
})
afterEach(() => folder.remove())

const rowsWithout = (records: ReturnType<typeof randomRecords>, gone: readonly number[]) =>
  dump(rowsOf(records.filter(({ seq }) => !gone.includes(seq))).db)

/** Digested records that share rows with others. */
const DAMAGED = [20, 70]
const GONE = Array.from({ length: 90 }, (_, index) => index + 1)

describe('a record whose body was damaged after the digest', () => {
  it('is evicted like any other, without a rebuild', () => {
    const records = randomRecords(200, 31)
    folder.receive(records)
    folder.settle()
    for (const seq of DAMAGED) folder.damageBody(seq)
    folder.evict(GONE)
    expect(folder.rows()).toEqual(rowsWithout(records, GONE))
    expect(folder.digest.state()).toMatchObject({ progress: null, cursor: 200 })
    expect(existsSync(folder.file('telemetry.next.db'))).toBe(false)
    expect(folder.logged).toEqual([])
  })

  it('is evicted from both files during a rebuild, which continues', () => {
    const records = randomRecords(200, 33)
    folder.receive(records)
    folder.settle()
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
