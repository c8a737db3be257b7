import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { build, type Plugin } from 'esbuild'
import { bundleOptions } from '../../collector/launch/bundle.js'

const ROOT = join(import.meta.dirname, '../..')

/** A change to one line of the product, for a test of whether a test would notice. */
export interface Mutation {
  /** From the root. */
  readonly file: string
  /** Stands there exactly once. */
  readonly from: string
  readonly to: string
}

/** A bundled collector of a test's own. */
export interface Bundle {
  /** What Node is to run. */
  readonly program: string
  readonly remove: () => void
}

/** Bundles the collector as the build does. */
export const bundleCollector = (): Promise<Bundle> => bundle([])

/**
 * Bundles the collector as the build does, but with the fault points that fire, a clock that `FAULT_CLOCK` can move, and
 * the given mutations.
 * @throws when a mutation's line is not there once: the test that wants it would prove nothing.
 */
export const bundleWithFaults = (mutations: readonly Mutation[] = []): Promise<Bundle> =>
  bundle([firingFaultPoints, mutating(mutations)], MOVABLE_CLOCK)

async function bundle(plugins: Plugin[], firstWords = ''): Promise<Bundle> {
  const shelf = join(ROOT, '.build')
  mkdirSync(shelf, { recursive: true })
  // Within the root, where the native module is found.
  const folder = mkdtempSync(join(shelf, 'faults-'))
  const options = bundleOptions(ROOT, folder)
  await build({
    ...options,
    banner: { js: `${options.banner?.js ?? ''}${firstWords}` },
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
        if (found !== 1) throw new Error(`${JSON.stringify(from)} stands ${found} times in ${file}, not once`)
        return { contents: source.replace(from, () => to), loader: 'ts' }
      })
    }
  },
})

/** `FAULT_CLOCK` names a file with milliseconds to add to the time of day; it is read again at each look at the clock. */
const MOVABLE_CLOCK = `
if (process.env.FAULT_CLOCK) {
  const { readFileSync } = require('node:fs');
  const trueNow = Date.now.bind(Date);
  Date.now = () => trueNow() + Number(readFileSync(process.env.FAULT_CLOCK, 'utf8'));
}`
