import { similarName } from '../config/nearest'
import { addToGroup } from '../group-by'
import { fail, type Result, succeed } from '../protocol/result'
import type { AnalysedSpan } from '../protocol/trace/time-tree'
import { hasTexts, statusOf } from '../wire/list-filter'
import { MAX_QUERY_TERMS, type QueryProblem } from './query'
import { splitQuery, type Token } from './tokens'
import { durationValue, readCondition, searchTokens } from './values'

export interface SearchedSpan extends AnalysedSpan {
  readonly httpStatus?: number | null
}

export interface TraceSearch {
  /** Ids of the spans that match; of all spans when no term applies. */
  readonly matches: ReadonlySet<string>
  /** Terms that do not apply; the others do. */
  readonly problems: readonly QueryProblem[]
}

type Matches = (span: SearchedSpan) => boolean

/** The keys whose values are compared as texts. */
const VALUES: Readonly<Record<string, (span: SearchedSpan) => string>> = {
  op: ({ op }) => op ?? '',
  name: ({ name }) => name,
  service: ({ service }) => service,
  status: ({ status }) => statusOf(status),
  http: ({ httpStatus }) => `${httpStatus ?? ''}`,
}
/** The keys of a search in a trace, in the order in which they are offered. */
export const SEARCH_KEYS: readonly string[] = [...Object.keys(VALUES), 'duration']

/**
 * Searches the spans of a trace with the grammar of lists (see `readQuery`). Of several values for one key one must hold, all
 * other terms must. `op:db` also matches the ops below it, such as `db.query`. `duration:>2%` is a share of the trace.
 * Words begin words of a name, an op or a span id. @param traceUs duration of the trace
 */
export function searchTrace(spans: readonly SearchedSpan[], query: string, traceUs: number): TraceSearch {
  const problems: QueryProblem[] = []
  const all: Matches[] = []
  const anyOf = new Map<string, Matches[]>()
  for (const [index, token] of splitQuery(query).entries()) {
    const { at, source, key, isNegated } = token
    const read =
      index < MAX_QUERY_TERMS
        ? readTerm(token, traceUs)
        : refuse(`${source} does not apply: a query has at most ${MAX_QUERY_TERMS} terms`)
    if (!read.ok) problems.push({ at, length: source.length, ...read.error })
    else if (isNegated) all.push((span) => !read.value(span))
    else if (key === null || key === 'duration') all.push(read.value)
    else addToGroup(anyOf, key, read.value)
  }
  for (const group of anyOf.values()) all.push((span) => group.some((matches) => matches(span)))
  const matches = new Set(spans.filter((span) => all.every((one) => one(span))).map(({ spanId }) => spanId))
  return { matches, problems }
}

const refuse = (
  message: string,
  suggestion: string | null = null,
): Result<never, Omit<QueryProblem, 'at' | 'length'>> => fail({ message, suggestion })

function readTerm(token: Token, traceUs: number): Result<Matches, Omit<QueryProblem, 'at' | 'length'>> {
  const { source, key, value, comparison, isNegated, isStart } = token
  if (!token.isClosed) return refuse(`${source}: the quotation has no end`, `${source}"`)
  if (key === null) return readText(token)
  const minus = isNegated ? '-' : ''
  if (value.trim() === '' && SEARCH_KEYS.includes(key)) return refuse(`${source} needs a value`)
  if (key === 'duration') return readDuration(token, traceUs)
  const readValue = Object.hasOwn(VALUES, key) ? VALUES[key] : undefined
  if (readValue === undefined) {
    const near = similarName(key, SEARCH_KEYS)
    const hint = near === null ? `valid are ${SEARCH_KEYS.join(', ')}` : `did you mean ${near}?`
    const message = `${source}: a trace is not searched by ${key}; ${hint}; quote it to search for it as text`
    return refuse(message, near === null ? null : `${minus}${near}:${comparison ?? ''}${value}`)
  }
  if (comparison !== null)
    return refuse(`${source}: ${key} has no order; compare it as ${key}:${value}`, `${minus}${key}:${value}`)
  if (key === 'status' && !isStart) {
    const read = readCondition('spans', key, value, 0)
    if (!read.ok) return refuse(`${source}: ${read.error.why}`)
  }
  return succeed((span) => {
    const found = readValue(span)
    return isStart ? found.startsWith(value) : found === value || (key === 'op' && found.startsWith(`${value}.`))
  })
}

function readDuration({ source, comparison, value }: Token, traceUs: number): ReturnType<typeof readTerm> {
  if (comparison === null) return refuse(`${source}: duration is compared by > or <`, `duration:>${value}`)
  const share = /^(\d{1,3}(?:\.\d{1,6})?)%$/.exec(value)?.[1]
  const read = share === undefined ? durationValue(value, 0) : succeed((traceUs * Number(share)) / 100)
  if (!read.ok) return refuse(`${source}: ${read.error.why}; or a share of the trace such as 2%`)
  const us = read.value
  const compare: (durationUs: number) => boolean = {
    '>': (durationUs: number) => durationUs > us,
    '>=': (durationUs: number) => durationUs >= us,
    '<': (durationUs: number) => durationUs < us,
    '<=': (durationUs: number) => durationUs <= us,
  }[comparison]
  return succeed(({ startUs, endUs }) => compare(endUs - startUs))
}

function readText({ source, value, isQuoted }: Token): ReturnType<typeof readTerm> {
  const textsOf = ({ name, op, spanId }: SearchedSpan) => [name, op, spanId]
  if (isQuoted && value.trim() !== '') {
    const phrases = [value.toLowerCase()]
    return succeed((span) => hasTexts({ phrases }, () => textsOf(span)))
  }
  const read = searchTokens(value, 0)
  if (!read.ok) return refuse(`${source} ${read.error.why}`)
  // Most texts are ASCII, in which a word begins after any other character: five times as fast as splitting each.
  const begins = read.value.map((word) => new RegExp(`(?<![a-z\\d])${word}`, 'i'))
  return succeed((span) => {
    const whole = textsOf(span).join(' ')
    return /^[\0-\x7f]*$/.test(whole)
      ? begins.every((one) => one.test(whole))
      : hasTexts({ text: read.value }, () => textsOf(span))
  })
}
