import { existsSync } from 'node:fs'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { seededRandom } from '../protocol/seeded-random'
import { Folder } from './folder'
import { randomRecords } from './random-records'
import { rowsOfRecords } from './rows-in-memory'

let folder: Folder
beforeEach(() => {
  folder = new Folder()
})
afterEach(() => folder.remove())

describe('a rebuild', () => {
  it('creates the same rows', () => {
    const records = folder.fill(300, 1)
    const before = folder.rows()
    folder.digest.rebuild(true)
    folder.settle()
    expect(folder.rows()).toEqual(before)
    expect(before).toEqual(rowsOfRecords(records))
    expect(existsSync(folder.file('telemetry.next.db'))).toBe(false)
  })

  it('serves the old index with new records until the new one is complete', () => {
    const records = randomRecords(400, 2)
    folder.take(records.slice(0, 300))
    folder.digest.rebuild(true)
    folder.digest.step()
    folder.receive(records.slice(300))
    expect(folder.digest.step().batch.upTo).toBe(364)
    expect(folder.digest.state().progress).toMatchObject({ done: 128, of: 400 })
    expect(folder.rows()).toEqual(rowsOfRecords(records.slice(0, 364)))
    folder.settle()
    expect(folder.digest.state()).toMatchObject({ progress: null, cursor: 400, done: 400 })
    expect(folder.rows()).toEqual(rowsOfRecords(records))
  })

  it.each(Array.from({ length: 6 }, (_, index) => index + 1))(
    'creates exactly the rows of the stored records, whatever is evicted before and during it (seed %i)',
    (seed) => {
      const random = seededRandom(seed)
      const records = randomRecords(400, seed + 50)
      folder.take(records.slice(0, 250))
      let kept = [...records]
      const evict = (among: number) => {
        const seqs = kept.flatMap(({ seq }) => (seq <= among && random() < 0.15 ? [seq] : []))
        folder.evict(seqs)
        kept = kept.filter(({ seq }) => !seqs.includes(seq))
      }
      evict(250)
      folder.evictRows(40)
      folder.digest.rebuild(true)
      folder.digest.step()
      evict(250)
      folder.receive(records.slice(250))
      folder.digest.step()
      evict(250)
      folder.evictRows(150)
      folder.digest.step()
      evict(250)
      folder.settle()
      const withRows = kept.filter(({ seq }) => seq > 150)
      expect(folder.rows()).toEqual(rowsOfRecords(withRows))
      folder.digest.rebuild(true)
      folder.settle()
      expect(folder.rows()).toEqual(rowsOfRecords(withRows))
    },
  )

  it('creates no rows for records whose rows are being evicted, before that is recorded', () => {
    const records = folder.fill(200, 3)
    folder.digest.rebuild(true)
    folder.digest.step()
    // The rows are erased, the record is still there, and `rows_from` is not written yet.
    folder.digest.erase(records.slice(0, 150).map(({ seq }) => seq))
    folder.settle()
    expect(folder.rows()).toEqual(rowsOfRecords(records.slice(150)))
  })

  it('creates no rows that an earlier process evicted during the rebuild', () => {
    const records = folder.fill(200, 3)
    folder.digest.rebuild(true)
    folder.digest.step()
    folder.evictRows(150)
    folder.reopen()
    folder.settle()
    expect(folder.rows()).toEqual(rowsOfRecords(records.slice(150)))
  })

  it('never moves the cursor back: the new index reaches as far as the old one before the switch', () => {
    folder.fill(200, 13)
    folder.digest.rebuild(true)
    folder.digest.step()
    folder.digest.switchOver()
    expect(folder.digest.state()).toMatchObject({ cursor: 200, progress: null })
  })

  it('continues after a restart', () => {
    const records = folder.fill(300, 4)
    folder.digest.rebuild(true)
    folder.digest.step()
    folder.digest.step()
    folder.reopen()
    expect(folder.digest.state().progress).toMatchObject({ done: 128, of: 300 })
    folder.settle()
    expect(folder.rows()).toEqual(rowsOfRecords(records))
  })

  it('replaces the old index at once when the disk budget does not allow both', () => {
    const records = folder.fill(300, 5)
    folder.digest.rebuild(false)
    expect(folder.digest.step().switchable).toBe(true)
    folder.digest.switchOver()
    expect(existsSync(folder.file('telemetry.next.db'))).toBe(false)
    expect(folder.digest.state().progress).toMatchObject({ of: 300 })
    folder.settle()
    expect(folder.rows()).toEqual(rowsOfRecords(records))
  })

  it('starts once, however often it is requested', () => {
    folder.fill(200, 6)
    folder.digest.rebuild(true)
    folder.digest.step()
    folder.digest.rebuild(true)
    expect(folder.digest.state().progress).toMatchObject({ done: 64, of: 200 })
  })

  it('keeps the old index while another program reads it', () => {
    const _records = folder.fill(100, 7)
    folder.digest.rebuild(true)
    const reader = new Database(folder.file('telemetry.db'), { readonly: true })
    const open = reader.prepare('SELECT seq FROM envelopes').iterate()
    open.next()
    while (!folder.digest.step().switchable);
    folder.receive(randomRecords(110, 7).slice(100))
    folder.digest.step()
    expect(() => folder.digest.switchOver()).toThrow(/another program reads .*telemetry\.db/)
    expect(folder.digest.step()).toMatchObject({ switchable: true })
    open.return?.()
    reader.close()
    folder.settle()
    expect(folder.rows()).toEqual(rowsOfRecords(randomRecords(110, 7)))
  })
})
