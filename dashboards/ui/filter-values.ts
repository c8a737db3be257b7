import { DELIVERY_STATUSES } from '../../lib/protocol/outcome'
import { ENDPOINTS } from '../../lib/protocol/request'
import type { FilterName } from '../../lib/wire/filter'
import { type BoardList, type FilterChanges, filterNames, isFilterName } from './filter-address'
import { endpointName, endpointText } from './labels'
import { statusNameText } from './status-text'

/** A name to type that stands for `min_duration` and `max_duration`. */
const DURATION = 'duration'

const hasDuration = (list: BoardList): boolean => isFilterName(list, 'min_duration')

const ALIASES: ReadonlyMap<string, FilterName> = new Map([
  ['env', 'environment'],
  ['from', 'since'],
  ['to', 'until'],
])

/** All names that can be typed for a list besides its parameters. */
export const aliases = (list: BoardList): readonly string[] => [
  ...[...ALIASES].flatMap(([name, known]) => (isFilterName(list, known) ? [name] : [])),
  ...(hasDuration(list) ? [DURATION] : []),
]

/** The parameter that a name or an alias stands for; `null` when the list has none. */
export function canonicalName(list: BoardList, name: string): FilterName | null {
  const known = ALIASES.get(name) ?? name
  return isFilterName(list, known) ? known : null
}

/** The filter changes for `name:value`; `null` when the list has neither the name nor an alias. */
export function partChanges(list: BoardList, name: string, value: string): FilterChanges | null {
  if (name === DURATION && hasDuration(list)) return durationChanges(value)
  const known = canonicalName(list, name)
  return known === null ? null : { [known]: canonicalValue(list, known, value) }
}

/** `>250ms`, `<2s`, `250ms..2s`; a bare duration is the minimum. */
function durationChanges(value: string): FilterChanges {
  const [, from, to] = /^(.*?)\.\.(.*)$/.exec(value) ?? []
  if (to !== undefined) return { ...(from && { min_duration: from }), ...(to && { max_duration: to }) }
  const bound = value.replace(/^[<>]=?/, '')
  return value.startsWith('<') ? { max_duration: bound } : { min_duration: bound }
}

/** The changes that replace aliases in an address (`env`, `duration`) by the list's parameters; `null` for none. */
export function canonicalAddress(list: BoardList, search: string): Readonly<Record<string, string | null>> | null {
  const params = new URLSearchParams(search)
  const replaced = [...params].flatMap(([name, value]) => {
    const changes = isFilterName(list, name) ? null : partChanges(list, name, value)
    if (changes === null) return []
    const isFree = Object.keys(changes).every((known) => !params.has(known))
    return [{ ...(isFree && changes), [name]: null }]
  })
  return replaced.length === 0 ? null : Object.assign({}, ...replaced)
}

/** The parts of a list's filter that a bare word is a value of: `accepted` is a delivery status, `tunnel` an endpoint. */
export function partsWithValue(list: BoardList, word: string): readonly (readonly [FilterName, string])[] {
  const closed: Readonly<Partial<Record<FilterName, readonly string[]>>> = {
    delivery: DELIVERY_STATUSES,
    endpoint: ENDPOINTS,
  }
  return filterNames(list).flatMap((name) => {
    const value = canonicalValue(list, name, word)
    return closed[name]?.includes(value) ? [[name, value] as const] : []
  })
}

type Synonyms = ReadonlyMap<string, string>

const NONE: Synonyms = new Map()
const HANDLED: Synonyms = new Map([
  ['yes', 'true'],
  ['handled', 'true'],
  ['no', 'false'],
  ['unhandled', 'false'],
])
const STATUS: Synonyms = new Map([
  ['failed', 'error'],
  ['fail', 'error'],
  ['errored', 'error'],
  ['succeeded', 'ok'],
  ['success', 'ok'],
])
/** The status of an attempt is the status code of the answer. */
const ANSWER: Synonyms = new Map([
  ['unanswered', 'none'],
  ['no answer', 'none'],
])
const DELIVERY: Synonyms = new Map(DELIVERY_STATUSES.map((status) => [statusNameText(status).word, status]))
/** Two endpoints may share a word, which then stands for neither. */
const ENDPOINT: Synonyms = new Map(
  ENDPOINTS.flatMap((endpoint) => {
    const { word } = endpointText(endpoint)
    return endpointName(endpoint) === word ? [[word, endpoint] as const] : []
  }),
)
/** SDKs use different words for the same level of an error and of a log. */
const EVENT_LEVEL: Synonyms = new Map([['warn', 'warning']])
/** Lists show an item of type event as an error. */
const TYPE: Synonyms = new Map([['error', 'event']])

/** The value as the collector spells it; unknown words stay as they are. */
function canonicalValue(list: BoardList, name: FilterName, value: string): string {
  return synonyms(list, name).get(value.toLowerCase()) ?? value
}

function synonyms(list: BoardList, name: FilterName): Synonyms {
  if (name === 'handled') return HANDLED
  if (name === 'status') return list === 'deliveries' ? ANSWER : STATUS
  if (name === 'delivery') return DELIVERY
  if (name === 'endpoint') return ENDPOINT
  if (name === 'type') return TYPE
  return name === 'level' && (list === 'events' || list === 'errors') ? EVENT_LEVEL : NONE
}

/** As seconds since the epoch a smaller number would be before September 2001, so it is an age without its unit. */
const LEAST_EPOCH = 1e9

export const lacksUnit = (value: string): boolean => /^\d+(?:\.\d+)?$/.test(value) && Number(value) < LEAST_EPOCH

const CLOCK = String.raw`(\d{1,2}):(\d\d)(?::(\d\d)(\.\d{1,3})?)?`
const TIME_OF_DAY = new RegExp(`^${CLOCK}$`)
const DATE = new RegExp(String.raw`^(\d{4})-(\d\d)-(\d\d)(?:[T ]${CLOCK})?$`)

/** Adds the zone to a local time, for shared addresses: `9:00` (the last one), `2026-11-21`. Keeps other text. */
export function withZone(value: string, nowMs: number): string {
  const atMs = timeOfDay(value, nowMs) ?? timeOfDate(value)
  return atMs === null ? value : new Date(atMs).toISOString().replace('.000Z', 'Z')
}

function timeOfDay(value: string, nowMs: number): number | null {
  const found = TIME_OF_DAY.exec(value)
  if (found === null) return null
  const now = new Date(nowMs)
  const onDay = (day: number) => localTime([now.getFullYear(), now.getMonth(), day], found.slice(1))
  const today = onDay(now.getDate())
  return today !== null && today > nowMs ? onDay(now.getDate() - 1) : today
}

function timeOfDate(value: string): number | null {
  const [all, year, month, day, ...clock] = DATE.exec(value) ?? []
  if (all === undefined) return null
  const atMs = localTime([Number(year), Number(month) - 1, Number(day)], clock)
  if (atMs === null) return null
  // The 31st of a shorter month would become a day of the next one.
  return new Date(atMs).getMonth() === Number(month) - 1 ? atMs : null
}

function localTime(
  [year, month, day]: readonly [number, number, number],
  [hour = '0', minute = '0', second = '0', rest = '0']: readonly (string | undefined)[],
): number | null {
  if (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) return null
  return new Date(year, month, day, Number(hour), Number(minute), Number(second), Number(rest) * 1000).getTime()
}
