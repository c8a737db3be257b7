import { mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { buildsFolder } from '../../collector/launch/build.js'
import { bundleOptions } from '../../collector/launch/bundle.js'
import { prepare } from '../../collector/launch/prepare.js'
import { isRunning } from '../../collector/launch/processes.js'

/*
 * `node tests/bench/start.js ingest|query|relay|kit …`: bundles the collector and the bench's own programs into one folder, as a
 * build does, and runs the one that is named. A collector is measured as it is shipped.
 */
const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const PROGRAMS = ['ingest', 'query', 'relay', 'kit']
const PROCESSES = [
  'sender-process',
  'bare-process',
  'floor-process',
  'floor-thread',
  'poster-process',
  'upstream-process',
  'stand-in-process',
  'profile-thread',
]

const [name = '', ...words] = process.argv.slice(2)
if (!PROGRAMS.includes(name)) {
  console.error(`There is no bench ${JSON.stringify(name)}; there are ${PROGRAMS.join(', ')}.`)
  process.exit(2)
}
const stop = new AbortController()
process.once('SIGINT', () => process.exit(130))
process.once('SIGTERM', () => process.exit(143))
process.chdir(ROOT)
const prepared = await prepare({ root: ROOT, needs: 'packages', stop: stop.signal })
if (prepared.ended === 'failed') console.error(prepared.why)
if (prepared.ended !== 'done') process.exit(1)

const shelf = join(buildsFolder(ROOT), 'bench')
mkdirSync(shelf, { recursive: true })
for (const found of readdirSync(shelf)) {
  const owner = /^run-(\d+)$/.exec(found)?.[1]
  if (owner !== undefined && !isRunning(Number(owner))) rmSync(join(shelf, found), { recursive: true, force: true })
}
const own = join(shelf, `run-${process.pid}`)
// A collector that ends with us may still write.
process.on('exit', () => rmSync(own, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }))

const { build, stop: stopBundler } = await import('esbuild')
const options = bundleOptions(ROOT, join(own, 'bundle'))
await build({
  ...options,
  entryPoints: [
    .../** @type {string[]} */ (options.entryPoints),
    ...[...PROGRAMS, ...PROCESSES].map((program) => `tests/bench/${program}.ts`),
  ],
})
await stopBundler()
const { run } = await import(pathToFileURL(join(own, 'bundle', `${name}.js`)).href)
process.exit(await run({ words, shelf, own }))
