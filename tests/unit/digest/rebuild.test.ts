import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { seededRandom } from '../protocol/seeded-random'
import { Folder } from './folder'
import { madeRecords } from './made-records'
import { dump, rowsOf } from './rows-in-memory'

let folder: Folder
beforeEach(() => {
  folder = new Folder()
})
afterEach(() => folder.remove())

const rowsOfRecords = (records: ReturnType<typeof madeRecords>) => dump(rowsOf(records).db)

describe('a rebuild', () => {
  it('yields the rows that were there', () => {
    const records = madeRecords(300, 1)
    folder.receive(records)
    folder.settle()
    const before = folder.rows()
    folder.digest.rebuild(true)
    folder.settle()
    expect(folder.rows()).toEqual(before)
    expect(before).toEqual(rowsOfRecords(records))
    expect(existsSync(folder.file('telemetry.next.db'))).toBe(false)
  })

  it('serves the old rows, and what arrives, until the new ones are whole', () => {
    const records = madeRecords(400, 2)
    folder.receive(records.slice(0, 300))
    folder.settle()
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
    'yields exactly what is stored, whatever is evicted before and meanwhile (seed %i)',
    (seed) => {
      const random = seededRandom(seed)
      const records = madeRecords(400, seed + 50)
      folder.receive(records.slice(0, 250))
      folder.settle()
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

  it('does not make rows of records whose rows are being evicted, before that is written down', () => {
    const records = madeRecords(200, 3)
    folder.receive(records)
    folder.settle()
    folder.digest.rebuild(true)
    folder.digest.step()
    // The rows go, the record is still there, and nothing says so yet.
    folder.digest.erase(records.slice(0, 150).map(({ seq }) => seq))
    folder.settle()
    expect(folder.rows()).toEqual(rowsOfRecords(records.slice(150)))
  })

  it('goes on where it was when the process ended in the middle', () => {
    const records = madeRecords(300, 4)
    folder.receive(records)
    folder.settle()
    folder.digest.rebuild(true)
    folder.digest.step()
    folder.digest.step()
    folder.reopen()
    expect(folder.digest.state().progress).toMatchObject({ done: 128, of: 300 })
    folder.settle()
    expect(folder.rows()).toEqual(rowsOfRecords(records))
  })

  it('lets the old rows go first where there is no room for both', () => {
    const records = madeRecords(300, 5)
    folder.receive(records)
    folder.settle()
    folder.digest.rebuild(false)
    expect(folder.digest.step().switchable).toBe(true)
    folder.digest.switchOver()
    expect(existsSync(folder.file('telemetry.next.db'))).toBe(false)
    expect(folder.digest.state().progress).toMatchObject({ of: 300 })
    folder.settle()
    expect(folder.rows()).toEqual(rowsOfRecords(records))
  })

  it('is one, however often it is asked for', () => {
    folder.receive(madeRecords(200, 6))
    folder.settle()
    folder.digest.rebuild(true)
    folder.digest.step()
    folder.digest.rebuild(true)
    expect(folder.digest.state().progress).toMatchObject({ done: 64, of: 200 })
  })

  it('waits with the exchange while another program reads the old rows, which are served further', () => {
    const records = madeRecords(100, 7)
    folder.receive(records)
    folder.settle()
    folder.digest.rebuild(true)
    const reader = new Database(folder.file('telemetry.db'), { readonly: true })
    const open = reader.prepare('SELECT seq FROM envelopes').iterate()
    open.next()
    while (!folder.digest.step().switchable);
    folder.receive(madeRecords(110, 7).slice(100))
    folder.digest.step()
    expect(() => folder.digest.switchOver()).toThrow(/another program reads .*telemetry\.db/)
    expect(folder.digest.step()).toMatchObject({ switchable: true })
    open.return?.()
    reader.close()
    folder.settle()
    expect(folder.rows()).toEqual(rowsOfRecords(madeRecords(110, 7)))
  })
})

describe('rows of another make', () => {
  const changed = (change: (db: Database.Database) => void) => (path: string) => {
    const db = new Database(path)
    change(db)
    db.close()
  }

  it.each([
    ['another digest version', (db: Database.Database) => db.pragma('user_version = 2')],
    ['other limits', (db: Database.Database) => db.exec(`UPDATE cursor SET limits = '{"depth":7,"tags":7}'`)],
  ])('of %s are made anew, and are served while they grow', (_name, change) => {
    const records = madeRecords(200, 8)
    folder.receive(records)
    folder.settle()
    folder.reopen(changed(change))
    expect(folder.digest.state().progress).toMatchObject({ done: 0, of: 200 })
    folder.settle()
    expect(folder.digest.state().progress).toBe(null)
    expect(folder.rows()).toEqual(rowsOfRecords(records))
    expect(folder.said).toEqual([])
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
  ])('a file %s is set aside with a sentence, and its rows are made again', (_name, damage) => {
    const records = madeRecords(200, 9)
    folder.receive(records)
    folder.settle()
    folder.reopen(damage)
    folder.settle()
    expect(folder.said).toEqual([
      expect.stringMatching(
        /telemetry\.db could not be used \(.+\); it is now .+telemetry\.db\.damaged-1, .+ made again/,
      ),
    ])
    expect(folder.rows()).toEqual(rowsOfRecords(records))
  })

  it('an empty file is filled without a word', () => {
    const records = madeRecords(70, 10)
    folder.receive(records)
    folder.settle()
    folder.reopen((path) => writeFileSync(path, ''))
    folder.settle()
    expect(folder.said).toEqual([])
    expect(folder.rows()).toEqual(rowsOfRecords(records))
  })

  it('no more than three damaged files are kept', () => {
    for (let time = 0; time < 5; time += 1) {
      folder.reopen((path) => writeFileSync(path, 'this is no database'.repeat(500)))
    }
    expect(readdirSync(folder.path).filter((name) => name.includes('damaged'))).toHaveLength(3)
  })
})

describe('damage that is met while running', () => {
  it('begins a rebuild, is told, and ends with whole rows', () => {
    const records = madeRecords(300, 11)
    folder.receive(records.slice(0, 200))
    folder.settle()
    folder.reopen((path) => overwriteInside(path))
    folder.receive(records.slice(200))
    folder.digest.step()
    expect(folder.digest.state()).toMatchObject({ damage: expect.stringContaining('malformed'), progress: { of: 300 } })
    folder.settle()
    expect(folder.digest.state().damage).toBe(null)
    expect(folder.rows()).toEqual(rowsOfRecords(records))
    expect(folder.said).toEqual([
      expect.stringMatching(/rows in telemetry\.db are damaged .*; they are made again/),
      expect.stringMatching(/it is now .*telemetry\.db\.damaged-1/),
    ])
  })

  it('does not stop room from being made', () => {
    const records = madeRecords(200, 12)
    folder.receive(records)
    folder.settle()
    folder.digest.damaged('somebody read it')
    folder.evict([1, 2, 3, 150])
    folder.settle()
    expect(folder.rows()).toEqual(rowsOfRecords(records.filter(({ seq }) => ![1, 2, 3, 150].includes(seq))))
  })
})

/** Pages in the middle contradict their parents; the first ones, which every start reads, stay. */
function overwriteInside(path: string): void {
  const bytes = readFileSync(path)
  bytes.fill(0xa5, 40 * 4096, bytes.length - 4096)
  writeFileSync(path, bytes)
}
