import { similarName } from '../config/nearest'
import { fail, type Result, succeed } from '../protocol/result'
import type { FilterName } from '../wire/filter'
import type { ListFilter } from '../wire/list-filter'
import { hasText, isKey, isOrdered, keysOf, type OrderedKey, type QueryList, takesStart } from './keys'
import { splitQuery, type Token } from './tokens'
import { durationValue, readCondition, searchTokens, timeValue } from './values'

/** Terms of one query; further ones are reported and do not apply. */
export const MAX_QUERY_TERMS = 20
export const MAX_QUERY_LENGTH = 2000

/** A term that does not apply, and why. */
export interface QueryProblem {
  /** Index of its first character in the query, and how many it has. */
  readonly at: number
  readonly length: number
  readonly message: string
  /** A similar term that is valid; `null` for none. */
  readonly suggestion: string | null
}

/** A part of the query that applies. */
export interface QueryTerm {
  readonly at: number
  readonly length: number
  /** `null` for words and exact text. */
  readonly key: string | null
  readonly isNegated: boolean
  readonly condition: ListFilter
}

export interface ReadQuery {
  readonly filter: ListFilter
  readonly terms: readonly QueryTerm[]
  readonly problems: readonly QueryProblem[]
}

/**
 * Reads the query of a list: `key:value`, `-key:value`, `key:a*`, `duration:>20ms`, `"exact text"` and words. All terms
 * must hold; of several values for one key one must hold. A wrong term is reported, and the others apply.
 * @param given conditions that the query is added to @param nowMs ages such as `15m` count back from here
 */
export function readQuery(list: QueryList, query: string, nowMs: number, given: ListFilter = {}): ReadQuery {
  const terms: QueryTerm[] = []
  const problems: QueryProblem[] = []
  for (const [index, token] of splitQuery(query).entries()) {
    const { at, source } = token
    const read = index < MAX_QUERY_TERMS ? readToken(list, token, nowMs) : tooMany(source)
    if (read.ok)
      terms.push({ at, length: source.length, key: token.key, isNegated: token.isNegated, condition: read.value })
    else problems.push({ at, length: source.length, ...read.error })
  }
  return { filter: combine(terms, given), terms, problems }
}

type Problem = Pick<QueryProblem, 'message' | 'suggestion'>

const refuse = (message: string, suggestion: string | null = null): Result<never, Problem> =>
  fail({ message, suggestion })

const tooMany = (source: string) => refuse(`${source} does not apply: a query has at most ${MAX_QUERY_TERMS} terms`)

function readToken(list: QueryList, token: Token, nowMs: number): Result<ListFilter, Problem> {
  const { source, key, value } = token
  if (!token.isClosed) return refuse(`${source}: the quotation has no end`, `${source}"`)
  if (key === null) return readText(list, token)
  if (!isKey(list, key)) return refuseKey(list, token, key)
  if (value === '' || (token.isStart && value.trim() === '')) return refuse(`${source} needs a value`)
  if (key === 'own' && token.isNegated) return refuse(`${source}: own is hide, show or only, and cannot be negated`)
  if (isOrdered(key)) return readComparison(token, key, nowMs)
  if (token.comparison !== null)
    return refuse(`${source}: ${key} has no order; compare it as ${key}:${value}`, `${key}:${value}`)
  // The name of an SDK matches from the beginning of any of its words anyway.
  if (token.isStart && key !== 'sdk') return readStart(token, key)
  const read = readCondition(list, key as FilterName, value, nowMs)
  return read.ok ? read : refuse(`${source}: ${read.error.why}`, suggested(token, read.error.suggestion))
}

const suggested = ({ isNegated, key }: Token, value: string | null): string | null =>
  value === null ? null : `${isNegated ? '-' : ''}${key}:${value}`

function readText(list: QueryList, { source, value, isQuoted }: Token): Result<ListFilter, Problem> {
  if (!hasText(list))
    return refuse(`${source} does not apply: ${list} have no texts; use one of ${keysOf(list).join(', ')}`)
  if (isQuoted && value.trim() !== '') return succeed({ phrases: [value.toLowerCase()] })
  const read = searchTokens(value, 0)
  return read.ok ? succeed({ text: read.value }) : refuse(`${source} ${read.error.why}`)
}

function refuseKey(list: QueryList, { source, value, isNegated }: Token, key: string): Result<never, Problem> {
  const near = similarName(key, keysOf(list))
  const hint = near === null ? `valid are ${keysOf(list).join(', ')}` : `did you mean ${near}?`
  const quoted = hasText(list) ? '; quote it to search for it as text' : ''
  return refuse(
    `${source}: ${list} have no key ${key}; ${hint}${quoted}`,
    near === null ? null : `${isNegated ? '-' : ''}${near}:${value}`,
  )
}

function readComparison(
  { source, comparison, value, isNegated }: Token,
  key: OrderedKey,
  nowMs: number,
): Result<ListFilter, Problem> {
  if (comparison === null) return refuse(`${source}: ${key} is compared by > or <`, `${key}:>${value}`)
  const read = (key === 'duration' ? durationValue : timeValue)(value, nowMs)
  if (!read.ok) return refuse(`${source}: ${read.error.why}`)
  const us = read.value
  // Not longer than is at most so long: a range, which the index finds.
  const isMore = comparison.startsWith('>') !== isNegated
  const isStrict = (comparison.length === 1) !== isNegated
  if (key === 'duration')
    return succeed(isMore ? { minDurationUs: us + Number(isStrict) } : { maxDurationUs: us - Number(isStrict) })
  return succeed(isMore ? { sinceUs: us + Number(isStrict) } : { untilUs: us + Number(!isStrict) })
}

function readStart({ source, value }: Token, key: string): Result<ListFilter, Problem> {
  return takesStart(key)
    ? succeed({ starts: { [key]: value } })
    : refuse(`${source}: ${key} is compared as a whole; give it without *`, `${key}:${value}`)
}

/** Its negation is a comparison, too. */
const isComparison = (key: string | null): boolean => key !== null && isOrdered(key)

/** Joins the terms: equal keys by or, all others by and. */
function combine(terms: readonly QueryTerm[], given: ListFilter): ListFilter {
  let filter = given
  const any: (readonly ListFilter[])[] = [...(given.any ?? [])]
  const byKey = new Map<string, ListFilter[]>()
  for (const [index, { key, isNegated, condition }] of terms.entries()) {
    if (isNegated && !isComparison(key)) continue
    // Words and comparisons of one key all hold.
    const name = key === null || isComparison(key) ? `${index}` : key
    byKey.set(name, [...(byKey.get(name) ?? []), condition])
  }
  for (const group of byKey.values()) {
    const [only] = group
    const merged = group.length === 1 && only !== undefined ? merge(filter, only) : null
    if (merged === null) any.push(group)
    else filter = merged
  }
  const not = [
    ...(given.not ?? []),
    ...terms.filter(({ key, isNegated }) => isNegated && !isComparison(key)).map(({ condition }) => condition),
  ]
  return { ...filter, ...(any.length > 0 && { any }), ...(not.length > 0 && { not }) }
}

/** Adds a condition; `null` when the filter has another one on the same field. */
function merge(filter: ListFilter, { text = [], phrases = [], starts = {}, ...fields }: ListFilter): ListFilter | null {
  const isTaken = Object.keys(fields).some((field) => filter[field as keyof ListFilter] !== undefined)
  if (isTaken || Object.keys(starts).some((field) => field in (filter.starts ?? {}))) return null
  const words = [...new Set([...(filter.text ?? []), ...text])]
  return {
    ...filter,
    ...fields,
    ...(words.length > 0 && { text: words }),
    ...(phrases.length > 0 && { phrases: [...(filter.phrases ?? []), ...phrases] }),
    ...(Object.keys(starts).length > 0 && { starts: { ...filter.starts, ...starts } }),
  }
}

/** A value as it is written in a query: in quotation marks when it has spaces or would read as something else. */
export const quoteValue = (value: string): string =>
  /^$|\s|"|^[-<>]|\*$|^\/\//.test(value) ? `"${value.replaceAll('"', '""')}"` : value

/** The term for a value, for a click on it. */
export const termOf = (key: string, value: string, isNegated = false): string =>
  `${isNegated ? '-' : ''}${key}:${quoteValue(value)}`
