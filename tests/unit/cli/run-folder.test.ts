import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { newRecording, RECORDINGS_KEPT, recordingIn } from '../../../collector/cli/run-folder'
import { holdFolder } from '../../../collector/spool/hold-folder'

let data = ''
beforeEach(() => {
  data = mkdtempSync(join(tmpdir(), 'waystation-runs-'))
})
afterEach(() => rmSync(data, { recursive: true, force: true }))

const at = (second: number) => newRecording(data, new Date(Date.UTC(2026, 0, 1, 0, 0, second)), 'beef')
/** As many newer ones as are kept: what was there before them may go. */
const fill = () => {
  for (let second = 1; second <= RECORDINGS_KEPT; second += 1) at(second).release()
}
const names = () => readdirSync(join(data, 'runs')).sort()

describe('the folder of a recording', () => {
  it('is named by its time, and for its owner alone', () => {
    const { folder } = at(5)
    expect(basename(folder)).toBe('20260101T000005.000Z-beef')
    expect(statSync(folder).mode & 0o777).toBe(0o700)
  })

  it('takes the place of the oldest beyond the newest that are kept', () => {
    for (let second = 0; second < RECORDINGS_KEPT + 3; second += 1) at(second).release()
    expect(names()).toHaveLength(RECORDINGS_KEPT)
    expect(names()[0]).toBe('20260101T000003.000Z-beef')
  })

  it('leaves one alone that is still written, and whatever is no recording', () => {
    const running = at(0)
    mkdirSync(join(data, 'runs', 'mine'))
    for (let second = 1; second < RECORDINGS_KEPT + 2; second += 1) at(second).release()
    expect(existsSync(running.folder)).toBe(true)
    expect(names()).toContain('mine')
    running.release()
    at(59).release()
    expect(existsSync(running.folder)).toBe(false)
  })

  it('of a writer that died goes like any other', () => {
    const dead = at(0)
    writeFileSync(join(dead.folder, 'recorded-by'), '4194305 started 1')
    for (let second = 1; second < RECORDINGS_KEPT + 1; second += 1) at(second).release()
    expect(existsSync(dead.folder)).toBe(false)
  })

  it('stays while a collector shows it', () => {
    const shown = at(0)
    shown.release()
    const letGo = holdFolder(shown.folder)
    fill()
    expect(existsSync(shown.folder)).toBe(true)
    letGo()
    fill()
    expect(existsSync(shown.folder)).toBe(false)
  })

  it.each(['pending_deliveries', 'dead_letters'])('stays while something of it is %s', (table) => {
    const { folder, release } = at(0)
    release()
    const record = new Database(join(folder, 'spool.db'))
    record.exec(`CREATE TABLE ${table} (seq INTEGER PRIMARY KEY); INSERT INTO ${table} VALUES (1)`)
    fill()
    expect(existsSync(folder)).toBe(true)
    record.exec(`DELETE FROM ${table}`)
    record.close()
    fill()
    expect(existsSync(folder)).toBe(false)
  })

  it('stays where it cannot be read what it owes', () => {
    const { folder, release } = at(0)
    release()
    writeFileSync(
      join(folder, 'spool.db'),
      'no database, but as long as the header of one is: a hundred bytes. '.repeat(3),
    )
    fill()
    expect(existsSync(folder)).toBe(true)
  })

  it('can be taken back', () => {
    const recording = at(0)
    recording.remove()
    expect(names()).toEqual([])
  })
})

describe('a folder that a person named for a recording', () => {
  it('goes with the ones above it where they were made for it, when nothing was begun', () => {
    const recording = recordingIn(join(data, 'ours', 'too'))
    writeFileSync(join(recording.folder, 'spool.db'), '')
    recording.remove()
    expect(readdirSync(data)).toEqual([])
  })

  it('stays where it was there before, with what was in it', () => {
    writeFileSync(join(data, 'mine'), '')
    const recording = recordingIn(data)
    writeFileSync(join(data, 'spool.db'), '')
    mkdirSync(join(data, 'lifeboat'))
    recording.remove()
    expect(readdirSync(data)).toEqual(['mine'])
  })

  it('is left as it is where a collector uses it', () => {
    const recording = recordingIn(data)
    const letGo = holdFolder(data)
    writeFileSync(join(data, 'spool.db'), '')
    recording.remove()
    letGo()
    expect(readdirSync(data)).toContain('spool.db')
  })
})
