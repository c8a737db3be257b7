import { existsSync, statSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import type { Checkout } from '../../lib/verdict/reports/github'

/**
 * What was checked out where this runs.
 * @param workspace GITHUB_WORKSPACE; without one the folder itself
 * @param folder where the command runs, absolute
 */
export function checkoutOf(workspace: string | undefined, folder: string = process.cwd()): Checkout {
  const root = resolve(workspace || folder)
  const within = relative(root, folder)
  const isFile = (path: string): boolean => existsSync(join(root, path)) && statSync(join(root, path)).isFile()
  return { root, folder: within.startsWith('..') ? '' : within, isFile }
}
