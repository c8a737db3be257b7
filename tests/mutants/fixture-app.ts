import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'
import { hashSources, neutralEnvironment } from '../../collector/launch/build/build.js'
import { installInto, packInto, ROOT } from '../flow/packed'

/** The fixture apps, by the value of `--app`. Only `next` has faults. */
export const APPS = ['next', 'vite'] as const
export type App = (typeof APPS)[number]

const FIXTURES: Readonly<Record<App, string>> = { next: 'mutants-app', vite: 'vite-app' }
const BUILDERS: Readonly<Record<App, string>> = {
  next: 'node_modules/next/dist/bin/next',
  vite: 'node_modules/vite/bin/vite.js',
}

/**
 * Builds a fixture app with the packed package, unless a build of these sources exists. The folder is inside the tree,
 * where bundlers find the npm packages. Removes builds of other sources.
 * @param builds folder of all builds
 * @returns the folder of the built app
 */
export async function buildFixtureApp(app: App, builds: string): Promise<string> {
  const fixture = join(ROOT, 'tests/fixtures', FIXTURES[app])
  const hash = createHash('sha256').update(hashSources(ROOT))
  const files = readdirSync(fixture, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  for (const path of files.map((entry) => join(entry.parentPath, entry.name)).sort())
    hash.update(`${path}\0`).update(readFileSync(path))
  const name = `${app}-${hash.digest('hex').slice(0, 16)}`
  const folder = join(builds, name)
  const complete = join(folder, 'complete')
  if (existsSync(complete)) return folder

  for (const old of readdirSync(builds)) {
    if (old.startsWith(`${app}-`)) rmSync(join(builds, old), { recursive: true, force: true })
  }
  mkdirSync(folder)
  cpSync(fixture, folder, { recursive: true })
  installInto(folder, packInto(folder))
  if (app === 'next') await bundleSecondSdk(folder)
  execFileSync(process.execPath, [join(ROOT, BUILDERS[app]), 'build'], {
    cwd: folder,
    env: neutralEnvironment(process.env, 'production'),
    stdio: 'pipe',
  })
  writeFileSync(complete, '')
  return folder
}

/** Copies of one version share their state and send nothing twice, so this one gets another version. */
async function bundleSecondSdk(folder: string): Promise<void> {
  const [source, bundle] = [join(folder, 'second-sdk.ts'), join(folder, 'public/second-sdk.js')]
  await build({ entryPoints: [source], outfile: bundle, bundle: true, format: 'iife', logLevel: 'silent' })
  const text = readFileSync(bundle, 'utf8')
  const changed = text.replace(/(SDK_VERSION = "[\d.]+)"/, '$1-loader"')
  if (changed === text) throw new Error('the bundled SDK contains no SDK_VERSION')
  writeFileSync(bundle, changed)
}
