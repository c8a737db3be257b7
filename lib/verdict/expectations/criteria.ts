import { formatValue, isRegExp, truncate } from '../text'

/**
 * The expected item: a predicate, or a part of the item. A part is compared recursively by name; a text may be a regular
 * expression; a list is compared entry by entry from the first.
 */
export type Criteria<Item> = ((item: Item) => boolean) | Part<Item>

export type Part<Value> = Value extends string
  ? Value | RegExp
  : Value extends number | boolean | null | undefined
    ? Value
    : Value extends readonly (infer Entry)[]
      ? readonly Part<Entry>[]
      : Value extends object
        ? { readonly [Name in keyof Value]?: Part<Value[Name]> }
        : unknown

export interface Difference {
  /** `attributes.http.response.status_code`; empty for a predicate. */
  readonly path: string
  readonly actual: string
  readonly expected: string
}

/** Limits of one part, against cycles and huge objects. */
const MAX_LEVELS = 32
const MAX_VALUES = 1000

/** @throws TypeError that names the fix. */
export function checkCriteria(criteria: unknown): void {
  if (typeof criteria === 'function') return
  if (!isPlain(criteria))
    throw new TypeError(
      `criteria must be a function or a part of the item, such as { name: '/checkout' }, got ${received(criteria)}`,
    )
  checkPart(criteria, '', 1, { left: MAX_VALUES })
}

function received(criteria: unknown): string {
  if (criteria === undefined) return 'nothing'
  if (typeof criteria === 'string' || isRegExp(criteria))
    return `${formatValue(criteria)}; write { name: ${formatValue(criteria)} }`
  if (Array.isArray(criteria)) return 'a list; wait for one item at a time'
  return formatValue(criteria)
}

function checkPart(part: unknown, path: string, level: number, budget: { left: number }): void {
  budget.left -= 1
  if (budget.left < 0)
    throw new TypeError(`criteria must have at most ${MAX_VALUES} values; name only the relevant fields`)
  if (level > MAX_LEVELS)
    throw new TypeError(
      `criteria must be nested at most ${MAX_LEVELS} levels deep, exceeded at ${truncate(path)} (is there a cycle?)`,
    )
  if (part === undefined)
    throw new TypeError(`criteria.${path} is undefined; leave it out, or write null to expect no value`)
  if (typeof part === 'function')
    throw new TypeError(`criteria.${path} must not be a function; use one function for the whole item`)
  if (isRegExp(part)) {
    if (part.global || part.sticky)
      throw new TypeError(
        `criteria.${path} must not have the flag ${part.global ? 'g' : 'y'}, which makes repeated matches differ, got ${formatValue(part)}`,
      )
    return
  }
  if (Array.isArray(part)) {
    for (const [index, entry] of part.entries()) checkPart(entry, joined(path, String(index)), level + 1, budget)
    return
  }
  if (typeof part !== 'object' || part === null) return
  if (!isPlain(part))
    throw new TypeError(`criteria.${path} must be plain data or a regular expression, got ${nameOfClass(part)}`)
  for (const [name, entry] of Object.entries(part)) checkPart(entry, joined(path, name), level + 1, budget)
}

/** Empty if it matches. @throws TypeError for invalid criteria, or if the predicate throws. */
export function differencesOf<Item>(item: Item, criteria: Criteria<Item>): readonly Difference[] {
  checkCriteria(criteria)
  return differ(item, criteria)
}

export const matches = <Item>(item: Item, criteria: Criteria<Item>): boolean =>
  differencesOf(item, criteria).length === 0

/** The item with the fewest differences; then the one with the most similar texts; then the newest. */
export function nearestMiss<Item>(
  items: readonly Item[],
  criteria: Criteria<Item>,
): { readonly item: Item; readonly differences: readonly Difference[] } | null {
  checkCriteria(criteria)
  let nearest: { readonly item: Item; readonly differences: readonly Difference[] } | null = null
  let bestSimilarity = 0
  for (const item of items) {
    const differences = differ(item, criteria)
    if (nearest !== null && differences.length > nearest.differences.length) continue
    const similarity = differences.reduce((sum, { actual, expected }) => sum + similarityOf(actual, expected), 0)
    if (nearest !== null && differences.length === nearest.differences.length && similarity < bestSimilarity) continue
    nearest = { item, differences }
    bestSimilarity = similarity
  }
  return nearest
}

/** The share of two quoted texts that is equal at both ends, from 0 to 1. It ranks a mistyped path first. */
function similarityOf(actual: string, expected: string): number {
  if (!actual.startsWith('"') || !expected.startsWith('"')) return 0
  const [one, other] = [actual.slice(1, -1), expected.slice(1, -1)]
  const shorter = Math.min(one.length, other.length)
  let before = 0
  while (before < shorter && one[before] === other[before]) before += 1
  let after = 0
  while (after < shorter - before && one.at(-1 - after) === other.at(-1 - after)) after += 1
  return (before + after) / Math.max(1, one.length, other.length)
}

/** Criteria as text after a noun: `with name "/checkout" and op "pageload"`. */
export function describeCriteria(criteria: unknown): string {
  if (typeof criteria === 'function') return `matching ${formatValue(criteria)}`
  const expected = leavesOf(criteria, '')
  if (expected.length === 0) return 'of any kind'
  return `with ${expected.join(' and ')}`
}

function leavesOf(part: unknown, path: string): readonly string[] {
  const named = Array.isArray(part) ? [...part.entries()] : isPlain(part) ? Object.entries(part) : null
  if (named === null || (named.length === 0 && path !== ''))
    return [`${truncate(path)} ${isRegExp(part) ? 'like ' : ''}${formatValue(part)}`]
  return named.flatMap(([name, entry]) => leavesOf(entry, joined(path, String(name))))
}

function differ<Item>(item: Item, criteria: Criteria<Item>): readonly Difference[] {
  if (!isPredicate(criteria)) return differencesIn(item, criteria, '')
  return holds(criteria, item)
    ? []
    : [{ path: '', actual: 'the function returned false', expected: formatValue(criteria) }]
}

/** Narrows the type: a part is never callable. */
const isPredicate = <Item>(criteria: Criteria<Item>): criteria is (item: Item) => boolean =>
  typeof criteria === 'function'

function holds<Item>(predicate: (item: Item) => boolean, item: Item): boolean {
  let answer: unknown
  try {
    answer = predicate(item)
  } catch (error) {
    const words = error instanceof Error ? error.message : String(error)
    throw new TypeError(`the criteria function threw ${formatValue(words)} for ${formatValue(item)}`, {
      cause: error,
    })
  }
  if (typeof answer === 'object' && answer !== null && 'then' in answer)
    throw new TypeError('the criteria function must return a boolean, got a promise')
  return Boolean(answer)
}

function differencesIn(actual: unknown, expected: unknown, path: string): readonly Difference[] {
  if (isRegExp(expected))
    return typeof actual === 'string' && expected.test(actual)
      ? []
      : [{ path, actual: formatValue(actual), expected: formatValue(expected) }]
  const named = Array.isArray(expected) ? [...expected.entries()] : isPlain(expected) ? Object.entries(expected) : null
  if (named === null)
    return Object.is(actual, expected) ? [] : [{ path, actual: formatValue(actual), expected: formatValue(expected) }]
  const comparable = Array.isArray(expected)
    ? Array.isArray(actual)
    : typeof actual === 'object' && actual !== null && !Array.isArray(actual)
  if (!comparable) return [{ path, actual: formatValue(actual), expected: formatValue(expected) }]
  return named.flatMap(([name, entry]) =>
    differencesIn(entryOf(actual, String(name)), entry, joined(path, String(name))),
  )
}

/** Own properties only, because senders choose the names. */
const entryOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Readonly<Record<string, unknown>>)[name]
    : undefined

const joined = (path: string, name: string): string => (path === '' ? name : `${path}.${name}`)

function isPlain(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  // Test runners may use another realm, whose Object.prototype is a different object.
  return prototype === null || Object.getPrototypeOf(prototype) === null
}

const nameOfClass = (value: object): string => `a ${value.constructor.name || 'class instance'}`
