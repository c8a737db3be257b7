import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Folder } from './folder'
import { randomRecords } from './random-records'
import { rowsOfRecords } from './rows-in-memory'

let folder: Folder
beforeEach(() => {
  folder = new Folder()
})
afterEach(() => folder.remove())

describe('an index that cannot be used', () => {
  const changed = (change: (db: Database.Database) => void) => (path: string) => {
    const db = new Database(path)
    change(db)
    db.close()
  }

  it.each([
    ['another digest version', (db: Database.Database) => db.pragma('user_version = 2')],
    ['other limits', (db: Database.Database) => db.exec(`UPDATE cursor SET limits = '{"depth":7,"tags":7}'`)],
  ])('an index of %s is rebuilt, and is served while it grows', (_name, change) => {
    const records = folder.fill(200, 8)
    folder.reopen(changed(change))
    expect(folder.digest.state().progress).toMatchObject({ done: 0, of: 200 })
    folder.settle()
    expect(folder.digest.state().progress).toBe(null)
    expect(folder.rows()).toEqual(rowsOfRecords(records))
    expect(folder.logged).toEqual([])
  })

  it.each([
    ['that is no database', (path: string) => writeFileSync(path, 'this is no database'.repeat(500))],
    [
      'of another program',
      (path: string) => {
        const db = new Database(`${path}.other`)
        db.exec('CREATE TABLE bookmarks (url TEXT)')
        db.close()
        writeFileSync(path, readFileSync(`${path}.other`))
      },
    ],
    ['whose end is missing', (path: string) => writeFileSync(path, readFileSync(path).subarray(0, 20_000))],
  ])('a file %s is renamed with a warning, and the index is rebuilt', (_name, damage) => {
    const records = folder.fill(200, 9)
    folder.reopen(damage)
    folder.settle()
    expect(folder.logged).toEqual([
      expect.stringMatching(
        /telemetry\.db could not be used \(.+\)\. It was renamed to .+telemetry\.db\.damaged-1, .+ is rebuilt/,
      ),
    ])
    expect(folder.rows()).toEqual(rowsOfRecords(records))
  })

  it('an index that is an empty file is filled without a warning', () => {
    const records = folder.fill(70, 10)
    folder.reopen((path) => writeFileSync(path, ''))
    folder.settle()
    expect(folder.logged).toEqual([])
    expect(folder.rows()).toEqual(rowsOfRecords(records))
  })

  it('is kept at most three times', () => {
    for (let time = 0; time < 5; time += 1) {
      folder.reopen((path) => writeFileSync(path, 'this is no database'.repeat(500)))
    }
    expect(readdirSync(folder.path).filter((name) => name.includes('damaged'))).toHaveLength(3)
  })
})

it('damage found while running starts a rebuild, is logged, and ends with complete rows', () => {
  const records = randomRecords(300, 11)
  folder.take(records.slice(0, 200))
  folder.reopen((path) => overwriteInside(path))
  folder.receive(records.slice(200))
  folder.digest.step()
  expect(folder.digest.state()).toMatchObject({ damage: expect.stringContaining('malformed'), progress: { of: 300 } })
  folder.settle()
  expect(folder.digest.state().damage).toBe(null)
  expect(folder.rows()).toEqual(rowsOfRecords(records))
  expect(folder.logged).toEqual([
    expect.stringMatching(/the index telemetry\.db is damaged .*; it is rebuilt/),
    expect.stringMatching(/It was renamed to .*telemetry\.db\.damaged-1/),
  ])
})

it('damage found while running does not stop eviction', () => {
  const records = folder.fill(200, 12)
  folder.digest.damaged('somebody read it')
  folder.evict([1, 2, 3, 150])
  folder.settle()
  expect(folder.rows()).toEqual(rowsOfRecords(records.filter(({ seq }) => ![1, 2, 3, 150].includes(seq))))
})

/** Damages pages in the middle of the file; the first ones, which every start reads, stay. */
function overwriteInside(path: string): void {
  const bytes = readFileSync(path)
  bytes.fill(0xa5, 48 * 4096, bytes.length - 4096)
  writeFileSync(path, bytes)
}
