import { existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import Database from 'better-sqlite3'
import { describe, expect, it } from 'vitest'
import { newRunFolder, RECORDINGS_KEPT, runFolderAt } from '../../../collector/runs/run-folder'
import { lockFolder } from '../../../collector/spool/disk/data-folder'
import { folderOfEachTest } from '../folder-of-each-test'

const data = folderOfEachTest()

const at = (second: number) => newRunFolder(data.path, new Date(Date.UTC(2026, 0, 1, 0, 0, second)), 'beef')
/** Makes so many new recordings that older ones may be removed. */
const fill = () => {
  for (let second = 1; second <= RECORDINGS_KEPT; second += 1) at(second).release()
}
const names = () => readdirSync(join(data.path, 'runs')).sort()

describe('the folder of a recording', () => {
  it('is named by its time, and readable only by its owner', () => {
    const { folder } = at(5)
    expect(basename(folder)).toBe('20260101T000005.000Z-beef')
    expect(statSync(folder).mode & 0o777).toBe(0o700)
  })

  it('replaces the oldest recording beyond the limit', () => {
    for (let second = 0; second < RECORDINGS_KEPT + 3; second += 1) at(second).release()
    expect(names()).toHaveLength(RECORDINGS_KEPT)
    expect(names()[0]).toBe('20260101T000003.000Z-beef')
  })

  it('does not replace a recording in progress, or other folders', () => {
    const running = at(0)
    mkdirSync(join(data.path, 'runs', 'mine'))
    for (let second = 1; second < RECORDINGS_KEPT + 2; second += 1) at(second).release()
    expect(existsSync(running.folder)).toBe(true)
    expect(names()).toContain('mine')
    running.release()
    at(59).release()
    expect(existsSync(running.folder)).toBe(false)
  })

  it('is replaced when its writer has died', () => {
    const dead = at(0)
    writeFileSync(join(dead.folder, 'recorded-by'), '4194305')
    for (let second = 1; second < RECORDINGS_KEPT + 1; second += 1) at(second).release()
    expect(existsSync(dead.folder)).toBe(false)
  })

  it('stays while a collector uses it', () => {
    const shown = at(0)
    shown.release()
    const letGo = lockFolder(shown.folder)
    fill()
    expect(existsSync(shown.folder)).toBe(true)
    letGo()
    fill()
    expect(existsSync(shown.folder)).toBe(false)
  })

  it.each(['pending_deliveries', 'dead_letters'])('stays while it contains %s', (table) => {
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

  it('stays when its pending envelopes cannot be read', () => {
    const { folder, release } = at(0)
    release()
    writeFileSync(
      join(folder, 'spool.db'),
      'no database, but as long as the header of one is: a hundred bytes. '.repeat(3),
    )
    fill()
    expect(existsSync(folder)).toBe(true)
  })

  it('can be removed', () => {
    const recording = at(0)
    recording.remove()
    expect(names()).toEqual([])
  })
})

it('a folder of --data is removed, with its new parents, when the program did not start', () => {
  const recording = runFolderAt(join(data.path, 'ours', 'too'))
  writeFileSync(join(recording.folder, 'spool.db'), '')
  recording.remove()
  expect(readdirSync(data.path)).toEqual([])
})

it('a folder of --data stays with its old files when it existed before', () => {
  writeFileSync(join(data.path, 'mine'), '')
  const recording = runFolderAt(data.path)
  writeFileSync(join(data.path, 'spool.db'), '')
  mkdirSync(join(data.path, 'lifeboat'))
  recording.remove()
  expect(readdirSync(data.path)).toEqual(['mine'])
})

it('a folder of --data stays unchanged while a collector uses it', () => {
  const recording = runFolderAt(data.path)
  const letGo = lockFolder(data.path)
  writeFileSync(join(data.path, 'spool.db'), '')
  recording.remove()
  letGo()
  expect(readdirSync(data.path)).toContain('spool.db')
})
