import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'

/**
 * What is installed in another project: the command runs from what `npm pack` bundled, and there are no sources, no app
 * and no boards beside it.
 * @param {string} root of the package
 * @returns {string | null} the folder that holds `collector/`; `null` where the sources are, which are bundled anew
 */
export function packagedBuild(root) {
  const folder = join(root, 'dist')
  return !existsSync(join(root, 'collector/main.ts')) && existsSync(join(folder, 'collector')) ? folder : null
}

/**
 * The project that a command is typed in, whose `.env` files and folders are meant: the nearest one with a package.json.
 * @param {string} from
 * @returns {string}
 */
export function projectFolder(from) {
  for (let folder = from; ; folder = dirname(folder)) {
    if (existsSync(join(folder, 'package.json'))) return folder
    if (folder === dirname(folder)) return from
  }
}
