import { formatValue, isRegExp, truncate } from '../text'

/**
 * What is expected of an item: a function that says yes or no, or a part of it. A part is compared recursively, name by
 * name; a text also by a regular expression; a list entry by entry from the first.
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

/** One place at which an item is not as expected. */
export interface Difference {
  /** `attributes.http.response.status_code`; empty for a function. */
  readonly path: string
  readonly actual: string
  readonly expected: string
}

/** Levels and values of one part: a cycle, or something that is no part of an item, ends there. */
const MOST_LEVELS = 32
const MOST_VALUES = 1000

/**
 * Says what is wrong with criteria, before anything is compared.
 * @throws TypeError with the fix in the sentence.
 */
export function checkCriteria(criteria: unknown): void {
  if (typeof criteria === 'function') return
  if (!isPlain(criteria))
    throw new TypeError(
      `criteria are a function or a part of the item, such as { name: '/checkout' }: ${whatCame(criteria)}`,
    )
  checkPart(criteria, '', 1, { left: MOST_VALUES })
}

function whatCame(criteria: unknown): string {
  if (criteria === undefined) return 'nothing was given'
  if (typeof criteria === 'string' || isRegExp(criteria))
    return `${formatValue(criteria)} was given: write { name: ${formatValue(criteria)} }`
  if (Array.isArray(criteria)) return 'a list was given: write one part after the other'
  return `${formatValue(criteria)} was given`
}

function checkPart(part: unknown, path: string, level: number, budget: { left: number }): void {
  budget.left -= 1
  if (budget.left < 0) throw new TypeError(`criteria have more than ${MOST_VALUES} values: name what matters`)
  if (level > MOST_LEVELS)
    throw new TypeError(`criteria are nested deeper than ${MOST_LEVELS} levels at ${truncate(path)}: is there a cycle?`)
  if (part === undefined)
    throw new TypeError(`criteria name ${path} without a value: leave it out, or write null to expect nothing`)
  if (typeof part === 'function')
    throw new TypeError(`criteria have a function at ${path}: give one function for the whole item instead`)
  if (isRegExp(part)) {
    if (part.global || part.sticky)
      throw new TypeError(
        `criteria have ${formatValue(part)} at ${path}: leave out its ${part.global ? 'g' : 'y'}, which makes a second look differ from the first`,
      )
    return
  }
  if (Array.isArray(part)) {
    for (const [index, entry] of part.entries()) checkPart(entry, joined(path, String(index)), level + 1, budget)
    return
  }
  if (typeof part !== 'object' || part === null) return
  if (!isPlain(part))
    throw new TypeError(
      `criteria have ${nameOfClass(part)} at ${path}: only plain data, texts and regular expressions are compared`,
    )
  for (const [name, entry] of Object.entries(part)) checkPart(entry, joined(path, name), level + 1, budget)
}

/**
 * Where an item is not as expected; empty where it is.
 * @throws TypeError where the criteria are wrong, or their function throws.
 */
export function differencesOf<Item>(item: Item, criteria: Criteria<Item>): readonly Difference[] {
  checkCriteria(criteria)
  return differ(item, criteria)
}

/** Is the item as expected? @throws as `differencesOf`. */
export const matches = <Item>(item: Item, criteria: Criteria<Item>): boolean =>
  differencesOf(item, criteria).length === 0

/**
 * The item with the fewest differences, of several the one whose texts are most like those that are expected, of those the
 * last that came; `null` where there is none.
 * @throws as `differencesOf`.
 */
export function nearestMiss<Item>(
  items: readonly Item[],
  criteria: Criteria<Item>,
): { readonly item: Item; readonly differences: readonly Difference[] } | null {
  checkCriteria(criteria)
  let nearest: { readonly item: Item; readonly differences: readonly Difference[] } | null = null
  let likest = 0
  for (const item of items) {
    const differences = differ(item, criteria)
    if (nearest !== null && differences.length > nearest.differences.length) continue
    const likeness = differences.reduce((sum, { actual, expected }) => sum + shareInCommon(actual, expected), 0)
    if (nearest !== null && differences.length === nearest.differences.length && likeness < likest) continue
    nearest = { item, differences }
    likest = likeness
  }
  return nearest
}

/** How much of two quoted texts is the same from either end, from 0 to 1: a mistyped path is told before any other. */
function shareInCommon(actual: string, expected: string): number {
  if (!actual.startsWith('"') || !expected.startsWith('"')) return 0
  const [one, other] = [actual.slice(1, -1), expected.slice(1, -1)]
  const shorter = Math.min(one.length, other.length)
  let before = 0
  while (before < shorter && one[before] === other[before]) before += 1
  let behind = 0
  while (behind < shorter - before && one.at(-1 - behind) === other.at(-1 - behind)) behind += 1
  return (before + behind) / Math.max(1, one.length, other.length)
}

/** Criteria in words, behind a noun: `with name "/checkout" and op "pageload"`. */
export function describeCriteria(criteria: unknown): string {
  if (typeof criteria === 'function') return `for which ${formatValue(criteria)}`
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
  if (!isJudge(criteria)) return differencesIn(item, criteria, '')
  return saysYes(criteria, item) ? [] : [{ path: '', actual: 'the function says no', expected: formatValue(criteria) }]
}

/** A part has no call signature, so that a function is always the criteria as a whole. */
const isJudge = <Item>(criteria: Criteria<Item>): criteria is (item: Item) => boolean => typeof criteria === 'function'

function saysYes<Item>(judge: (item: Item) => boolean, item: Item): boolean {
  let answer: unknown
  try {
    answer = judge(item)
  } catch (error) {
    const words = error instanceof Error ? error.message : String(error)
    throw new TypeError(`the function of the criteria threw ${formatValue(words)} at ${formatValue(item)}`, {
      cause: error,
    })
  }
  if (typeof answer === 'object' && answer !== null && 'then' in answer)
    throw new TypeError('the function of the criteria returned a promise: it has to say yes or no at once')
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

/** Names are the sender's: `constructor` is one only where it was sent. */
const entryOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Readonly<Record<string, unknown>>)[name]
    : undefined

const joined = (path: string, name: string): string => (path === '' ? name : `${path}.${name}`)

function isPlain(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  // Of another realm, as a test runner has them, the prototype is another Object's.
  return prototype === null || Object.getPrototypeOf(prototype) === null
}

const nameOfClass = (value: object): string => `a ${value.constructor.name || 'thing'}`
