import { cut, isPattern, shown } from './shown'

/**
 * What is wanted of an item: a function that says yes or no, or a part of it. A part is compared recursively, name by
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

/** One place at which an item is not as wanted. */
export interface Difference {
  /** `attributes.http.response.status_code`; empty for a function. */
  readonly path: string
  readonly seen: string
  readonly wanted: string
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
  if (typeof criteria === 'string' || isPattern(criteria))
    return `${shown(criteria)} was given: write { name: ${shown(criteria)} }`
  if (Array.isArray(criteria)) return 'a list was given: write one part after the other'
  return `${shown(criteria)} was given`
}

function checkPart(part: unknown, path: string, level: number, budget: { left: number }): void {
  budget.left -= 1
  if (budget.left < 0) throw new TypeError(`criteria have more than ${MOST_VALUES} values: name what matters`)
  if (level > MOST_LEVELS)
    throw new TypeError(`criteria are nested deeper than ${MOST_LEVELS} levels at ${cut(path)}: is there a cycle?`)
  if (part === undefined)
    throw new TypeError(`criteria name ${path} without a value: leave it out, or write null where nothing is wanted`)
  if (typeof part === 'function')
    throw new TypeError(`criteria have a function at ${path}: give one function for the whole item instead`)
  if (isPattern(part)) {
    if (part.global || part.sticky)
      throw new TypeError(
        `criteria have ${shown(part)} at ${path}: leave out its ${part.global ? 'g' : 'y'}, which makes a second look differ from the first`,
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
 * Where an item is not as wanted; empty where it is.
 * @throws TypeError where the criteria are wrong, or their function throws.
 */
export function differencesOf<Item>(item: Item, criteria: Criteria<Item>): readonly Difference[] {
  checkCriteria(criteria)
  return differ(item, criteria)
}

/** Is the item as wanted? @throws as `differencesOf`. */
export const matches = <Item>(item: Item, criteria: Criteria<Item>): boolean =>
  differencesOf(item, criteria).length === 0

/**
 * The item with the fewest differences, of several the one whose texts are most like those that are wanted, of those the
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
    const likeness = differences.reduce((sum, { seen, wanted }) => sum + shareInCommon(seen, wanted), 0)
    if (nearest !== null && differences.length === nearest.differences.length && likeness < likest) continue
    nearest = { item, differences }
    likest = likeness
  }
  return nearest
}

/** How much of two quoted texts is the same from either end, from 0 to 1: a mistyped path is told before any other. */
function shareInCommon(seen: string, wanted: string): number {
  if (!seen.startsWith('"') || !wanted.startsWith('"')) return 0
  const [one, other] = [seen.slice(1, -1), wanted.slice(1, -1)]
  const shorter = Math.min(one.length, other.length)
  let before = 0
  while (before < shorter && one[before] === other[before]) before += 1
  let behind = 0
  while (behind < shorter - before && one.at(-1 - behind) === other.at(-1 - behind)) behind += 1
  return (before + behind) / Math.max(1, one.length, other.length)
}

/** Criteria in words, behind a noun: `with name "/checkout" and op "pageload"`. */
export function describeCriteria(criteria: unknown): string {
  if (typeof criteria === 'function') return `for which ${shown(criteria)}`
  const wanted = leavesOf(criteria, '')
  if (wanted.length === 0) return 'of any kind'
  return `with ${wanted.join(' and ')}`
}

function leavesOf(part: unknown, path: string): readonly string[] {
  const named = Array.isArray(part) ? [...part.entries()] : isPlain(part) ? Object.entries(part) : null
  if (named === null || (named.length === 0 && path !== ''))
    return [`${cut(path)} ${isPattern(part) ? 'like ' : ''}${shown(part)}`]
  return named.flatMap(([name, entry]) => leavesOf(entry, joined(path, String(name))))
}

function differ<Item>(item: Item, criteria: Criteria<Item>): readonly Difference[] {
  if (!isJudge(criteria)) return differencesIn(item, criteria, '')
  return saysYes(criteria, item) ? [] : [{ path: '', seen: 'the function says no', wanted: shown(criteria) }]
}

/** A part has no call signature, so that a function is always the criteria as a whole. */
const isJudge = <Item>(criteria: Criteria<Item>): criteria is (item: Item) => boolean => typeof criteria === 'function'

function saysYes<Item>(judge: (item: Item) => boolean, item: Item): boolean {
  let answer: unknown
  try {
    answer = judge(item)
  } catch (error) {
    const words = error instanceof Error ? error.message : String(error)
    throw new TypeError(`the function of the criteria threw ${shown(words)} at ${shown(item)}`, { cause: error })
  }
  if (typeof answer === 'object' && answer !== null && 'then' in answer)
    throw new TypeError('the function of the criteria returned a promise: it has to say yes or no at once')
  return Boolean(answer)
}

function differencesIn(seen: unknown, wanted: unknown, path: string): readonly Difference[] {
  if (isPattern(wanted))
    return typeof seen === 'string' && wanted.test(seen) ? [] : [{ path, seen: shown(seen), wanted: shown(wanted) }]
  const named = Array.isArray(wanted) ? [...wanted.entries()] : isPlain(wanted) ? Object.entries(wanted) : null
  if (named === null) return Object.is(seen, wanted) ? [] : [{ path, seen: shown(seen), wanted: shown(wanted) }]
  const comparable = Array.isArray(wanted)
    ? Array.isArray(seen)
    : typeof seen === 'object' && seen !== null && !Array.isArray(seen)
  if (!comparable) return [{ path, seen: shown(seen), wanted: shown(wanted) }]
  return named.flatMap(([name, entry]) => differencesIn(entryOf(seen, String(name)), entry, joined(path, String(name))))
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
