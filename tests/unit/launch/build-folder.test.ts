import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { completeBuild, pruneBuilds, runningFrom, useBuild } from '../../../collector/launch/build-folder.js'
import { identifyProcess, ownIdentity } from '../../../collector/launch/process-identity.js'

let root = ''
const folderOf = (digit: string) => join(root, '.build', digit.repeat(16))

/** A complete build that was made in that second. */
function made(digit: string, second: number): string {
  const folder = folderOf(digit)
  mkdirSync(join(folder, 'pids'), { recursive: true })
  completeBuild(folder)
  utimesSync(join(folder, 'complete'), second, second)
  return folder
}

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'waystation-builds-'))
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

const left = () => readdirSync(join(root, '.build')).map((name) => name[0])

describe('builds', () => {
  test('that nobody uses are removed, but for the newest two', () => {
    made('a', 1)
    made('b', 4)
    made('c', 2)
    made('d', 3)
    pruneBuilds(root)
    expect(left()).toEqual(['b', 'd'])
  })

  test('that somebody runs from are kept, however old', () => {
    const used = made('a', 1)
    made('b', 2)
    made('c', 3)
    made('d', 4)
    expect(useBuild(used)).toBe(true)
    pruneBuilds(root)
    expect(left()).toEqual(['a', 'c', 'd'])
  })

  test('whose user has died are removed', () => {
    const abandoned = made('a', 1)
    writeFileSync(join(abandoned, 'pids', '4194305'), '4194305 started 1')
    made('b', 2)
    made('c', 3)
    pruneBuilds(root)
    expect(left()).toEqual(['b', 'c'])
  })

  test('that were never finished go first', () => {
    mkdirSync(folderOf('a'), { recursive: true })
    made('b', 1)
    made('c', 2)
    pruneBuilds(root)
    expect(left()).toEqual(['b', 'c'])
  })

  test('leave what is not a build alone', () => {
    mkdirSync(join(root, '.build/tests'), { recursive: true })
    for (const digit of ['a', 'b', 'c']) made(digit, 1)
    pruneBuilds(root)
    expect(existsSync(join(root, '.build/tests'))).toBe(true)
  })

  test('are not used while they are half done', () => {
    mkdirSync(folderOf('a'), { recursive: true })
    expect(useBuild(folderOf('a'))).toBe(false)
    expect(useBuild(folderOf('b'))).toBe(false)
    expect(existsSync(folderOf('b'))).toBe(false)
  })

  test('tell who else runs from them', () => {
    const folder = made('a', 1)
    writeFileSync(join(folder, 'pids', 'me'), ownIdentity())
    writeFileSync(join(folder, 'pids', 'init'), `1 ${identifyProcess(1)}`)
    expect(runningFrom(root)).toEqual([1])
  })
})
