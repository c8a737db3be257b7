import { existsSync, mkdirSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'

/**
 * Makes a folder for its owner alone, and those above it that are missing, each by itself: where a file system takes no
 * folder and says that there is no such place, as /proc does, Node's own recursive mkdir tries again for ever.
 * @returns the first that was made, an absolute path; `undefined` where all were there
 * @throws the system's error when one cannot be made
 */
export function makeFolder(folder: string): string | undefined {
  const missing = [resolve(folder)]
  for (let above = dirname(resolve(folder)); !existsSync(above); above = dirname(above)) missing.push(above)
  return missing.reverse().filter(makeOne)[0]
}

/** @returns is it made now? It may be there, or may have been made by somebody else just now. */
function makeOne(folder: string): boolean {
  try {
    mkdirSync(folder, { mode: 0o700 })
    return true
  } catch (cause) {
    if (statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return false
    throw cause
  }
}
