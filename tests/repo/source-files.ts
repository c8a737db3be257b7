import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'

export const ROOT = join(import.meta.dirname, '../..')

const CODE = /\.(?:ts|tsx|js|mjs)$/
const SOURCE = /\.(?:ts|tsx|js|mjs|css)$/

const under = (folder: string): readonly string[] =>
  existsSync(join(ROOT, folder))
    ? readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
        .map((path) => posix.join(folder, path.replaceAll('\\', '/')))
        .filter((path) => SOURCE.test(path))
    : []

/** Folders whose code is shipped. */
const PRODUCT_FOLDERS = ['app', 'lib', 'collector', 'dashboards'] as const

/** Written by tools. */
const GENERATED = new Set(['next-env.d.ts'])

const rootFiles = readdirSync(ROOT).filter((name) => CODE.test(name) && !GENERATED.has(name))

/** Code that is shipped: app, lib, collector, dashboards, and what the tools demand beside them. */
export const productFiles: readonly string[] = [...PRODUCT_FOLDERS.flatMap(under), ...rootFiles]
  .filter((path) => CODE.test(path))
  .sort()

/** All code, tests too. */
export const sourceFiles: readonly string[] = [
  ...productFiles,
  ...under('tests').filter((path) => CODE.test(path)),
].sort()

/** All code and style sheets. */
export const everyFile: readonly string[] = [...PRODUCT_FOLDERS.flatMap(under), ...under('tests'), ...rootFiles].sort()

const read = new Map<string, string>()

export function sourceOf(path: string): string {
  const known = read.get(path)
  if (known !== undefined) return known
  const source = readFileSync(join(ROOT, path), 'utf8')
  read.set(path, source)
  return source
}

/**
 * What a specifier means in a file: a path from the root without its extension, or a package.
 * @returns `null` for a relative path at which nothing is.
 */
export function resolveImport(from: string, specifier: string): string | null {
  if (!specifier.startsWith('.')) return specifier
  const path = posix.join(posix.dirname(from), specifier)
  const found = ['', '.ts', '.tsx', '.js', '.mjs', '.d.ts']
    .map((extension) => path + extension)
    .find((one) => existsSync(join(ROOT, one)))
  return found ?? null
}

export const withoutExtension = (path: string): string => path.replace(/\.(?:d\.)?(?:ts|tsx|js|mjs)$/, '')
