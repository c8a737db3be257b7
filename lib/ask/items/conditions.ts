import { nameHint } from '../../config/nearest'
import { fail, type Result, succeed } from '../../protocol/result'
import type { Difference } from '../../verdict/expectations/criteria'
import { formatValue } from '../../verdict/text'
import { fieldsOfKind, ITEM_KINDS, itemKind } from './describe-items'

export interface Condition {
  readonly path: string
  /** As typed, for messages. */
  readonly expected: string
  readonly holds: (actual: string) => boolean
  /** The expected text is only a part of the actual text. */
  readonly almost: (actual: string) => boolean
}

/** The items that a wait accepts. */
export interface ItemConditions {
  readonly kind: string
  readonly conditions: readonly Condition[]
}

/** Reads a kind and its conditions as typed. @returns a message that names the valid ones */
export function readItem(typed: string, texts: readonly string[]): Result<ItemConditions, string> {
  const kind = itemKind(typed)
  if (kind === null) return fail(`unknown kind ${JSON.stringify(typed)}; ${nameHint(typed, ITEM_KINDS)}`)
  const conditions = readConditions(kind, texts)
  return conditions.ok ? succeed({ kind, conditions: conditions.value }) : conditions
}

/** Shorter texts are a part of too many others. */
const LEAST_PART = 3

/** Only the first name of a path is checked: attributes have any name. @returns the conditions, or a message */
export function readConditions(kind: string, texts: readonly string[]): Result<readonly Condition[], string> {
  const fields = fieldsOfKind(kind)
  const conditions: Condition[] = []
  for (const text of texts) {
    const parts = /^([\w.$-]+)([=~])(.*)$/s.exec(text)
    const [, path = '', sign = '', value = ''] = parts ?? []
    if (parts === null)
      return fail(
        `a condition must be FIELD=VALUE or FIELD~REGEX, such as name=/checkout or title~^TypeError, got ${JSON.stringify(text)}`,
      )
    const [field = ''] = path.split('.')
    if (!fields.includes(field)) return fail(`${text}: unknown field ${field} of ${kind}; ${nameHint(field, fields)}`)
    if (sign === '=') conditions.push(sameAs(path, value))
    else {
      const regex = compiled(value)
      if (!regex.ok) return fail(`${text}: ${regex.error}`)
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
    return fail(`not a regular expression: ${cause instanceof Error ? cause.message : String(cause)}.`)
  }
}

/** The conditions that an item does not meet, with its values. */
export function differencesFrom(item: object, conditions: readonly Condition[]): readonly Difference[] {
  return conditions.flatMap(({ path, expected, holds }) => {
    const found = valueAt(item, path)
    if (!found.ok) return [{ path, actual: found.error, expected }]
    const actual = asText(found.value)
    return holds(actual) ? [] : [{ path, actual: formatValue(found.value), expected }]
  })
}

interface Nearest<Item> {
  readonly item: Item
  readonly differences: readonly Difference[]
  /** Conditions whose expected text is a part of the actual text, such as `title=wheel`. */
  readonly almost: readonly Condition[]
}

/** Returns the item with the fewest differences; of several, the one that contains most of the texts, then the newest. */
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

/** Fields of the item that are listed. */
const MOST_FIELDS = 12

/** Names may contain dots, as those of attributes do: the longest existing name counts. */
function valueAt(whole: unknown, path: string): Result<unknown, string> {
  if (typeof whole !== 'object' || whole === null) return fail('(it has no fields)')
  const names = path.split('.')
  for (let length = names.length; length > 0; length -= 1) {
    const name = names.slice(0, length).join('.')
    if (!Object.hasOwn(whole, name)) continue
    const value: unknown = Reflect.get(whole, name)
    return length === names.length ? succeed(value) : valueAt(value, names.slice(length).join('.'))
  }
  const known = Object.keys(whole)
  return fail(known.length === 0 ? '(nothing)' : `(missing; ${nameHint(names[0] ?? '', known, MOST_FIELDS)})`)
}

const asText = (value: unknown): string =>
  typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value)
