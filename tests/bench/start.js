import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { buildsFolder } from '../../collector/launch/build/build.js'
import { buildBoards, bundleOptions, splitBundles } from '../../collector/launch/build/bundle.js'
import { prepare } from '../../collector/launch/build/prepare.js'
import { isRunning } from '../../collector/launch/processes.js'

/*
 * `node tests/bench/start.js ingest|query|relay|attacks|eviction|start|scale|ui|web|soak [FLAG…]` bundles the collector and the programs of the
 * benchmark into one folder, as a build does, and runs it. So it measures the collector as shipped.
 */
const ROOT = fileURLToPath(new URL('../..', import.meta.url))
/** The file of each benchmark. */
const FILES = {
  ingest: 'ingest',
  query: 'query',
  relay: 'relay',
  attacks: 'attacks',
  eviction: 'eviction',
  start: 'package-start',
  scale: 'scale',
  ui: 'ui',
  web: 'web',
  soak: 'soak',
}
const PROCESSES = readdirSync(import.meta.dirname).filter((file) => /-(?:process|thread)\.ts$/.test(file))

const [name = '', ...args] = process.argv.slice(2)
const file = Object.entries(FILES).find(([one]) => one === name)?.[1]
if (file === undefined) {
  console.error(`unknown benchmark ${JSON.stringify(name)}; valid benchmarks: ${Object.keys(FILES).join(', ')}`)
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
const bundles = splitBundles({
  ...options,
  external: [.../** @type {string[]} */ (options.external), '@playwright/test'],
  entryPoints: [
    .../** @type {string[]} */ (options.entryPoints),
    ...[`${file}.ts`, ...PROCESSES].map((one) => `tests/bench/${one}`),
  ],
})
await Promise.all(bundles.map((bundle) => build(bundle)))
if (name === 'ui') {
  const { metafile } = await buildBoards(build, ROOT, join(own, 'bundle'))
  writeFileSync(join(own, 'bundle', 'boards-meta.json'), JSON.stringify(metafile))
}
await stopBundler()
const { run } = await import(pathToFileURL(join(own, 'bundle', `${file}.js`)).href)
process.exit(await run({ args, shared, own }))
