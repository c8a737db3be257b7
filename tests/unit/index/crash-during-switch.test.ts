import { cpSync, existsSync, rmSync } from 'node:fs'
import { afterEach, expect, it, vi } from 'vitest'
import type { FaultPoint } from '../../../collector/runtime/fault-point'
import { Folder } from './folder'
import { randomRecords } from './random-records'
import { rowsOfRecords } from './rows-in-memory'

/** Runs at a fault point. Copies the folder: a process killed there leaves these files. */
let at: (point: FaultPoint) => void = () => undefined
vi.mock('../../../collector/runtime/fault-point', () => ({ faultPoint: (point: FaultPoint) => at(point) }))

const copies: string[] = []
afterEach(() => {
  at = () => undefined
  for (const copy of copies.splice(0)) rmSync(copy, { recursive: true, force: true })
})

it.each([
  ['between the old rows and the new', 'rebuild_switch', 1],
  ['in a batch of the new rows', 'digest', 8],
  ['in a batch of the old rows', 'digest', 7],
] as const)(
  'a process that is killed %s leaves files that the next process can continue with',
  (_name, deathPoint, nth) => {
    const folder = new Folder()
    const records = folder.fill(300, 21)
    const copy = `${folder.path}-killed`
    copies.push(copy)
    let passed = 0
    at = (point) => {
      if (point !== deathPoint) return
      passed += 1
      if (passed === nth) cpSync(folder.path, copy, { recursive: true })
    }
    folder.digest.rebuild(true)
    folder.digest.step()
    const late = randomRecords(500, 21).slice(300)
    folder.take(late)
    expect(passed).toBeGreaterThanOrEqual(nth)
    at = () => undefined
    folder.remove()

    const after = new Folder(copy)
    expect(existsSync(after.file('telemetry.next.db'))).toBe(true)
    after.settle()
    expect(after.logged).toEqual([])
    expect(after.rows()).toEqual(rowsOfRecords([...records, ...late]))
    expect(existsSync(after.file('telemetry.next.db'))).toBe(false)
    after.remove()
  },
)
