import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** Runs `npm pack`, which builds the package first. @param root of the clone @returns the path of the tarball */
export function packInto(folder: string, root: string = ROOT): string {
  const args = ['pack', '--pack-destination', folder, '--foreground-scripts=false']
  const npm = process.env.npm_execpath
  const [program, before] = npm === undefined ? ['npm', []] : [process.execPath, [npm]]
  // npm prints warnings about settings of the machine; a failure is in the error.
  execFileSync(program, [...before, ...args], { cwd: root, stdio: 'pipe' })
  return tarballIn(folder)
}

function tarballIn(folder: string): string {
  const [tarball] = readdirSync(folder).filter((name) => name.endsWith('.tgz'))
  if (tarball === undefined) throw new Error(`npm pack left no tarball in ${folder}`)
  return join(folder, tarball)
}

/** The tarball of this run of `npm test`, which packs once. Without such a run it packs into `folder`. */
export function packOnce(folder: string): string {
  const run = process.env.WAYSTATION_TEST_RUN
  if (run === undefined) return packInto(folder)
  const shared = join(run, 'package')
  if (!existsSync(shared)) {
    const made = mkdtempSync(join(run, 'package-'))
    packInto(made)
    renameSync(made, shared)
  }
  return tarballIn(shared)
}

/** Installs the package as npm does, but without a registry: unpacks it and links its command in `.bin`. */
export function installInto(project: string, tarball: string): void {
  const folder = join(project, 'node_modules/waystation')
  mkdirSync(folder, { recursive: true })
  mkdirSync(join(project, 'node_modules/.bin'))
  execFileSync('tar', ['-xzf', tarball, '-C', folder, '--strip-components=1'])
  const command = 'waystation/collector/cli/waystation.js'
  chmodSync(join(project, 'node_modules', command), 0o755)
  symlinkSync(join('..', command), join(project, 'node_modules/.bin/waystation'))
}

/** Links packages that are installed here into a project. */
export function lend(project: string, names: readonly string[]): void {
  for (const name of names) {
    const link = join(project, 'node_modules', name)
    mkdirSync(dirname(link), { recursive: true })
    symlinkSync(join(ROOT, 'node_modules', name), link)
  }
}
