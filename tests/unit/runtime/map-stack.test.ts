import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build } from 'esbuild'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { bundleOptions } from '../../../collector/launch/build/bundle.js'
import { mapStack } from '../../../collector/runtime/map-stack'

const ROOT = join(import.meta.dirname, '../../..')
let folder = ''
/** A stack of a bundle with the options of the build, with the sources in a folder with a space. */
let stack = ''

beforeAll(async () => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'map stack ')))
  mkdirSync(join(folder, 'queries'))
  writeFileSync(
    join(folder, 'queries/rows.ts'),
    'interface Row {\n  id: number\n}\nexport function firstRow(rows: Row[]): Row {\n  throw new Error(String(rows.length))\n}\n',
  )
  writeFileSync(
    join(folder, 'program.ts'),
    "import { firstRow } from './queries/rows'\n\ntry {\n  firstRow([])\n} catch (error) {\n  console.log((error as Error).stack)\n}\n",
  )
  const options = { ...bundleOptions(ROOT, join(folder, 'out')), absWorkingDir: folder, entryPoints: ['program.ts'] }
  await build(options)
  stack = spawnSync(process.execPath, [join(folder, 'out/program.js')], { encoding: 'utf8' }).stdout
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

it('the stack of a bundle names the source files with their lines and columns', () => {
  expect(stack).toMatch(/^Error: 0\n {4}at firstRow \(file:.+program\.js:\d+:\d+\)\n/)
  const frames = mapStack(stack).split('\n')
  expect(frames[0]).toBe('Error: 0')
  expect(frames[1]).toBe(`    at firstRow (${folder}/queries/rows.ts:5:9)`)
  expect(frames[2]).toBe(`    at ${folder}/program.ts:4:3`)
})

it('the stack of a bundle keeps the frames of Node and of files without a source map', () => {
  const text = 'Error: x\n    at a (node:fs:12:3)\n    at file:///nowhere/main.js:1:2\n    at b (/lib/index.js:3:4)'
  expect(mapStack(text)).toBe(text)
})

it('the stack of a bundle keeps the frames of a bundle whose source map is broken', () => {
  writeFileSync(join(folder, 'broken.js.map'), '{')
  const text = `Error: x\n    at a (file://${encodeURI(folder)}/broken.js:1:2)`
  expect(mapStack(text)).toBe(text)
})
