import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { packagedBuild, projectFolder } from '../../../collector/cli/installation.js'
import { withExtensions } from '../../../collector/launch/package-types.js'
import { thirdPartyNotice } from '../../../collector/launch/third-party.js'

let root = ''
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'waystation-installation-'))
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

function write(path: string, text = ''): void {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), text)
}

describe('what the command starts from', () => {
  it('is what was bundled, in a package', () => {
    write('dist/collector/main.js')
    expect(packagedBuild(root)).toBe(join(root, 'dist'))
  })

  it('is bundled anew where the sources are, whatever was packed before', () => {
    write('dist/collector/main.js')
    write('collector/main.ts')
    expect(packagedBuild(root)).toBeNull()
  })

  it('is nothing of ours where nothing was bundled', () => {
    expect(packagedBuild(root)).toBeNull()
  })
})

describe('the project that a command is typed in', () => {
  it('is the nearest folder with a package.json', () => {
    write('package.json', '{}')
    write('shop/package.json', '{}')
    write('shop/src/deep/file')
    expect(projectFolder(join(root, 'shop/src/deep'))).toBe(join(root, 'shop'))
    expect(projectFolder(root)).toBe(root)
  })
})

describe('a declaration', () => {
  it.each([
    ["import type { A } from './a';", "import type { A } from './a.js';"],
    ['export * from "../b/c";', 'export * from "../b/c.js";'],
    ["x: import('./d').D;", "x: import('./d.js').D;"],
    ["import '../side';", "import '../side.js';"],
    ["import { e } from './e.js';", "import { e } from './e.js';"],
    ["import { z } from 'zod';", "import { z } from 'zod';"],
  ])('%s becomes %s', (before, after) => {
    expect(withExtensions(before)).toBe(after)
  })
})

describe('the notice of what is bundled', () => {
  it('has each package once, with its licence word for word', () => {
    write('node_modules/a/package.json', '{ "name": "a", "version": "1.0.0", "license": "MIT" }')
    write('node_modules/a/LICENSE', 'Copyright A\n')
    write('node_modules/@b/c/package.json', '{ "name": "@b/c", "version": "2.0.0", "license": "ISC" }')
    const inputs = ['lib/own.ts', 'node_modules/a/index.js', 'node_modules/a/deep/b.js', 'node_modules/@b/c/index.js']
    const line = '-'.repeat(80)
    expect(thirdPartyNotice(root, inputs)).toBe(
      `Waystation is bundled with 2 packages of others.\n\n${line}\n@b/c 2.0.0, licence ISC\n\n${line}\na 1.0.0, licence MIT\n\nCopyright A\n`,
    )
  })

  it('is refused where a package states none', () => {
    write('node_modules/a/package.json', '{ "name": "a", "version": "1.0.0" }')
    expect(() => thirdPartyNotice(root, ['node_modules/a/index.js'])).toThrow('a 1.0.0 states no licence')
  })
})
