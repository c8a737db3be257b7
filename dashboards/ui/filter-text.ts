import { formatDurationUs, plural } from '../../lib/format'
import { DELIVERY_STATUSES } from '../../lib/protocol/outcome'
import { ENDPOINTS } from '../../lib/protocol/request'
import type { FilterName } from '../../lib/wire/filter'
import { type AnyFilter, type BoardList, filterNames } from './filter-address'
import { endpointName, itemName } from './labels'
import { printable } from './printable'
import { deliveryStatusWords } from './status-text'
import { formatShortMoment } from './times'

const US_OF_UNIT: Readonly<Record<string, number>> = { us: 1, ms: 1000, s: 1e6, m: 60e6, h: 3600e6 }
const AGE_UNITS: Readonly<Record<string, string>> = { s: 'second', m: 'minute', h: 'hour', d: 'day' }

/** Names that are not the word a reader knows the thing by. */
const CALLED: { readonly [Name in FilterName]?: string } = { deliveryStatus: 'delivery', sdk: 'SDK' }

const HANDLED: Readonly<Record<string, string>> = {
  true: 'handled',
  false: 'unhandled',
  unknown: 'not said whether handled',
}

/** One part of a filter in words: `op is pageload`, `250 ms or longer`, `last 15 minutes`. */
export function filterWords(name: FilterName, value: string, nowMs: number): string {
  const said = printable(value)
  if (name === 'min_duration') return `${durationWords(said)} or longer`
  if (name === 'max_duration') return `${durationWords(said)} or shorter`
  const age = name === 'since' || name === 'until' ? ageWords(value) : null
  if (name === 'since') return age === null ? `since ${momentWords(said, nowMs)}` : `last ${age.replace(/^1 /, '')}`
  if (name === 'until') return age === null ? `before ${momentWords(said, nowMs)}` : `more than ${age} ago`
  if (name === 'text') return `“${said}”`
  if (name === 'type') return `with ${itemName(said)}`
  if (name === 'status' && value === 'none') return 'no answer came'
  if (name === 'handled') return HANDLED[value] ?? `handled is ${said}`
  const endpoint = name === 'endpoint' ? ENDPOINTS.find((one) => one === value) : undefined
  if (endpoint !== undefined) return `endpoint is ${endpointName(endpoint)}`
  const deliveryStatus = name === 'deliveryStatus' ? DELIVERY_STATUSES.find((one) => one === value) : undefined
  if (deliveryStatus !== undefined) return `delivery is ${deliveryStatusWords(deliveryStatus).word}`
  if (name === 'trace') return `trace is ${said.slice(0, 8)}`
  return `${CALLED[name] ?? name} is ${said}`
}

/** All parts of a filter, in the order of the list's names. */
export const allFilterWords = (
  names: readonly FilterName[],
  filter: AnyFilter,
  nowMs: number,
): readonly { readonly name: FilterName; readonly words: string }[] =>
  names.flatMap((name) => {
    const value = filter[name]
    return value === undefined ? [] : [{ name, words: filterWords(name, value, nowMs) }]
  })

/** What the rows beside a refused filter are: those of the last one that meant something. */
export function stillShowing(noun: string, list: BoardList, filter: AnyFilter, nowMs: number): string {
  const words = allFilterWords(filterNames(list), filter, nowMs).map((part) => part.words)
  return `Still showing: ${words.length === 0 ? `all ${noun}` : words.join(', ')}.`
}

function durationWords(value: string): string {
  const [, amount, unit = 'ms'] = /^(\d+(?:\.\d+)?)(us|ms|s|m|h)?$/.exec(value) ?? []
  const scale = US_OF_UNIT[unit]
  return amount === undefined || scale === undefined ? value : withoutZeros(formatDurationUs(Number(amount) * scale))
}

/** What was typed had no `.00`, and `1.50 s` is no nearer than `1.5 s`. */
const withoutZeros = (formatted: string): string => formatted.replace(/\.0+(?= )|(\.\d*?[1-9])0+(?= )/, '$1')

/** `15 minutes`, `1 hour`; `null` where it is no age. */
function ageWords(value: string): string | null {
  const [, amount, unit = ''] = /^(\d+(?:\.\d+)?)([smhd])$/.exec(value) ?? []
  const word = AGE_UNITS[unit]
  if (amount === undefined || word === undefined) return null
  return plural(Number(amount), word)
}

function momentWords(value: string, nowMs: number): string {
  const number = /^\d+(?:\.\d+)?$/.test(value) ? Number(value) : null
  const atMs = number === null ? Date.parse(value) : number < 1e11 ? number * 1000 : number
  if (Number.isNaN(atMs)) return value
  const short = formatShortMoment(atMs, nowMs)
  const year = new Date(atMs).getFullYear()
  const isDated = /^\d\d-/.test(short)
  return isDated && year !== new Date(nowMs).getFullYear() ? `${year}-${short}` : short
}
