import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'
import { packagedBuild, projectFolder } from '../../../collector/cli/waystation-command.js'
import { thirdPartyNotice, whyNotBuilt, withExtensions } from '../../../collector/launch/build/pack.js'
import { sourceOf } from '../../repo/sources.js'
import { folderOfEachTest } from '../folder-of-each-test'

const root = folderOfEachTest()

function write(path: string, text = ''): void {
  mkdirSync(dirname(join(root.path, path)), { recursive: true })
  writeFileSync(join(root.path, path), text)
}

it('the bundle that a command starts from is dist in a package', () => {
  write('dist/collector/main.js')
  expect(packagedBuild(root.path)).toBe(join(root.path, 'dist'))
})

it('the bundle that a command starts from is built where the sources are, even if dist exists', () => {
  write('dist/collector/main.js')
  write('collector/main.ts')
  expect(packagedBuild(root.path)).toBeNull()
})

it('the bundle that a command starts from does not exist without sources and without dist', () => {
  expect(packagedBuild(root.path)).toBeNull()
})

it.each(['pack', 'publish', 'install', undefined])(
  "npm's script prepare builds where typescript is installed: %s",
  (npmCommand) => {
    write('node_modules/typescript/package.json', '{}')
    expect(whyNotBuilt(root.path, npmCommand)).toBeNull()
  },
)

it("npm's script prepare does not build for npm ci, which npm start uses", () => {
  write('node_modules/typescript/package.json', '{}')
  expect(whyNotBuilt(root.path, 'ci')).toMatch(/^dist\/ is not built by npm ci/)
})

it("npm's script prepare does not build without typescript", () => {
  expect(whyNotBuilt(root.path, 'install')).toMatch(/typescript is not installed$/)
})

it.each(['ci', 'install'])(
  "npm's script prepare exits 0 without building for npm %s in a clone without packages",
  (npmCommand) => {
    const folder = 'collector/launch/build'
    for (const name of ['pack.js', 'bundle.js']) write(`${folder}/${name}`, sourceOf(`${folder}/${name}`))
    write('package.json', '{ "type": "module" }')
    const args = [join(root.path, folder, 'pack.js')]
    const { status, stderr } = spawnSync(process.execPath, args, {
      encoding: 'utf8',
      env: { ...process.env, npm_command: npmCommand },
    })
    expect(status, stderr).toBe(0)
    expect(existsSync(join(root.path, 'dist'))).toBe(false)
  },
)

it('the project of the current folder is the nearest folder with a package.json', () => {
  write('package.json', '{}')
  write('shop/package.json', '{}')
  write('shop/src/deep/file')
  expect(projectFolder(join(root.path, 'shop/src/deep'))).toBe(join(root.path, 'shop'))
  expect(projectFolder(root.path)).toBe(root.path)
})

it.each([
  ["import type { A } from './a';", "import type { A } from './a.js';"],
  ['export * from "../b/c";', 'export * from "../b/c.js";'],
  ["x: import('./d').D;", "x: import('./d.js').D;"],
  ["import '../side';", "import '../side.js';"],
  ["import { e } from './e.js';", "import { e } from './e.js';"],
  ["import { z } from 'zod';", "import { z } from 'zod';"],
])('the declaration %s becomes %s', (before, after) => {
  expect(withExtensions(before)).toBe(after)
})

it('the notice about bundled packages contains each package once, with the text of its licence', () => {
  write('node_modules/a/package.json', '{ "name": "a", "version": "1.0.0", "license": "MIT" }')
  write('node_modules/a/LICENSE', 'Copyright A\n')
  write('node_modules/@b/c/package.json', '{ "name": "@b/c", "version": "2.0.0", "license": "ISC" }')
  const inputs = ['lib/own.ts', 'node_modules/a/index.js', 'node_modules/a/deep/b.js', 'node_modules/@b/c/index.js']
  const line = '-'.repeat(80)
  expect(thirdPartyNotice(root.path, inputs)).toBe(
    `Waystation bundles 2 packages.\n\n${line}\n@b/c 2.0.0, licence ISC\n\n${line}\na 1.0.0, licence MIT\n\nCopyright A\n`,
  )
})

it('the notice about bundled packages fails when a package states no licence', () => {
  write('node_modules/a/package.json', '{ "name": "a", "version": "1.0.0" }')
  expect(() => thirdPartyNotice(root.path, ['node_modules/a/index.js'])).toThrow('a 1.0.0 states no licence')
})
