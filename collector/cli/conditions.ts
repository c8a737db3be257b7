import { hintAt } from '../../lib/config/nearest'
import { fail, type Result, succeed } from '../../lib/protocol/result'
import type { Difference } from '../../lib/verdict/expectations/criteria'
import { formatValue } from '../../lib/verdict/text'
import { fieldsOfKind } from './told-items'

/** One of `name=/checkout` and `name~^/check`. */
export interface Condition {
  readonly path: string
  /** As typed. */
  readonly expected: string
  readonly holds: (actual: string) => boolean
  /** Where it does not hold: is what is wanted a part of it? */
  readonly almost: (actual: string) => boolean
}

/** A word of one or two letters is in too much. */
const LEAST_PART = 3

/**
 * Reads what was typed of an item.
 * @param kind of `ITEM_KINDS`. What its items have at their top is known; what is free, such as attributes, may have any name
 * @returns the conditions, or a sentence that says what was meant
 */
export function readConditions(kind: string, words: readonly string[]): Result<readonly Condition[], string> {
  const fields = fieldsOfKind(kind)
  const conditions: Condition[] = []
  for (const word of words) {
    const parts = /^([\w.$-]+)([=~])(.*)$/s.exec(word)
    const [, path = '', sign = '', value = ''] = parts ?? []
    if (parts === null)
      return fail(
        `${JSON.stringify(word)}: meant is field=value or field~regex, such as name=/checkout or title~^TypeError.`,
      )
    const [field = ''] = path.split('.')
    if (!fields.includes(field))
      return fail(`${word}: no ${kind} has ${field}; ${hintAt(field, fields, fields.length)}`)
    if (sign === '=') conditions.push(sameAs(path, value))
    else {
      const regex = compiled(value)
      if (!regex.ok) return fail(`${word}: ${regex.error}`)
      conditions.push({
        path,
        expected: `/${value}/`,
        holds: (actual) => regex.value.test(actual),
        almost: () => false,
      })
    }
  }
  return succeed(conditions)
}

function sameAs(path: string, value: string): Condition {
  const part = value.toLowerCase()
  return {
    path,
    expected: JSON.stringify(value),
    holds: (actual) => actual === value,
    almost: (actual) => part.length >= LEAST_PART && actual.toLowerCase().includes(part),
  }
}

function compiled(source: string): Result<RegExp, string> {
  try {
    return succeed(new RegExp(source, 'u'))
  } catch (cause) {
    return fail(`this is no regular expression: ${cause instanceof Error ? cause.message : String(cause)}.`)
  }
}

/** In what an item is not as wanted; empty where it is. */
export function differencesFrom(item: object, conditions: readonly Condition[]): readonly Difference[] {
  return conditions.flatMap(({ path, expected, holds }) => {
    const found = valueAt(item, path)
    if (!found.ok) return [{ path, actual: found.error, expected }]
    const actual = asText(found.value)
    return holds(actual) ? [] : [{ path, actual: formatValue(found.value), expected }]
  })
}

/** One that is not as wanted, and in what. */
export interface Nearest<Item> {
  readonly item: Item
  readonly differences: readonly Difference[]
  /** Conditions of which it has what is wanted as a part, as `title=wheel` of a title that has more words. */
  readonly almost: readonly Condition[]
}

/** The item with the fewest differences; of several the one that has most of what is wanted as a part, then the newest; `null` of none. */
export function nearestOf<Item extends object>(
  items: readonly Item[],
  conditions: readonly Condition[],
): Nearest<Item> | null {
  let nearest: Nearest<Item> | null = null
  for (const item of items) {
    const differences = differencesFrom(item, conditions)
    const almost = conditions.filter((one) => hasAsPart(item, one))
    const fewer = nearest === null ? -1 : differences.length - nearest.differences.length
    if (nearest === null || fewer < 0 || (fewer === 0 && almost.length >= nearest.almost.length))
      nearest = { item, differences, almost }
  }
  return nearest
}

function hasAsPart(item: object, { path, holds, almost }: Condition): boolean {
  const found = valueAt(item, path)
  if (!found.ok) return false
  const actual = asText(found.value)
  return !holds(actual) && almost(actual)
}

/** A name may have dots itself, as attributes' have: the longest that is there is taken. */
function valueAt(whole: unknown, path: string): Result<unknown, string> {
  if (typeof whole !== 'object' || whole === null) return fail('(there is nothing below it)')
  const names = path.split('.')
  for (let length = names.length; length > 0; length -= 1) {
    const name = names.slice(0, length).join('.')
    if (!Object.hasOwn(whole, name)) continue
    const value: unknown = Reflect.get(whole, name)
    return length === names.length ? succeed(value) : valueAt(value, names.slice(length).join('.'))
  }
  const known = Object.keys(whole)
  return fail(known.length === 0 ? '(nothing)' : `(there is none; ${hintAt(names[0] ?? '', known)})`)
}

const asText = (value: unknown): string =>
  typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value)
