import { createHash } from 'node:crypto'
import { mkdirSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { whyInstall } from '../../../collector/launch/build/prepare.js'
import { folderOfEachTest } from '../folder-of-each-test'

const CHANGED = 'package-lock.json or Node has changed since the last installation'
const root = folderOfEachTest()

/** Writes a file with a modification time in seconds. */
function write(path: string, text: string, second: number): void {
  writeFileSync(join(root.path, path), text)
  utimesSync(join(root.path, path), second, second)
}
const lock = (text: string, second: number) => write('package-lock.json', text, second)
const npmInstalled = (second: number) => write('node_modules/.package-lock.json', '{}', second)
const stamp = (lockText: string, second: number, abi = process.versions.modules) => {
  const hash = createHash('sha256').update(lockText).digest('hex')
  write('node_modules/.waystation-installed', `${hash} ${process.platform} ${process.arch} ${abi}`, second)
}

beforeEach(() => {
  mkdirSync(join(root.path, 'node_modules'))
})

describe('the installation of packages', () => {
  test('npm installs when there are no packages', () => {
    lock('{}', 1)
    expect(whyInstall(root.path)).toBe('no packages are installed')
  })

  test.each([
    ['does not install again when only the time of the lock file changed', undefined, '{}', 3, null],
    ['installs when the lock file has changed', undefined, '{ }', 1, CHANGED],
    ['installs when the database driver is compiled for another ABI of Node', '108', '{}', 1, CHANGED],
  ])('npm %s', (_what, abi, lockText, second, why) => {
    npmInstalled(1)
    stamp('{}', 2, abi)
    lock(lockText, second)
    expect(whyInstall(root.path)).toBe(why)
  })

  test('npm does not install after a person ran npm ci', () => {
    stamp('{}', 1)
    lock('{ }', 2)
    npmInstalled(3)
    expect(whyInstall(root.path)).toBeNull()
  })

  test('npm installs when the lock file is newer than an installation by npm', () => {
    npmInstalled(1)
    lock('{}', 2)
    expect(whyInstall(root.path)).toBe(CHANGED)
  })
})
