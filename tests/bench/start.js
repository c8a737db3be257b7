import { mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { buildsFolder } from '../../collector/launch/build/build.js'
import { bundleOptions } from '../../collector/launch/build/bundle.js'
import { prepare } from '../../collector/launch/build/prepare.js'
import { isRunning } from '../../collector/launch/processes.js'

/*
 * `node tests/bench/start.js ingest|query|relay|kit|attacks|eviction|start [FLAG…]` bundles the collector and the programs of the benchmarks into
 * one folder, as a build does, and runs the named benchmark. So it measures the collector as shipped.
 */
const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const PROGRAMS = ['ingest', 'query', 'relay', 'kit', 'attacks', 'eviction', 'package-start']
const NAMES = [...PROGRAMS.slice(0, -1), 'start']
const PROCESSES = [
  'sender-process',
  'bare-process',
  'floor-process',
  'floor-thread',
  'poster-process',
  'upstream-process',
  'stand-in-process',
  'profile-thread',
  'attack-thread',
]

const [name = '', ...args] = process.argv.slice(2)
if (!NAMES.includes(name)) {
  console.error(`unknown benchmark ${JSON.stringify(name)}; valid benchmarks: ${NAMES.join(', ')}`)
  process.exit(2)
}
const stop = new AbortController()
process.once('SIGINT', () => process.exit(130))
process.once('SIGTERM', () => process.exit(143))
process.chdir(ROOT)
const prepared = await prepare({ root: ROOT, needs: name === 'attacks' ? 'build' : 'packages', stop: stop.signal })
if (prepared.ended === 'failed') console.error(prepared.why)
if (prepared.ended !== 'done') process.exit(1)
if (name === 'attacks') process.env.WAYSTATION_BUILD = prepared.folder

const shared = join(buildsFolder(ROOT), 'bench')
mkdirSync(shared, { recursive: true })
for (const found of readdirSync(shared)) {
  const owner = /^run-(\d+)$/.exec(found)?.[1]
  if (owner !== undefined && !isRunning(Number(owner))) rmSync(join(shared, found), { recursive: true, force: true })
}
const own = join(shared, `run-${process.pid}`)
// A collector that ends with this process may still write.
process.on('exit', () => rmSync(own, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }))

const { build, stop: stopBundler } = await import('esbuild')
const options = bundleOptions(ROOT, join(own, 'bundle'))
await build({
  ...options,
  external: [.../** @type {string[]} */ (options.external), '@playwright/test'],
  entryPoints: [
    .../** @type {string[]} */ (options.entryPoints),
    ...[...PROGRAMS, ...PROCESSES].map((program) => `tests/bench/${program}.ts`),
  ],
})
await stopBundler()
const { run } = await import(pathToFileURL(join(own, 'bundle', `${PROGRAMS[NAMES.indexOf(name)]}.js`)).href)
process.exit(await run({ args, shared, own }))
