import { DELIVERY_STATUSES } from '../../lib/protocol/outcome'
import { ENDPOINTS } from '../../lib/protocol/request'
import type { FilterName } from '../../lib/wire/filter'
import { filterText } from './filter-text'
import { endpointName, itemName } from './labels'
import { ledgerHref } from './links'
import { statusNameText } from './status-text'

interface Option {
  readonly value: string
  readonly label: string
  /** Choosing it opens this page instead. */
  readonly href?: string
}

export interface Choice {
  readonly name: FilterName
  /** The text of the control while nothing is chosen: `Status`. */
  readonly label: string
  readonly options: readonly Option[]
  /** Other values exist and can be typed. */
  readonly open: boolean
}

/** Values of the rows that were visible since the page was opened, by parameter. */
export type SeenValues = Readonly<Partial<Record<FilterName, readonly string[]>>>

const plain = (values: readonly string[]): readonly Option[] => values.map((value) => ({ value, label: value }))

const described = (name: FilterName, values: readonly string[]): readonly Option[] =>
  values.map((value) => ({ value, label: filterText(name, value, 0) }))

const STATUS: Choice = { name: 'status', label: 'Status', options: plain(['ok', 'error', 'unset']), open: false }

const TIME: Choice = {
  name: 'since',
  label: 'Time',
  options: described('since', ['5m', '15m', '1h', '6h', '1d', '7d']),
  open: true,
}

const DURATION: Choice = {
  name: 'min_duration',
  label: 'Duration',
  options: described('min_duration', ['100ms', '250ms', '500ms', '1s', '5s', '30s']),
  open: true,
}

/** The levels of the SDKs, most severe first; others are added when rows have them. */
const EVENT_LEVELS = ['fatal', 'error', 'warning', 'info', 'debug']

const seenOf = (name: FilterName, label: string, seen: SeenValues, first: readonly string[] = []): Choice => ({
  name,
  label,
  options: plain([...new Set([...first, ...(seen[name] ?? [])])]),
  open: true,
})

function itemTypes(seen: SeenValues): Choice {
  const choice = seenOf('type', 'Item type', seen)
  return { ...choice, options: choice.options.map(({ value }) => ({ value, label: itemName(value) })) }
}

const commonChoices = (seen: SeenValues): readonly Choice[] => [
  seenOf('service', 'Service', seen),
  seenOf('environment', 'Environment', seen),
  seenOf('release', 'Release', seen),
]

export const traceChoices = (seen: SeenValues): readonly Choice[] => [
  STATUS,
  seenOf('op', 'Op', seen),
  ...commonChoices(seen),
  DURATION,
  TIME,
]

export const eventChoices = (seen: SeenValues): readonly Choice[] => [
  seenOf('level', 'Level', seen, EVENT_LEVELS),
  { name: 'handled', label: 'Handled', options: described('handled', ['false', 'true', 'unknown']), open: false },
  ...commonChoices(seen),
  TIME,
]

/** @param level the heading of the level column; `null` for a kind without levels */
export const signalChoices = (seen: SeenValues, level: string | null): readonly Choice[] => [
  ...(level === null ? [] : [seenOf('level', level, seen)]),
  ...commonChoices(seen),
  TIME,
]

export const envelopeChoices = (seen: SeenValues): readonly Choice[] => [
  itemTypes(seen),
  {
    name: 'endpoint',
    label: 'Endpoint',
    options: ENDPOINTS.map((value) => ({ value, label: endpointName(value) })),
    open: false,
  },
  {
    name: 'delivery',
    label: 'Delivery',
    options: [
      ...DELIVERY_STATUSES.map((value) => ({ value, label: statusNameText(value).word })),
      { value: 'dead_letter', label: 'dead letters (own list)', href: ledgerHref('dead-letters') },
    ],
    open: false,
  },
  seenOf('environment', 'Environment', seen),
  TIME,
]

const ANSWERS = ['none', '200', '400', '413', '429', '500', '503']

export const attemptChoices = (seen: SeenValues): readonly Choice[] => [
  {
    name: 'status',
    label: 'Answer',
    options: [...new Set([...ANSWERS, ...(seen.status ?? [])])].map((value) => ({
      value,
      label: value === 'none' ? filterText('status', value, 0) : value,
    })),
    open: true,
  },
  seenOf('upstream', 'Upstream', seen),
  TIME,
]

/** Longer lists do not help; other values can be typed. */
const MOST_VALUES = 30

export type ValuesOf<Row> = (row: Row) => Readonly<Partial<Record<FilterName, string | null | readonly string[]>>>

/** Collects the values of rows; a filtered list shows few. Returns the same object when nothing is new. */
export function addSeenValues<Row>(seen: SeenValues, rows: readonly Row[], valuesOf: ValuesOf<Row>): SeenValues {
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
