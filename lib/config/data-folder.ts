import { existsSync } from 'node:fs'
import { dirname, isAbsolute, join, resolve } from 'node:path'

/**
 * Where data is kept: `WAYSTATION_DATA`, else `.waystation` beside the nearest package.json.
 * @returns an absolute path; nothing is created.
 */
export function dataFolder(given: string | null, from: string): string {
  if (given !== null) return isAbsolute(given) ? given : resolve(from, given)
  for (let folder = from; ; folder = dirname(folder)) {
    if (existsSync(join(folder, 'package.json'))) return join(folder, '.waystation')
    if (folder === dirname(folder)) return join(from, '.waystation')
  }
}
