import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/**
 * The folder of the bundled collector: that of `WAYSTATION_BUILD`, else the one beside this module, as a package has it.
 * @throws Error where there is none
 */
export function findBundles(
  env: Readonly<Record<string, string | undefined>>,
  here = dirname(fileURLToPath(import.meta.url)),
): string {
  const build = env.WAYSTATION_BUILD
  // What is shared by several entries of the package lies one folder deeper.
  const folders = build ? [join(build, 'collector')] : [join(here, 'collector'), join(here, '..', 'collector')]
  const found = folders.find((folder) => existsSync(join(folder, 'main.js')))
  if (found !== undefined) return found
  const looked = folders.map((folder) => join(folder, 'main.js')).join(' and ')
  throw new Error(
    `there is no bundled collector at ${looked}: ${build ? 'WAYSTATION_BUILD names a folder without one' : 'install the package anew, or name a build by WAYSTATION_BUILD'}`,
  )
}
