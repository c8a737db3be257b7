import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { build, type Plugin } from 'esbuild'
import { bundleOptions } from '../../collector/launch/build/bundle.js'

const ROOT = join(import.meta.dirname, '../..')

/** A change of one line of the product, to prove that a test notices it. */
export interface Mutation {
  /** From the root. */
  readonly file: string
  /** Must occur exactly once. */
  readonly from: string
  readonly to: string
}

/** A collector that was bundled for one test file. */
export interface Bundle {
  /** The file for Node to run. */
  readonly program: string
  readonly remove: () => void
}

/** Bundles the collector as the build does. */
export const bundleCollector = (): Promise<Bundle> => bundle([])

/**
 * Bundles the collector as the build does, but with fault points that fire, a clock that `FAULT_CLOCK` moves, and the given
 * mutations.
 * @throws when a mutation's line does not occur exactly once.
 */
export const bundleWithFaults = (mutations: readonly Mutation[] = []): Promise<Bundle> =>
  bundle([firingFaultPoints, mutating(mutations)], MOVABLE_CLOCK)

async function bundle(plugins: Plugin[], prelude = ''): Promise<Bundle> {
  const buildsFolder = join(ROOT, '.build')
  mkdirSync(buildsFolder, { recursive: true })
  // Below the root, where Node finds the native module.
  const folder = mkdtempSync(join(buildsFolder, 'faults-'))
  const options = bundleOptions(ROOT, folder)
  await build({
    ...options,
    banner: { js: `${options.banner?.js ?? ''}${prelude}` },
    plugins,
  })
  return { program: join(folder, 'main.js'), remove: () => rmSync(folder, { recursive: true, force: true }) }
}

const firingFaultPoints: Plugin = {
  name: 'firing-fault-points',
  setup({ onResolve }) {
    onResolve({ filter: /\/fault-point$/ }, () => ({ path: join(ROOT, 'tests/faults/fault-points.ts') }))
  },
}

const mutating = (mutations: readonly Mutation[]): Plugin => ({
  name: 'mutating',
  setup({ onLoad }) {
    for (const { file, from, to } of mutations) {
      const path = join(ROOT, file)
      onLoad({ filter: new RegExp(`${file.replaceAll('.', '\\.')}$`) }, () => {
        const source = readFileSync(path, 'utf8')
        const found = source.split(from).length - 1
        if (found !== 1)
          throw new Error(`${JSON.stringify(from)} must occur once in ${file}, but occurs ${found} times`)
        return { contents: source.replace(from, () => to), loader: 'ts' }
      })
    }
  },
})

/** `FAULT_CLOCK` names a file with milliseconds to add to the time of day; each call of Date.now reads it. */
const MOVABLE_CLOCK = `
if (process.env.FAULT_CLOCK) {
  const { readFileSync } = require('node:fs');
  const trueNow = Date.now.bind(Date);
  Date.now = () => trueNow() + Number(readFileSync(process.env.FAULT_CLOCK, 'utf8'));
}`
