import { DELIVERY_STATUSES } from '../../lib/protocol/outcome'
import { ENDPOINTS } from '../../lib/protocol/request'
import type { FilterName } from '../../lib/wire/filter'
import { filterWords } from './filter-text'
import { endpointName, itemName } from './labels'
import { ledgerHref } from './links'
import { deliveryStatusWords } from './status-text'

export interface Option {
  readonly value: string
  readonly label: string
  /** Where those are listed, when that is elsewhere. */
  readonly href?: string
}

/** One thing that a list can be narrowed by at a press. */
export interface Choice {
  readonly name: FilterName
  /** What stands on the control while nothing is chosen: `Status`. */
  readonly label: string
  readonly options: readonly Option[]
  /** There are other values than these: they can be typed. */
  readonly open: boolean
}

/** What was seen in the rows of a list, by the name of its parameter. */
export type Seen = Readonly<Partial<Record<FilterName, readonly string[]>>>

const plain = (values: readonly string[]): readonly Option[] => values.map((value) => ({ value, label: value }))

const worded = (name: FilterName, values: readonly string[]): readonly Option[] =>
  values.map((value) => ({ value, label: filterWords(name, value, 0) }))

const STATUS: Choice = { name: 'status', label: 'Status', options: plain(['ok', 'error', 'unset']), open: false }

const TIME: Choice = {
  name: 'since',
  label: 'Time',
  options: worded('since', ['5m', '15m', '1h', '6h', '1d', '7d']),
  open: true,
}

const DURATION: Choice = {
  name: 'min_duration',
  label: 'Duration',
  options: worded('min_duration', ['100ms', '250ms', '500ms', '1s', '5s', '30s']),
  open: true,
}

/** As SDKs name them, the worst first; others are added as they are seen. */
const EVENT_LEVELS = ['fatal', 'error', 'warning', 'info', 'debug']

/** Whose values are the senders' own: those that were seen. */
const seenOf = (name: FilterName, label: string, seen: Seen, first: readonly string[] = []): Choice => ({
  name,
  label,
  options: plain([...new Set([...first, ...(seen[name] ?? [])])]),
  open: true,
})

/** By the names that lists call them by. */
function typeOf(seen: Seen): Choice {
  const choice = seenOf('type', 'Item type', seen)
  return { ...choice, options: choice.options.map(({ value }) => ({ value, label: itemName(value) })) }
}

const about = (seen: Seen): readonly Choice[] => [
  seenOf('service', 'Service', seen),
  seenOf('environment', 'Environment', seen),
  seenOf('release', 'Release', seen),
]

export const traceChoices = (seen: Seen): readonly Choice[] => [
  STATUS,
  seenOf('op', 'Op', seen),
  ...about(seen),
  DURATION,
  TIME,
]

export const eventChoices = (seen: Seen): readonly Choice[] => [
  seenOf('level', 'Level', seen, EVENT_LEVELS),
  { name: 'handled', label: 'Handled', options: worded('handled', ['false', 'true', 'unknown']), open: false },
  ...about(seen),
  TIME,
]

/** @param level what the kind calls its level; `null` where it has none. */
export const signalChoices = (seen: Seen, level: string | null): readonly Choice[] => [
  ...(level === null ? [] : [seenOf('level', level, seen)]),
  ...about(seen),
  TIME,
]

export const envelopeChoices = (seen: Seen): readonly Choice[] => [
  typeOf(seen),
  {
    name: 'endpoint',
    label: 'Endpoint',
    options: ENDPOINTS.map((value) => ({ value, label: endpointName(value) })),
    open: false,
  },
  {
    name: 'deliveryStatus',
    label: 'Delivery',
    options: [
      ...DELIVERY_STATUSES.map((value) => ({ value, label: deliveryStatusWords(value).word })),
      { value: 'dead_letter', label: 'dead letters: their list', href: ledgerHref('dead-letters') },
    ],
    open: false,
  },
  seenOf('environment', 'Environment', seen),
  TIME,
]

/** What upstreams answer most often, beside what was seen. */
const ANSWERS = ['none', '200', '400', '413', '429', '500', '503']

export const attemptChoices = (seen: Seen): readonly Choice[] => [
  {
    name: 'status',
    label: 'Answer',
    options: [...new Set([...ANSWERS, ...(seen.status ?? [])])].map((value) => ({
      value,
      label: value === 'none' ? filterWords('status', value, 0) : value,
    })),
    open: true,
  },
  seenOf('upstream', 'Upstream', seen),
  TIME,
]

/** A list of choices that is longer than this is no help; the rest can be typed. */
const MOST_VALUES = 30

/** What the values of one row are, by the name of the parameter that asks for them. */
export type ValuesOf<Row> = (row: Row) => Readonly<Partial<Record<FilterName, string | null | readonly string[]>>>

/**
 * With what these rows hold: a list that was narrowed shows one value of many, and the others stay to be chosen.
 * The same object where nothing is new.
 */
export function addSeen<Row>(seen: Seen, rows: readonly Row[], valuesOf: ValuesOf<Row>): Seen {
  const added = new Map<FilterName, Set<string>>()
  for (const row of rows) {
    for (const [name, value] of Object.entries(valuesOf(row)) as [FilterName, string | null | readonly string[]][]) {
      const known = seen[name] ?? []
      for (const one of typeof value === 'string' ? [value] : (value ?? [])) {
        if (one === '' || known.includes(one)) continue
        const fresh = added.get(name) ?? new Set()
        if (known.length + fresh.size < MOST_VALUES) added.set(name, fresh.add(one))
      }
    }
  }
  if (added.size === 0) return seen
  const grown = [...added].map(([name, fresh]) => [name, [...(seen[name] ?? []), ...fresh].sort()])
  return { ...seen, ...Object.fromEntries(grown) }
}
