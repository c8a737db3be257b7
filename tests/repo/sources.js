import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join, posix } from 'node:path'
import { parseSync } from 'oxc-parser'

export const ROOT = join(import.meta.dirname, '../..')

const CODE = /\.(?:ts|tsx|js|mjs)$/
const PRODUCT_FOLDERS = ['app', 'collector', 'dashboards', 'lib']
/** Tools write these. */
const GENERATED = new Set(['next-env.d.ts'])

/**
 * @param {string} folder from the root
 * @returns {readonly string[]} code and style sheets below it
 */
const filesBelow = (folder) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .map((path) => posix.join(folder, path.replaceAll('\\', '/')))
    .filter((path) => CODE.test(path) || path.endsWith('.css'))

const rootFiles = readdirSync(ROOT).filter((name) => CODE.test(name) && !GENERATED.has(name))

/** Code and style sheets of the product and its tests, as paths from the root. */
export const everyFile = [...[...PRODUCT_FOLDERS, 'tests'].flatMap(filesBelow), ...rootFiles].sort()
/** All code, tests included. */
export const sourceFiles = everyFile.filter((path) => CODE.test(path))
/** Code that ships: the four product folders, and what tools look for at the root. */
export const productFiles = sourceFiles.filter((path) => !path.startsWith('tests/'))
/** The documentation. */
export const documents = [
  ...readdirSync(ROOT).filter((name) => name.endsWith('.md')),
  ...readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => posix.join('docs', name)),
].sort()

/** @type {Map<string, string>} */
const texts = new Map()

/** @param {string} path from the root */
export function sourceOf(path) {
  const text = texts.get(path) ?? readFileSync(join(ROOT, path), 'utf8')
  texts.set(path, text)
  return text
}

/**
 * A node of the syntax tree, as far as this folder reads it.
 * @typedef {{ type: string, start: number, end: number, [field: string]: unknown }} Node
 */

/**
 * @param {unknown} value
 * @returns {value is Node}
 */
export const isNode = (value) =>
  typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string' && 'start' in value

/**
 * Visits a node and everything below it, parents first.
 * @param {unknown} value a node or a list of nodes
 * @param {(node: Node, parent: Node | null) => void} visit
 * @param {Node | null} [parent]
 */
export function traverse(value, visit, parent = null) {
  if (Array.isArray(value)) {
    for (const one of value) traverse(one, visit, parent)
    return
  }
  if (!isNode(value)) return
  visit(value, parent)
  for (const field of Object.values(value)) if (typeof field === 'object') traverse(field, visit, value)
}

/**
 * @typedef {{ program: Node, comments: readonly { value: string, start: number, end: number }[] }} Parsed
 * @param {string} source
 * @param {string} [path] its extension chooses the dialect
 * @returns {Parsed}
 */
export function parse(source, path = 'source.tsx') {
  const { program, comments, errors } = parseSync(path, source)
  const error = errors.find(({ severity }) => severity === 'Error')
  if (error !== undefined) throw new SyntaxError(`${path}: ${error.message}`)
  if (!isNode(program)) throw new TypeError(`${path}: the parser returned no program`)
  return { program, comments }
}

/** @type {Map<string, Parsed>} */
const trees = new Map()

/** @param {string} path from the root */
export function treeOf(path) {
  const tree = trees.get(path) ?? parse(sourceOf(path), path)
  trees.set(path, tree)
  return tree
}

/**
 * One import of a file. `value` runs with the file, `dynamic` runs when it is called, `type` is erased.
 * @typedef {{ readonly specifier: string, readonly kind: 'value' | 'type' | 'dynamic' }} Import
 */

/**
 * Every import of a source. `import { type A }` counts as a value: `verbatimModuleSyntax` keeps the module.
 * @param {Parsed} parsed
 * @returns {readonly Import[]}
 */
export function importsOf({ program }) {
  /** @type {Import[]} */
  const found = []
  /**
   * @param {unknown} literal
   * @param {Import['kind']} kind
   */
  const add = (literal, kind) => {
    if (isNode(literal) && typeof literal.value === 'string') found.push({ specifier: literal.value, kind })
  }
  traverse(program, (node) => {
    if (node.type === 'ImportDeclaration') add(node.source, node.importKind === 'type' ? 'type' : 'value')
    else if (node.type === 'ExportNamedDeclaration' || node.type === 'ExportAllDeclaration')
      add(node.source, node.exportKind === 'type' ? 'type' : 'value')
    else if (node.type === 'ImportExpression') add(node.source, 'dynamic')
    else if (node.type === 'TSImportType') add(node.source ?? node.argument, 'type')
    else if (node.type === 'CallExpression' && isNode(node.callee) && node.callee.name === 'require')
      add(Array.isArray(node.arguments) ? node.arguments[0] : undefined, 'dynamic')
  })
  return found
}

/**
 * The file that a specifier names: a path from the root, or a package.
 * @param {string} from
 * @param {string} specifier
 * @returns {string | null} `null` for a relative path without a file
 */
export function resolveImport(from, specifier) {
  if (!specifier.startsWith('.')) return specifier
  const path = posix.join(posix.dirname(from), specifier)
  const found = ['', '.ts', '.tsx', '.js', '.mjs', '.d.ts']
    .map((extension) => path + extension)
    .find((one) => statSync(join(ROOT, one), { throwIfNoEntry: false })?.isFile())
  return found ?? null
}

/** @param {string} path */
export const withoutExtension = (path) => path.replace(/\.(?:d\.)?(?:ts|tsx|js|mjs)$/, '')

/**
 * Code alone: comments and the text of strings are blank.
 * @param {string} path from the root
 */
export function codeOf(path) {
  const { program, comments } = treeOf(path)
  const spans = comments.map(({ start, end }) => ({ start, end }))
  traverse(program, (node) => {
    const isString = node.type === 'Literal' && (typeof node.value === 'string' || node.regex !== undefined)
    if (isString || node.type === 'TemplateElement' || node.type === 'JSXText')
      spans.push({ start: node.start, end: node.end })
  })
  const source = sourceOf(path)
  let code = ''
  let at = 0
  for (const { start, end } of spans.sort((a, b) => a.start - b.start)) {
    if (start < at) continue
    code += source.slice(at, start) + source.slice(start, end).replace(/[^\n]/g, ' ')
    at = end
  }
  return code + source.slice(at)
}

/** @param {string} source @param {number} at */
export const lineAt = (source, at) => source.slice(0, at).split('\n').length
