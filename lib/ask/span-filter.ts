import { splitQuery, type Token } from '../filter/tokens'
import { type FilterName, type FilterOf, LIST_FILTERS } from '../wire/filter'
import { AskError } from './sources'

type SpanFilter = FilterOf<'spans'>

/** The parameters of comparisons, by key and direction. */
const COMPARED = {
  duration: { more: 'min_duration', less: 'max_duration' },
  time: { more: 'since', less: 'until' },
} as const

const PLAIN_KEYS = LIST_FILTERS.spans.filter((name) => !/duration|since|until|text/.test(name))
const VALID = `Valid keys of spans: ${[...PLAIN_KEYS, ...Object.keys(COMPARED)].join(', ')}.`

/**
 * Reads a query of spans. Their list has no grammar of its own, so each term becomes a parameter.
 * @throws AskError for a term that parameters cannot express
 */
export function spanFilter(query: string): SpanFilter {
  const words: string[] = []
  const filter: { [Name in FilterName<'spans'>]?: string } = {}
  for (const token of splitQuery(query)) {
    const name = parameterOf(token)
    if (name === null) words.push(token.value)
    else if (filter[name] !== undefined) throw refusal(token, `${token.key} is given twice`)
    else filter[name] = token.value
  }
  return words.length === 0 ? filter : { ...filter, text: words.join(' ') }
}

/** The parameter of a term; `null` for words. */
function parameterOf(token: Token): FilterName<'spans'> | null {
  const { key, isNegated, isStart, isClosed, comparison } = token
  if (!isClosed) throw refusal(token, 'the quotation has no end')
  if (isNegated || isStart) throw refusal(token, 'spans are found by whole values, without - and *')
  if (key === null) return null
  if (key === 'duration' || key === 'time') {
    if (comparison === null) throw refusal(token, `${key} is compared by > or <, such as ${key}:>${token.value}`)
    return COMPARED[key][comparison.startsWith('>') ? 'more' : 'less']
  }
  const name = PLAIN_KEYS.find((one) => one === key)
  if (name === undefined) throw refusal(token, `spans have no key ${key}`)
  if (comparison !== null) throw refusal(token, `${key} has no order`)
  return name
}

const refusal = ({ source }: Token, why: string): AskError => new AskError(`${source}: ${why}. ${VALID}`)
