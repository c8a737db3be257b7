import { isObject, type JsonObject, number, text } from '../protocol/json-value'

/* Which exceptions of a chain or tree count for a group, and which of them names it. */

interface ChosenExceptions {
  /** Indexes into the list, in the order of the payload. */
  readonly counted: readonly number[]
  /** The one that gives the title. */
  readonly main: number
}

/** Exceptions beyond these, the first of the payload, are not compared. */
export const MOST_COMPARED_EXCEPTIONS = 50

/**
 * All exceptions of a chain count. Of a tree with exception groups count the distinct ones below the groups: when all are
 * the same, that one with its first causes, else also the root.
 * @param values in the order of the wire: causes first @param identity equal for exceptions that would have one group
 */
export function chooseExceptions(values: readonly JsonObject[], identity: (index: number) => string): ChosenExceptions {
  const all = values.map((_, index) => index).slice(-MOST_COMPARED_EXCEPTIONS)
  const tree = treeOf(values)
  if (tree === null) return { counted: all, main: mainOfChain(values) }
  const distinct = new Map<string, number>()
  for (const index of leavesOf(tree, tree.root)) {
    const key = identity(index)
    if (!distinct.has(key)) distinct.set(key, index)
  }
  const [first, ...others] = distinct.values()
  if (first === undefined) return { counted: all, main: mainOfChain(values) }
  if (others.length === 0) return { counted: inOrder(firstPath(tree, first)), main: first }
  const typed = [first, ...others]
    .slice(0, MOST_COMPARED_EXCEPTIONS)
    .sort((one, other) => ((text(values[one]?.type) ?? '') < (text(values[other]?.type) ?? '') ? -1 : 1))
  return { counted: [...typed, tree.root], main: tree.root }
}

const inOrder = (indexes: readonly number[]): readonly number[] => [...indexes].sort((one, other) => one - other)

interface Tree {
  readonly root: number
  readonly children: ReadonlyMap<number, readonly number[]>
  readonly groups: ReadonlySet<number>
}

/** @returns `null` without an exception group, and for ids that form no tree */
function treeOf(values: readonly JsonObject[]): Tree | null {
  const mechanisms = values.map(({ mechanism }) => (isObject(mechanism) ? mechanism : {}))
  const groups = new Set([...values.keys()].filter((index) => mechanisms[index]?.is_exception_group === true))
  if (groups.size === 0) return null
  const indexes = new Map<number, number>()
  for (const [index, { exception_id: id }] of mechanisms.entries()) {
    const given = number(id)
    if (given === null || indexes.has(given)) return null
    indexes.set(given, index)
  }
  const children = new Map<number, number[]>()
  const roots: number[] = []
  for (const [index, { exception_id: id, parent_id: parentId }] of mechanisms.entries()) {
    const parent = number(parentId)
    if (parent === null) roots.push(index)
    else {
      const at = indexes.get(parent)
      // A parent has the smaller id, so there are no cycles.
      if (at === undefined || parent >= Number(id)) return null
      children.set(at, [...(children.get(at) ?? []), index])
    }
  }
  const [root, ...others] = roots
  return root === undefined || others.length > 0 ? null : { root, children, groups }
}

/** The first exceptions below groups that are no groups themselves. */
function leavesOf({ children, groups }: Tree, root: number): readonly number[] {
  const found: number[] = []
  const open = [root]
  for (let at = open.pop(); at !== undefined; at = open.pop())
    if (groups.has(at)) open.push(...(children.get(at) ?? []))
    else found.push(at)
  return found
}

function firstPath({ children }: Tree, from: number): readonly number[] {
  const path: number[] = []
  for (let at: number | undefined = from; at !== undefined; at = children.get(at)?.at(-1)) path.push(at)
  return path
}

/** React wraps the error of a component; its cause names it. */
const REACT_WRAPPER = /^There was an error (?:during concurrent rendering|while hydrating)/

/** The exception that was thrown last, or the cause that React wrapped. */
function mainOfChain(values: readonly JsonObject[]): number {
  const last = values.length - 1
  const [outer, inner] = [values[last], values[0]]
  const isWrapper = outer !== undefined && text(outer.type) === 'Error' && REACT_WRAPPER.test(text(outer.value) ?? '')
  const source = isObject(inner?.mechanism) ? inner.mechanism.source : undefined
  return isWrapper && last > 0 && source === 'cause' ? 0 : last
}
