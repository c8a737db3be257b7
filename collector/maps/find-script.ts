import { realpathSync, type Stats, statSync } from 'node:fs'
import { isAbsolute, join, resolve, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isLoopbackName } from '../../lib/protocol/request'
import { percentDecoded } from '../../lib/unminify/source-map'

/** The files in which the script of a frame may lie, best first; or the reason why none is read. */
export type Candidates =
  | { readonly kind: 'paths'; readonly paths: readonly string[]; readonly isServed: boolean }
  | { readonly kind: 'as sent' | 'not found' | 'refused'; readonly reason: string }

/** A file below a root, links resolved. */
export interface FoundFile {
  readonly path: string
  readonly root: string
  readonly stats: Stats
}

const SCRIPT = /\.[cm]?js$/
const SOURCE = /\.(?:[cm]?tsx?|jsx|vue|svelte|astro|mdx)$/
const OF_RUNTIME = /^(?:node:|internal\/|native\b|wasm:|\[native code\]|<|eval\b)/

/**
 * Translates the file of a frame into paths below the roots. It is received text: nothing is read here, and a network
 * address becomes the path of a file.
 * @param filename as the SDK sent it
 */
export function candidatesOf(filename: string | null, roots: readonly string[]): Candidates {
  if (filename === null || filename === '') return { kind: 'as sent', reason: 'the SDK sent no file' }
  if (OF_RUNTIME.test(filename)) return { kind: 'as sent', reason: 'it is part of the runtime' }
  const url = /^[a-z][a-z+.-]+:/i.test(filename) && URL.canParse(filename) ? new URL(filename) : null
  const path = url === null ? filename : percentDecoded(url.pathname)
  if (path.includes('\0')) return { kind: 'refused', reason: 'its file name contains a zero byte' }
  const isServed = url !== null && /^https?:$/.test(url.protocol)
  if (isServed && !isLoopbackName(url.hostname))
    return { kind: 'refused', reason: `${url.host} is not a loopback host; source maps are only read from this disk` }
  if (SOURCE.test(path))
    return isServed
      ? { kind: 'not found', reason: 'a development server made this script in memory; its source map is not on disk' }
      : { kind: 'as sent', reason: 'the SDK mapped it already' }
  if (!SCRIPT.test(path)) return { kind: 'as sent', reason: 'it is not a script file' }
  if (url === null) {
    const paths = isAbsolute(path) ? [path] : roots.map((root) => join(root, path))
    return { kind: 'paths', paths, isServed: false }
  }
  if (url.protocol === 'file:') return { kind: 'paths', paths: [fileURLToPath(url)], isServed: false }
  if (!isServed && url.protocol !== 'app:')
    return { kind: 'not found', reason: `${url.protocol} addresses name no file on disk` }
  return { kind: 'paths', paths: roots.flatMap((root) => pathsBelow(root, path)), isServed: true }
}

/** A root is the folder of a project, or a build folder itself. */
function pathsBelow(root: string, path: string): readonly string[] {
  const [, ofNext] = /^\/_next\/(.+)$/.exec(path) ?? []
  return ofNext === undefined
    ? ['dist', 'build', '.'].map((folder) => join(root, folder, path))
    : ['.next', '.next/dev', '.', 'dev'].map((folder) => join(root, folder, ofNext))
}

/**
 * Finds the first of these files that exists.
 * @returns `outside` when one exists, or might, that no root contains; `null` when none exists
 */
export function findFile(paths: readonly string[], roots: readonly string[]): FoundFile | 'outside' | null {
  let isOutside = false
  for (const path of paths) {
    const real = realPath(path)
    const root = roots.find((one) => isBelow(resolve(path), one) || isBelow(real ?? path, one))
    if (root === undefined || (real !== null && !roots.some((one) => isBelow(real, one)))) isOutside = true
    else if (real !== null) {
      const stats = statSync(real, { throwIfNoEntry: false })
      if (stats?.isFile()) return { path: real, root: roots.find((one) => isBelow(real, one)) ?? root, stats }
    }
  }
  return isOutside ? 'outside' : null
}

/** The roots that exist, links resolved. The root of the file system would contain everything, so it is none. */
export function realRoots(roots: readonly string[]): readonly string[] {
  const found = roots.map((root) => realPath(resolve(root))).filter((root) => root !== null && root !== resolve('/'))
  return [...new Set(found as string[])]
}

const isBelow = (path: string, root: string): boolean => path.startsWith(root + sep)

function realPath(path: string): string | null {
  try {
    return realpathSync(path)
  } catch {
    // Missing, a loop of links, or a folder that may not be read: the next path is tried.
    return null
  }
}
