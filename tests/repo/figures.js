import { posix } from 'node:path'
import {
  everyFile,
  importsOf,
  productFiles,
  resolveImport,
  sourceFiles,
  sourceOf,
  treeOf,
  withoutExtension,
} from './sources.js'

/**
 * One import as the rules see it. `target` is a path from the root without its extension (`./name` for a file at the
 * root), or a package.
 * @typedef {{ readonly file: string, readonly target: string, readonly kind: 'value' | 'type' | 'dynamic' }} Use
 */

/**
 * Every import of some files, style sheets left out.
 * @param {readonly string[]} files
 * @returns {readonly Use[]}
 */
export const usesOf = (files) =>
  files.flatMap((file) =>
    importsOf(treeOf(file))
      .filter(({ specifier }) => !specifier.endsWith('.css'))
      .map(({ specifier, kind }) => ({ file, kind, target: targetOf(file, specifier) })),
  )

/** @param {string} file @param {string} specifier */
function targetOf(file, specifier) {
  const path = resolveImport(file, specifier)
  return path === null || !specifier.startsWith('.') ? specifier : moduleName(path)
}

/** @param {string} path */
function moduleName(path) {
  const name = withoutExtension(path)
  return name.includes('/') ? name : `./${name}`
}

/**
 * Cycles of files that import each other's values or types, each from its first file round to it again.
 * @param {readonly Use[]} uses
 * @returns {readonly (readonly string[])[]}
 */
export function cycles(uses) {
  /** @type {Map<string, string[]>} */
  const next = new Map()
  for (const { file, target, kind } of uses) {
    if (kind === 'dynamic') continue
    const from = moduleName(file)
    next.set(from, [...(next.get(from) ?? []), target])
  }
  const done = new Set()
  /** @type {string[][]} */
  const found = []
  /** @param {string} file @param {readonly string[]} path */
  const follow = (file, path) => {
    const seen = path.indexOf(file)
    if (seen >= 0) found.push([...path.slice(seen), file])
    if (seen >= 0 || done.has(file)) return
    for (const target of next.get(file) ?? []) follow(target, [...path, file])
    done.add(file)
  }
  for (const file of next.keys()) follow(file, [])
  return found
}

const FRAGMENT_LINES = 30
const LONG_LINES = 400
/** The type any, in code without comments and strings. */
export const ANY = /(?::|<|\bas|\|)\s*any\b(?!\s*[:(])|\bany\[\]/

/** @param {string} path */
export const linesOf = (path) => sourceOf(path).trimEnd().split('\n').length

/** Entries of a registry, Next routes, and entries of threads, processes and edge start-up: each is a file by need. */
const EXEMPT = [
  /^app\/.*\/?(?:page|layout|default|error|global-error|not-found|route)\.tsx?$/,
  /^app\/lab\/actions\//,
  /^lib\/protocol\/items\//,
  /^lib\/verdict\/rules\//,
  /^lib\/kit\/matchers\//,
  /-(?:thread|process)\.[jt]s$/,
  /^(?:proxy|instrumentation|instrumentation-client|next\.config)\.[jt]s$/,
]

/**
 * Files under 30 lines that only one file imports.
 * @param {readonly Use[]} uses
 * @returns {readonly string[]}
 */
export function fragments(uses) {
  return productFiles.filter((path) => {
    if (linesOf(path) >= FRAGMENT_LINES || EXEMPT.some((pattern) => pattern.test(path))) return false
    const name = moduleName(path)
    return new Set(uses.filter(({ target }) => target === name).map(({ file }) => file)).size === 1
  })
}

/**
 * Lines of product code, of test code and of style sheets. Unlike the other figures it needs no syntax tree.
 * @returns {{ readonly product: number, readonly tests: number, readonly styles: number }}
 */
export function lineCounts() {
  const sum = (/** @type {readonly string[]} */ paths) => paths.reduce((lines, path) => lines + linesOf(path), 0)
  return {
    product: sum(productFiles),
    tests: sum(sourceFiles.filter((path) => path.startsWith('tests/'))),
    styles: sum(everyFile.filter((path) => path.endsWith('.css'))),
  }
}

/** Files over 400 lines. */
export const longFiles = () => productFiles.filter((path) => linesOf(path) > LONG_LINES)

/**
 * Product folders with one file, Next routes and commands left out.
 * @returns {readonly string[]}
 */
export function lonelyFolders() {
  const folders = new Map()
  for (const path of productFiles) {
    for (let folder = posix.dirname(path); folder !== '.'; folder = posix.dirname(folder))
      folders.set(folder, (folders.get(folder) ?? 0) + 1)
  }
  return [...folders].filter(([folder, count]) => count === 1 && !folder.startsWith('app/')).map(([folder]) => folder)
}

/** @param {readonly number[]} numbers */
export const median = (numbers) => [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0
