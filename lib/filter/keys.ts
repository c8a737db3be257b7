import { KNOWN_TYPES } from '../protocol/data-category'
import { DELIVERY_STATUSES } from '../protocol/outcome'
import { ENDPOINTS } from '../protocol/request'
import { type FilteredList, type FilterName, LIST_FILTERS } from '../wire/filter'
import { START_FIELDS, type StartField } from '../wire/list-filter'

/** The lists that can be filtered by one text, `q=`. */
export const QUERY_LISTS = ['traces', 'segments', 'events', 'errors', 'signals', 'envelopes', 'deliveries'] as const
export type QueryList = (typeof QUERY_LISTS)[number]

export const isQueryList = (list: FilteredList): list is QueryList => QUERY_LISTS.some((one) => one === list)

/** Keys with an order: `duration:>20ms`. */
const ORDERED = { duration: 'min_duration', time: 'since' } as const
export type OrderedKey = keyof typeof ORDERED

/** Parameters that stand for a comparison, or for words. */
const NOT_KEYS: readonly FilterName[] = ['min_duration', 'max_duration', 'since', 'until', 'text']

export const isOrdered = (key: string): key is OrderedKey => key in ORDERED

export const hasText = (list: QueryList): boolean => parametersOf(list).includes('text')

const parametersOf = (list: QueryList): readonly FilterName[] => LIST_FILTERS[list]

/** The keys of a list, in the order in which they are offered. */
export const keysOf = (list: QueryList): readonly string[] => [
  ...parametersOf(list).filter((name) => !NOT_KEYS.includes(name)),
  ...(Object.keys(ORDERED) as OrderedKey[]).filter((key) => parametersOf(list).includes(ORDERED[key])),
]

export const isKey = (list: QueryList, key: string): key is FilterName | OrderedKey => keysOf(list).includes(key)

/** Whether `key:a*` is possible. The level of an attempt's answer and ids are compared as a whole. */
export const takesStart = (key: string): key is StartField => START_FIELDS.some((field) => field === key)

/** Values that completion offers for a key without a request: examples of comparisons, or all valid values. */
export const KEY_VALUES: { readonly [Key in FilterName | OrderedKey]?: readonly string[] } = {
  duration: ['>100ms', '>1s', '<10ms'],
  time: ['>15m', '>1h', '<1d'],
  status: ['ok', 'error', 'unset'],
  level: ['fatal', 'error', 'warning', 'info', 'debug'],
  handled: ['true', 'false', 'unknown'],
  lifecycle: ['static', 'stream', 'otlp'],
  own: ['hide', 'show', 'only'],
  muted: ['no', 'only', 'all'],
  type: KNOWN_TYPES,
  endpoint: ENDPOINTS,
  delivery: DELIVERY_STATUSES,
}

/** Keys whose values are counted in the newest rows (`GET /query/values`). */
export const COUNTED_KEYS: Readonly<Record<QueryList, readonly string[]>> = {
  traces: ['op', 'name', 'status', 'environment', 'release', 'service'],
  segments: [...['op', 'name', 'status', 'environment', 'release', 'service', 'stamp', 'lifecycle', 'page', 'project']],
  events: ['level', 'handled', 'name', 'environment', 'release', 'service', 'stamp', 'page', 'project'],
  errors: ['level', 'handled', 'environment', 'release', 'service'],
  signals: ['level', 'name', 'environment', 'release', 'service', 'stamp', 'page', 'project'],
  envelopes: ['type', 'endpoint', 'environment', 'sdk', 'stamp', 'page', 'project'],
  deliveries: ['status', 'upstream'],
}
