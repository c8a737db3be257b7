import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { newRecording, RECORDINGS_KEPT } from '../../../collector/cli/run-folder'

let data = ''
beforeEach(() => {
  data = mkdtempSync(join(tmpdir(), 'waystation-runs-'))
})
afterEach(() => rmSync(data, { recursive: true, force: true }))

const at = (second: number) => newRecording(data, new Date(Date.UTC(2026, 0, 1, 0, 0, second)), 'beef')
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

  it('can be taken back', () => {
    const recording = at(0)
    recording.remove()
    expect(names()).toEqual([])
  })
})
