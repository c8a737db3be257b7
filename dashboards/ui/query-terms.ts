import { isOrdered, type QueryList } from '../../lib/filter/keys'
import { quoteValue, termOf } from '../../lib/filter/query'
import { splitQuery, type Token } from '../../lib/filter/tokens'
import { type FilterName, LIST_FILTERS } from '../../lib/wire/filter'

/** The term for a value that a menu or the completion offers: `op:pageload`, `duration:>1s`. */
export const offeredTerm = (key: string, value: string): string =>
  isOrdered(key) ? `${key}:${value}` : termOf(key, value)

/** Whether the query has a term, in quotation marks or not. */
export const hasTerm = (query: string, term: string): boolean => splitQuery(query).some((token) => isTerm(token, term))

export const withoutTerm = (query: string, term: string): string => withoutTokens(query, (token) => isTerm(token, term))

export const withoutKey = (query: string, key: string): string => withoutTokens(query, (token) => token.key === key)

/** Adds a term or removes it. Of a key with an order one comparison stays. */
export function toggleTerm(query: string, key: string, term: string): string {
  if (hasTerm(query, term)) return withoutTerm(query, term)
  return withTerm(isOrdered(key) ? withoutKey(query, key) : query, term)
}

/** Keeps the rows with this value, or those without it. Replaces other values of the key that were chosen before. */
export function narrowQuery(query: string, key: string, value: string, isExcluded: boolean): string {
  const opposite = termOf(key, value, !isExcluded)
  const rest = withoutTokens(query, (token) =>
    isExcluded ? isTerm(token, opposite) : token.key === key && (!token.isNegated || isTerm(token, opposite)),
  )
  const term = termOf(key, value, isExcluded)
  return hasTerm(rest, term) ? rest : withTerm(rest, term)
}

const withTerm = (query: string, term: string): string => [withoutTokens(query, () => false), term].join(' ').trim()

function withoutTokens(query: string, isDropped: (token: Token) => boolean): string {
  return splitQuery(query)
    .filter((token) => !isDropped(token))
    .map(({ source, isClosed }) => (isClosed ? source : `${source}"`))
    .join(' ')
}

function isTerm(token: Token, term: string): boolean {
  const [other] = splitQuery(term)
  return other !== undefined && meaningOf(token) === meaningOf(other)
}

const meaningOf = ({ key, isNegated, comparison, value, isStart }: Token): string =>
  JSON.stringify([key, isNegated, comparison, value, isStart])

/** The projects that a query covers: `all projects`, `projects 1 or 7`, `all projects but 7`. */
export function projectScope(query: string): string {
  const terms = splitQuery(query).filter(({ key }) => key === 'project')
  const named = (isNegated: boolean): readonly string[] =>
    terms.filter((term) => term.isNegated === isNegated).map(({ value, isStart }) => `${value}${isStart ? '*' : ''}`)
  const [kept, dropped] = [named(false), named(true)]
  const which = kept.length === 0 ? 'all projects' : `project${kept.length === 1 ? '' : 's'} ${kept.join(' or ')}`
  return dropped.length === 0 ? which : `${which} but ${dropped.join(' and ')}`
}

/**
 * The part of a query that applies while it is being typed: without a term at its end that may go on. Words apply at
 * once, because each finds what begins with it.
 */
export function settledPart(typed: string): string {
  const last = splitQuery(typed).at(-1)
  if (last === undefined) return ''
  const goesOn = (last.key !== null && !last.isQuoted) || last.isNegated
  return !last.isClosed || (goesOn && !/\s$/.test(typed)) ? typed.slice(0, last.at) : typed
}

const COMPARISONS: { readonly [Name in FilterName]?: string } = {
  min_duration: 'duration:>=',
  max_duration: 'duration:<=',
  since: 'time:>=',
  until: 'time:<',
}

const ALIASES: Readonly<Record<string, FilterName>> = { env: 'environment', from: 'since', to: 'until' }

/** The parameters of an address that a query replaces: the filters of the list, and shorter names of some. */
export const oldParameters = (list: QueryList): readonly string[] => [
  ...LIST_FILTERS[list],
  ...Object.keys(ALIASES).filter((name) => isFilterName(list, ALIASES[name] ?? '')),
  ...(isFilterName(list, 'min_duration') ? ['duration'] : []),
]

const isFilterName = (list: QueryList, name: string): name is FilterName =>
  LIST_FILTERS[list].some((one) => one === name)

/** The changes that move filters of an address into its query; `null` when it has none. @param own the page's parameters */
export function queryOfAddress(
  list: QueryList,
  search: string,
  own: readonly string[],
): Readonly<Record<string, string | null>> | null {
  const old = oldParameters(list).filter((name) => !own.includes(name))
  const given = [...new URLSearchParams(search)].filter(([name]) => old.includes(name))
  if (given.length === 0) return null
  const query = new URLSearchParams(search).get('q')
  const terms = [query, ...given.map(([name, value]) => (value === '' ? '' : termOfParameter(name, value)))]
  return {
    ...Object.fromEntries(given.map(([name]) => [name, null])),
    q: terms.filter(Boolean).join(' '),
  }
}

function termOfParameter(name: string, value: string): string {
  const filter = ALIASES[name] ?? name
  if (filter === 'text') return value.trim().split(/\s+/).map(quoteWord).join(' ')
  if (filter === 'duration') return `duration:${/^[<>]/.test(value) ? value : `>=${value}`}`
  const comparison = COMPARISONS[filter as FilterName]
  return comparison === undefined ? termOf(filter, value) : `${comparison}${quoteValue(value)}`
}

/** A word as it is typed: in quotation marks when it would read as something else. */
function quoteWord(word: string): string {
  const [token, ...more] = splitQuery(word)
  const isWord = more.length === 0 && token?.key === null && token.value === word && !token.isQuoted
  return isWord ? word : `"${word.replaceAll('"', '""')}"`
}
