import { join } from 'node:path'
import { build, type Metafile } from 'esbuild'
import { beforeAll, expect, it } from 'vitest'
import { boardsBundleOptions } from '../../../collector/launch/build/bundle.js'

const ROOT = join(import.meta.dirname, '../../..')
let inputs: Metafile['inputs'] = {}

beforeAll(async () => {
  const options = { ...boardsBundleOptions(ROOT, join(ROOT, '.build/unwritten')), metafile: true, write: false }
  inputs = (await build(options)).metafile?.inputs ?? {}
}, 60_000)

it('the boards load no zod: pages trust the shapes that tests check', () => {
  expect(Object.keys(inputs)).toContain('lib/wire/query-client.ts')
  expect(Object.keys(inputs).filter((path) => path.includes('node_modules/zod'))).toEqual([])
})
