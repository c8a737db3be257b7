import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { buildsFolder } from '../../collector/launch/build/build.js'
import { prepare } from '../../collector/launch/build/prepare.js'
import { listenForStop } from '../../collector/launch/stop-requests.js'
import { findInstalledBrowser, findPlaywrightsBrowser } from '../../collector/launch/test/browser.js'

/*
 * `node tests/mutants/start.js [FLAG…]` installs what is missing, bundles the program, because Node 20 cannot run
 * TypeScript, and runs it.
 */
const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const stop = listenForStop()
process.chdir(ROOT)
const prepared = await prepare({ root: ROOT, needs: 'packages', stop: stop.first })
if (prepared.ended === 'failed') console.error(prepared.why)
if (prepared.ended !== 'done') process.exit(1)

const chromium = process.env.WAYSTATION_CHROMIUM ?? findPlaywrightsBrowser(ROOT) ?? findInstalledBrowser(process.env)
if (chromium === null) {
  console.error('no Chromium found; set WAYSTATION_CHROMIUM to its path')
  process.exit(2)
}

// Two folders below the root, as the sources are: modules find the root from their own address.
const builds = join(buildsFolder(ROOT), 'mutants')
mkdirSync(builds, { recursive: true })
const program = join(builds, `program-${process.pid}.js`)
process.on('exit', () => rmSync(program, { force: true }))
const { build, stop: stopBundler } = await import('esbuild')
await build({
  absWorkingDir: ROOT,
  entryPoints: ['tests/mutants/mutants.ts'],
  outfile: program,
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node20',
  packages: 'external',
  logLevel: 'silent',
})
await stopBundler()
const { run } = await import(pathToFileURL(program).href)
process.exitCode = await run({ args: process.argv.slice(2), builds, chromium, stop: stop.first })
stop.close()
