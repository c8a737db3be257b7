import { ENDPOINTS } from '../../lib/protocol/endpoint'
import { DELIVERY_STATUSES } from '../../lib/protocol/outcome'
import type { FilterName } from '../../lib/wire/filter'
import { deliveryStatusWords } from './delivery-statuses'
import { endpointName, endpointWords } from './endpoints'
import { type BoardList, filterNames, isFilterName } from './filter-of-list'

/** Shorter names for those who type, and what the columns call a thing. */
const OTHER_NAMES: ReadonlyMap<string, FilterName> = new Map([
  ['env', 'environment'],
  ['from', 'since'],
  ['to', 'until'],
  ['delivery', 'deliveryStatus'],
])

/** The parameter of a list that a name stands for; `null` where the list has none. */
export function nameMeant(list: BoardList, name: string): FilterName | null {
  const known = OTHER_NAMES.get(name) ?? name
  return isFilterName(list, known) ? known : null
}

/** What else than its parameters a list can be narrowed by. */
export const otherNames = (list: BoardList): readonly string[] =>
  [...OTHER_NAMES].flatMap(([name, known]) => (isFilterName(list, known) ? [name] : []))

type Words = ReadonlyMap<string, string>

const HANDLED: Words = new Map([
  ['yes', 'true'],
  ['handled', 'true'],
  ['no', 'false'],
  ['unhandled', 'false'],
])

const STATUS: Words = new Map([
  ['failed', 'error'],
  ['fail', 'error'],
  ['errored', 'error'],
  ['succeeded', 'ok'],
  ['success', 'ok'],
])

/** Of an attempt it is the number that upstream answered. */
const ANSWER: Words = new Map([
  ['unanswered', 'none'],
  ['no answer', 'none'],
])

const DELIVERY_STATUS: Words = new Map(
  DELIVERY_STATUSES.map((deliveryStatus) => [deliveryStatusWords(deliveryStatus).word, deliveryStatus]),
)

/** Where two endpoints have one word it is neither's. */
const ENDPOINT: Words = new Map(
  ENDPOINTS.flatMap((endpoint) => {
    const { word } = endpointWords(endpoint)
    return endpointName(endpoint) === word ? [[word, endpoint] as const] : []
  }),
)

/** SDKs call the same level of an error and of a log by two words. */
const EVENT_LEVEL: Words = new Map([['warn', 'warning']])

/** Lists call an event an error. */
const TYPE: Words = new Map([['error', 'event']])

/** The value that a word stands for, as the collector spells it; the word itself where it stands for nothing else. */
export function valueMeant(list: BoardList, name: FilterName, value: string): string {
  return wordsOf(list, name).get(value.toLowerCase()) ?? value
}

const NONE: Words = new Map()

function wordsOf(list: BoardList, name: FilterName): Words {
  if (name === 'handled') return HANDLED
  if (name === 'status') return list === 'deliveries' ? ANSWER : STATUS
  if (name === 'deliveryStatus') return DELIVERY_STATUS
  if (name === 'endpoint') return ENDPOINT
  if (name === 'type') return TYPE
  return name === 'level' && list === 'events' ? EVENT_LEVEL : NONE
}

/** The parts of a list's filter that a bare word is a value of: `accepted` is a status, `tunnel` a endpoint. */
export function partsNamedBy(list: BoardList, word: string): readonly (readonly [FilterName, string])[] {
  const closed: Readonly<Partial<Record<FilterName, readonly string[]>>> = {
    deliveryStatus: DELIVERY_STATUSES,
    endpoint: ENDPOINTS,
  }
  return filterNames(list).flatMap((name) => {
    const value = valueMeant(list, name, word)
    return closed[name]?.includes(value) ? [[name, value] as const] : []
  })
}
