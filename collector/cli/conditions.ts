import { hintAt } from '../../lib/config/nearest'
import type { Difference } from '../../lib/expectations/criteria'
import { shown } from '../../lib/expectations/shown'
import { fail, type Result, succeed } from '../../lib/protocol/result'
import { fieldsOfKind } from './told-items'

/** One of `name=/checkout` and `name~^/check`. */
export interface Condition {
  readonly path: string
  /** As typed. */
  readonly wanted: string
  readonly holds: (seen: string) => boolean
}

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
    if (sign === '=') conditions.push({ path, wanted: JSON.stringify(value), holds: (seen) => seen === value })
    else {
      const regex = compiled(value)
      if (!regex.ok) return fail(`${word}: ${regex.error}`)
      conditions.push({ path, wanted: `/${value}/`, holds: (seen) => regex.value.test(seen) })
    }
  }
  return succeed(conditions)
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
  return conditions.flatMap(({ path, wanted, holds }) => {
    const found = valueAt(item, path)
    if (!found.ok) return [{ path, seen: found.error, wanted }]
    const seen = asText(found.value)
    return holds(seen) ? [] : [{ path, seen: shown(found.value), wanted }]
  })
}

/** The item with the fewest differences, the newest of several; `null` of none. */
export function nearestOf<Item extends object>(
  items: readonly Item[],
  conditions: readonly Condition[],
): { readonly item: Item; readonly differences: readonly Difference[] } | null {
  let nearest: { readonly item: Item; readonly differences: readonly Difference[] } | null = null
  for (const item of items) {
    const differences = differencesFrom(item, conditions)
    if (nearest === null || differences.length <= nearest.differences.length) nearest = { item, differences }
  }
  return nearest
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
