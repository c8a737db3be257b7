import { basename } from 'node:path'
import { isNode, lineAt, sourceOf, traverse, treeOf } from './sources.js'

/** Sentences do not begin so: the noun comes first. */
const OPENING = /^(?:what|who|whoever|whatever|that which|of what|where)\b(?!.*\?$)/i

/** Idioms and words with a plain replacement. */
const IDIOMS = [
  /\bmeant is\b/i,
  /\b(?:is|are|was|were|be|been) (?:told|owed|meant|wanted)\b/i,
  /\banew\b/i,
  /\bthe books\b/i,
  /\bwho(?:so)?ever\b/i,
  /\b(?:fates?|owed|owes)\b/i,
  /\bpatience\b/i,
  /\bheld back\b/i,
  /\bfor want of\b/i,
  /\bin vain\b/i,
]

/** Words that the glossary replaces, as parts of identifiers and file names. */
const REPLACED = new Set(
  'door doors fate fates owed owes books told tell tells said asked wanted look walk walks walked mend mends patience anew aside beside whoever'.split(
    ' ',
  ),
)
/** Standard names that contain such a word: DOM, libraries, formats. */
const STANDARD = new Set(['lookup', 'lookaround'])

/** @param {string} name an identifier, or a file's name */
const partsOf = (name) =>
  name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/([A-Z]+)([A-Z][a-z])/g, '$1 $2')
    .split(/[^A-Za-z]+/)
    .map((part) => part.toLowerCase())

/** @param {string} name */
export const isReplaced = (name) => !STANDARD.has(name) && partsOf(name).some((part) => REPLACED.has(part))

/**
 * @param {string} text prose of one block
 * @returns {readonly string[]} its sentences
 */
const sentencesOf = (text) =>
  text
    .split(/(?<=[.!?])\s+|\n\s*\n|\n\s*(?=[-*|@])/)
    .map((sentence) => sentence.replace(/\s+/g, ' ').trim())
    .filter((sentence) => sentence !== '')

/**
 * @param {string} text
 * @returns {string | null} the offending sentence, with the reason
 */
export function judgeProse(text) {
  for (const sentence of sentencesOf(text.replace(/`[^`\n]*`/g, 'code'))) {
    const plain = sentence.replace(
      /^[-*|#>\s]+|^@param\s+(?:\{[^}]*\}\s*)?\[?[\w.]+\]?\s+|^@\w+\s*(?:\{[^}]*\}\s*)?/g,
      '',
    )
    if (!sentence.startsWith('@') && OPENING.test(plain)) return `begins without its noun: ${plain.slice(0, 80)}`
    const idiom = IDIOMS.find((pattern) => pattern.test(plain))
    if (idiom !== undefined) return `says "${idiom.exec(plain)?.[0]}": ${plain.slice(0, 80)}`
  }
  return null
}

/**
 * A name or sentence that the rules refuse, and its line.
 * @typedef {{ readonly path: string, readonly line: number, readonly why: string }} Finding
 */

/** Migrations and their tests keep the names of older schemas. */
const MIGRATIONS = new Set(['collector/spool/schema.ts', 'tests/unit/spool/upgrade.test.ts'])

const TEST_CALLS = new Set(['it', 'test', 'describe', 'suite'])

/**
 * Comments, titles, messages and declared names of one source that are not plain.
 * @param {string} path from the root
 * @returns {readonly Finding[]}
 */
export function judgeSource(path) {
  if (MIGRATIONS.has(path)) return []
  const source = sourceOf(path)
  const { program, comments } = treeOf(path)
  /** @type {Finding[]} */
  const found = []
  /** @param {number} at @param {string | null} why */
  const add = (at, why) => {
    if (why !== null) found.push({ path, line: lineAt(source, at), why })
  }
  if (isReplaced(basename(path))) add(0, `file name ${basename(path)}`)
  for (const { value, start } of blocksOf(comments, source)) add(start, judgeProse(value))
  traverse(program, (node, parent) => {
    const name = declaredName(node, parent)
    if (name !== null && isReplaced(name)) add(node.start, `name ${name}`)
    const title = titleOf(node)
    if (title !== null) add(node.start, judgeProse(title))
    const text = node.type === 'JSXText' ? node.value : node.type === 'Literal' ? node.value : null
    if (typeof text === 'string' && /[a-z] [a-z]/i.test(text)) add(node.start, idiomIn(text))
    if (node.type === 'TemplateElement' && isNode(parent) && / /.test(source.slice(node.start, node.end)))
      add(node.start, idiomIn(source.slice(node.start, node.end)))
  })
  return unique(found)
}

/** @param {string} text */
function idiomIn(text) {
  const idiom = IDIOMS.find((pattern) => pattern.test(text))
  return idiom === undefined
    ? null
    : `says "${idiom.exec(text)?.[0]}": ${text.replace(/\s+/g, ' ').trim().slice(0, 80)}`
}

/** @param {readonly Finding[]} found */
const unique = (found) =>
  found.filter((one, index) => found.findIndex(({ line, why }) => line === one.line && why === one.why) === index)

/**
 * Line comments that follow each other make one block.
 * @param {readonly { value: string, start: number, end: number }[]} comments
 * @param {string} source
 */
function blocksOf(comments, source) {
  /** @type {{ value: string, start: number, end: number }[]} */
  const blocks = []
  for (const { value, start, end } of comments) {
    const text = value.replace(/^\s*\*+ ?/gm, '')
    const last = blocks.at(-1)
    if (last !== undefined && source.startsWith('//', start) && /^\n\s*$/.test(source.slice(last.end, start))) {
      last.value += `\n${text.trim()}`
      last.end = end
    } else blocks.push({ value: text.trim(), start, end })
  }
  return blocks
}

/** @param {import('./sources.js').Node} node */
function titleOf(node) {
  if (node.type !== 'CallExpression' || !isNode(node.callee) || !Array.isArray(node.arguments)) return null
  let callee = node.callee
  while (isNode(callee.object) || isNode(callee.callee) || isNode(callee.tag)) {
    const inner = callee.object ?? callee.callee ?? callee.tag
    if (!isNode(inner)) break
    callee = inner
  }
  const [first] = node.arguments
  if (typeof callee.name !== 'string' || !TEST_CALLS.has(callee.name) || !isNode(first)) return null
  return typeof first.value === 'string' ? first.value : null
}

/**
 * The name that a node declares, `null` where it declares none. A member of somebody else's object is not declared here.
 * @param {import('./sources.js').Node} node
 * @param {import('./sources.js').Node | null} parent
 */
function declaredName(node, parent) {
  if (node.type !== 'Identifier' || parent === null || typeof node.name !== 'string') return null
  const declares =
    (parent.type === 'VariableDeclarator' && parent.id === node) ||
    (/^(?:Function|Class|TSInterface|TSTypeAlias|TSEnum)/.test(parent.type) && parent.id === node) ||
    (/^(?:TSPropertySignature|PropertyDefinition|MethodDefinition|TSMethodSignature)$/.test(parent.type) &&
      parent.key === node) ||
    (/^(?:ArrowFunctionExpression|FunctionDeclaration|FunctionExpression)$/.test(parent.type) &&
      Array.isArray(parent.params) &&
      parent.params.includes(node))
  return declares ? node.name : null
}

/**
 * Sentences of a document that are not plain; code, links' addresses and quotations of code are left out.
 * @param {string} path from the root
 * @returns {readonly Finding[]}
 */
export function judgeDocument(path) {
  const prose = sourceOf(path)
    .replace(/```[\s\S]*?```/g, (block) => block.replace(/[^\n]/g, ' '))
    .replace(/`[^`\n]*`/g, 'code')
    .replace(/\]\([^)]*\)/g, ']')
  /** @type {Finding[]} */
  const found = []
  for (const block of prose.matchAll(/(?:^.*\S.*$\n?)+/gm)) {
    const line = lineAt(prose, block.index)
    for (const cell of block[0].split(/\s\|\s|^\|\s/m)) {
      const why = judgeProse(cell)
      if (why !== null) found.push({ path, line, why })
    }
  }
  return found
}
