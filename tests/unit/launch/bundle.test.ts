import { basename, join } from 'node:path'
import { build, type Metafile } from 'esbuild'
import { beforeAll, expect, it } from 'vitest'
import { bundleOptions, splitBundles } from '../../../collector/launch/build/bundle.js'

const ROOT = join(import.meta.dirname, '../../..')
type Outputs = Metafile['outputs']
let outputs: Outputs = {}

beforeAll(async () => {
  const options = { ...bundleOptions(ROOT, join(ROOT, '.build/unwritten')), metafile: true, write: false }
  const made = await Promise.all(splitBundles(options).map((one) => build(one)))
  outputs = Object.assign({}, ...made.map(({ metafile }) => metafile?.outputs))
}, 60_000)

/** The packages and folders in the files that a bundle loads before its first statement runs. */
function loadedBy(entry: string): ReadonlySet<string> {
  const files = new Set<string>()
  const follow = (file: string): void => {
    if (files.has(file)) return
    files.add(file)
    for (const { path, kind } of outputs[file]?.imports ?? [])
      if (kind === 'import-statement' && path in outputs) follow(path)
  }
  follow(Object.keys(outputs).find((path) => basename(path) === entry) ?? entry)
  const inputs = [...files].flatMap((file) => Object.entries(outputs[file]?.inputs ?? {}))
  const used = inputs.filter(([, { bytesInOutput }]) => bytesInOutput > 0).map(([path]) => path)
  return new Set(used.map((path) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? path))
}

it.each([
  'undici',
  'protobufjs',
  'long',
  'modern-tar',
  'collector/index/digest.ts',
  'collector/launch/start-collector.ts',
])('the code that a start loads of the main thread is without %s', (name) => {
  const loaded = loadedBy('main.js')
  expect(loaded).toContain('hono')
  expect(loaded).not.toContain(name)
})
