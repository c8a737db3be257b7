import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { whyInstall } from '../../../collector/launch/install.js'

let root = ''
const zod = { version: '4.0.0', integrity: 'sha512-a' }

function lock(packages: object, installed: object): void {
  writeFileSync(join(root, 'package-lock.json'), JSON.stringify({ packages }))
  mkdirSync(join(root, 'node_modules/better-sqlite3'), { recursive: true })
  writeFileSync(join(root, 'node_modules/better-sqlite3/index.js'), 'module.exports = class {}')
  writeFileSync(join(root, 'node_modules/.package-lock.json'), JSON.stringify({ packages: installed }))
}

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'waystation-install-'))
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

describe('packages are installed', () => {
  test('when there are none', () => {
    expect(whyInstall(root)).toBe('no packages are installed')
  })

  test('not when what is locked is there', () => {
    lock({ '': {}, 'node_modules/zod': zod }, { 'node_modules/zod': zod })
    expect(whyInstall(root)).toBeNull()
  })

  test('when a version differs', () => {
    lock({ 'node_modules/zod': zod }, { 'node_modules/zod': { ...zod, version: '3.0.0' } })
    expect(whyInstall(root)).toBe('node_modules/zod is not as locked')
  })

  test('when the same version has other bytes', () => {
    lock({ 'node_modules/zod': zod }, { 'node_modules/zod': { ...zod, integrity: 'sha512-b' } })
    expect(whyInstall(root)).toBe('node_modules/zod is not as locked')
  })

  test('when one is missing, development packages included', () => {
    lock({ 'node_modules/vitest': { ...zod, dev: true } }, {})
    expect(whyInstall(root)).toBe('node_modules/vitest is not as locked')
  })

  test("not when only other platforms' are missing", () => {
    lock({ 'node_modules/@esbuild/aix-ppc64': { ...zod, optional: true } }, {})
    expect(whyInstall(root)).toBeNull()
  })

  test('when the database driver was made for another Node', () => {
    lock({}, {})
    const complaint = "throw new Error('The module was compiled against NODE_MODULE_VERSION 108.')"
    writeFileSync(join(root, 'node_modules/better-sqlite3/index.js'), complaint)
    expect(whyInstall(root)).toBe('Error: The module was compiled against NODE_MODULE_VERSION 108.')
  })
})
