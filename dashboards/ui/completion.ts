import { isKey, keysOf, type QueryList } from '../../lib/filter/keys'
import { splitQuery } from '../../lib/filter/tokens'
import type { ValueCounts } from '../../lib/wire/values'
import { offeredTerm } from './query-terms'
import { offeredValues } from './value-counts'

/** The part of a query that completion replaces. */
export interface Completion {
  readonly at: number
  readonly end: number
  /** The key whose values are offered; `null` where keys are offered. */
  readonly key: string | null
  readonly isNegated: boolean
  /** The beginning of the key or of the value, in lower case. */
  readonly prefix: string
}

export interface CompletionOption {
  /** Replaces the part. */
  readonly text: string
  readonly label: string
  readonly count: number | null
}

const MOST_OPTIONS = 12

/** The key or the value at the caret; `null` inside text to search for. */
export function completionAt(list: QueryList, query: string, caret: number): Completion | null {
  const token = splitQuery(query).find(({ at, source }) => at < caret && caret <= at + source.length)
  if (token === undefined) return { at: caret, end: caret, key: null, isNegated: false, prefix: '' }
  const { at, source, key, isNegated } = token
  const part = { at, end: at + source.length, isNegated }
  const minus = isNegated ? 1 : 0
  if (key !== null && isKey(list, key)) {
    const value = query.slice(at + minus + key.length + 1, caret).replace(/^"/, '')
    return { ...part, key, prefix: value.toLowerCase() }
  }
  return key === null && !token.isQuoted ? { ...part, key: null, prefix: query.slice(at + minus, caret) } : null
}

export function completionOptions(
  list: QueryList,
  { key, isNegated, prefix }: Completion,
  counts: ValueCounts | null,
): readonly CompletionOption[] {
  const minus = isNegated ? '-' : ''
  if (key === null)
    return keysOf(list)
      .filter((name) => name.startsWith(prefix))
      .map((name) => ({ text: `${minus}${name}:`, label: `${name}:`, count: null }))
  return offeredValues(list, key, counts)
    .filter(({ value }) => value.toLowerCase().startsWith(prefix))
    .slice(0, MOST_OPTIONS)
    .map(({ value, count }) => ({ text: `${minus}${offeredTerm(key, value)} `, label: value, count }))
}
