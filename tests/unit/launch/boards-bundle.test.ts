import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build, type Metafile } from 'esbuild'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { buildBoards } from '../../../collector/launch/build/bundle.js'
import { BOARD_MODULES } from '../../../lib/wire/board-modules'

interface Manifest {
  readonly script: string
  readonly styles: string
  readonly moreStyles: string
  readonly needMoreStyles: readonly string[]
  readonly files: readonly string[]
  readonly loads: Readonly<Record<string, readonly string[]>>
}

const ROOT = join(import.meta.dirname, '../../..')
const folder = mkdtempSync(join(tmpdir(), 'boards-'))
let metafile: Metafile = { inputs: {}, outputs: {} }
let manifest: Manifest = { script: '', styles: '', moreStyles: '', needMoreStyles: [], files: [], loads: {} }

beforeAll(async () => {
  metafile = (await buildBoards(build, ROOT, folder)).metafile
  manifest = JSON.parse(readFileSync(join(folder, 'boards.json'), 'utf8'))
}, 60_000)
afterAll(() => rmSync(folder, { recursive: true, force: true }))

it('the boards load no zod: pages trust the shapes that tests check', () => {
  expect(Object.keys(metafile.inputs)).toContain('lib/wire/query-client.ts')
  expect(Object.keys(metafile.inputs).filter((path) => path.includes('node_modules/zod'))).toEqual([])
})

const sheet = (name: string): string => readFileSync(join(folder, 'boards', name), 'utf8')

it('every file has a hash in its name and stands in the manifest, with two style sheets for all boards', () => {
  expect(readdirSync(join(folder, 'boards')).sort()).toEqual([...manifest.files].sort())
  expect(manifest.files.filter((name) => !/^[\w-]+-[A-Z0-9]{8}\.(?:js|css)$/.test(name))).toEqual([])
  const { styles, moreStyles } = manifest
  expect(manifest.files.filter((name) => name.endsWith('.css')).sort()).toEqual([moreStyles, styles].sort())
  expect(sheet(styles).startsWith(':root')).toBe(true)
})

it('every style sheet of the boards is in one of the two', () => {
  const all = readdirSync(join(ROOT, 'dashboards'), { recursive: true, encoding: 'utf8' })
  const built = [manifest.styles, manifest.moreStyles].flatMap((name) =>
    Object.entries(metafile.outputs).flatMap(([path, { inputs }]) => (path.endsWith(name) ? Object.keys(inputs) : [])),
  )
  const expected = all.filter((path) => path.endsWith('.css')).map((path) => `dashboards/${path}`)
  expect(built.filter((path) => path.startsWith('dashboards/')).sort()).toEqual(expected.sort())
})

it('a page has the second one when its board uses it', () => {
  const inputsOf = (name: string): string[] =>
    Object.entries(metafile.outputs).flatMap(([path, { inputs }]) => (path.endsWith(name) ? Object.keys(inputs) : []))
  const second = inputsOf(manifest.moreStyles)
  for (const [module, names] of Object.entries(manifest.loads)) {
    const uses = names.flatMap(inputsOf).some((path) => path.endsWith('.css') && second.includes(path))
    if (uses) expect(manifest.needMoreStyles).toContain(module)
  }
  expect(manifest.needMoreStyles).toContain('dashboards/home/home-board.tsx')
  expect(manifest.needMoreStyles).not.toContain('dashboards/traces/trace-board.tsx')
})

it('each board is a chunk of its own, and the manifest lists what its page loads', () => {
  const own = Object.values(BOARD_MODULES).map((module) => manifest.loads[`dashboards/${module}.tsx`] ?? [])
  for (const loads of own) {
    expect(loads).toContain(manifest.script)
    expect(manifest.files).toEqual(expect.arrayContaining([...loads]))
  }
  const shared = own[0]?.filter((name) => own.every((loads) => loads.includes(name))) ?? []
  // The entry, the chunk of all that every page loads, and what all boards share beyond it.
  expect(shared.length).toBeLessThan(6)
  for (const loads of own) expect(loads.length).toBeGreaterThan(shared.length)
})

it('the worker is one file, which a chunk of the boards names', () => {
  const [worker = '', ...others] = manifest.files.filter((name) => name.startsWith('analysis-thread-'))
  expect(others).toEqual([])
  const textOf = (name: string): string => readFileSync(join(folder, 'boards', name), 'utf8')
  expect(textOf(worker)).not.toMatch(/import|require\(/)
  const starts = manifest.files.filter((name) => /new Worker\(/.test(textOf(name)))
  expect(starts.map((name) => textOf(name).includes(`"./${worker}"`))).toEqual([true])
})
