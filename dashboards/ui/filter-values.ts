import { DELIVERY_STATUSES } from '../../lib/protocol/outcome'
import { ENDPOINTS } from '../../lib/protocol/request'
import type { FilterName } from '../../lib/wire/filter'
import { type BoardList, filterNames, isFilterName } from './filter-address'
import { endpointName, endpointWords } from './labels'
import { deliveryStatusWords } from './status-text'

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

/** A bare number below it is no moment that anybody means: as seconds it would be before September 2001. */
const LEAST_EPOCH = 1e9

const CLOCK = String.raw`(\d{1,2}):(\d\d)(?::(\d\d)(\.\d{1,3})?)?`
const TIME_OF_DAY = new RegExp(`^${CLOCK}$`)
const DATE = new RegExp(String.raw`^(\d{4})-(\d\d)-(\d\d)(?:[T ]${CLOCK})?$`)

/** Is it a number that wants a unit? */
export const wantsUnit = (value: string): boolean => /^\d+(?:\.\d+)?$/.test(value) && Number(value) < LEAST_EPOCH

/**
 * A time that says no zone is one of the reader's clock: `9:00`, which is the last time it was nine, `2026-11-21`,
 * `2026-11-21T18:00`. @returns it in ISO 8601 with its zone, as an address that is shared has to say it; what is no such
 * time, as it is.
 */
export function zonedTime(value: string, nowMs: number): string {
  const atMs = timeOfDay(value, nowMs) ?? timeOfDate(value)
  return atMs === null ? value : new Date(atMs).toISOString().replace('.000Z', 'Z')
}

function timeOfDay(value: string, nowMs: number): number | null {
  const found = TIME_OF_DAY.exec(value)
  if (found === null) return null
  const now = new Date(nowMs)
  const onDay = (day: number) => moment([now.getFullYear(), now.getMonth(), day], found.slice(1))
  const today = onDay(now.getDate())
  return today !== null && today > nowMs ? onDay(now.getDate() - 1) : today
}

function timeOfDate(value: string): number | null {
  const [all, year, month, day, ...clock] = DATE.exec(value) ?? []
  if (all === undefined) return null
  const atMs = moment([Number(year), Number(month) - 1, Number(day)], clock)
  if (atMs === null) return null
  // The thirty-first of a shorter month would be another day.
  return new Date(atMs).getMonth() === Number(month) - 1 ? atMs : null
}

function moment(
  [year, month, day]: readonly [number, number, number],
  [hour = '0', minute = '0', second = '0', rest = '0']: readonly (string | undefined)[],
): number | null {
  if (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) return null
  return new Date(year, month, day, Number(hour), Number(minute), Number(second), Number(rest) * 1000).getTime()
}
