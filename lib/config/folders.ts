import { existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs'
import { basename, dirname, isAbsolute, join, resolve } from 'node:path'

/** It contains telemetry, so git is to ignore it. */
export const DEFAULT_NAME = '.waystation'

/** `WAYSTATION_DATA`, else `.waystation` next to the nearest package.json; absolute. Creates nothing. */
export function dataFolder(configured: string | null, from: string): string {
  if (configured !== null) return isAbsolute(configured) ? configured : resolve(from, configured)
  for (let folder = from; ; folder = dirname(folder)) {
    if (existsSync(join(folder, 'package.json'))) return join(folder, DEFAULT_NAME)
    if (folder === dirname(folder)) return join(from, DEFAULT_NAME)
  }
}

/**
 * Creates a folder and its missing parents, readable by their owner only. Creates them one by one, because Node's recursive
 * mkdir loops forever on a file system such as /proc, which refuses new folders with ENOENT.
 * @returns the first folder that was created, as an absolute path; `undefined` when all existed
 * @throws the system's error
 */
export function makeFolder(folder: string): string | undefined {
  const missing = [resolve(folder)]
  for (let parent = dirname(resolve(folder)); !existsSync(parent); parent = dirname(parent)) missing.push(parent)
  const first = missing.reverse().filter(makeOne)[0]
  const data = missing.find((path) => basename(path) === DEFAULT_NAME)
  if (first !== undefined && data !== undefined) writeFileSync(join(data, '.gitignore'), '*\n')
  return first
}

/** @returns false when the folder exists; another process may have just created it */
function makeOne(folder: string): boolean {
  try {
    mkdirSync(folder, { mode: 0o700 })
    return true
  } catch (cause) {
    if (statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return false
    throw cause
  }
}
