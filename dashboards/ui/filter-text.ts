import { formatDurationUs, plural, withoutTrailingZeros } from '../../lib/format'
import { DELIVERY_STATUSES } from '../../lib/protocol/outcome'
import { ENDPOINTS } from '../../lib/protocol/request'
import type { FilterName } from '../../lib/wire/filter'
import { type AnyFilter, type BoardList, filterNames } from './filter-address'
import { endpointName, itemName } from './labels'
import { printable } from './printable'
import { statusNameText } from './status-text'
import { formatShortTime } from './times'

const US_OF_UNIT: Readonly<Record<string, number>> = { us: 1, ms: 1000, s: 1e6, m: 60e6, h: 3600e6 }
const AGE_UNITS: Readonly<Record<string, string>> = { s: 'second', m: 'minute', h: 'hour', d: 'day' }

const HANDLED: Readonly<Record<string, string>> = {
  true: 'handled',
  false: 'unhandled',
  unknown: 'handling unknown',
}

const MUTED: Readonly<Record<string, string>> = { no: 'not muted', only: 'muted', all: 'muted or not' }

/** One part of a filter as text: `op is pageload`, `250 ms or longer`, `last 15 minutes`. */
export function filterText(name: FilterName, value: string, nowMs: number): string {
  const shown = printable(value)
  if (name === 'min_duration') return `${durationText(shown)} or longer`
  if (name === 'max_duration') return `${durationText(shown)} or shorter`
  const age = name === 'since' || name === 'until' ? ageText(value) : null
  if (name === 'since') return age === null ? `since ${timeText(shown, nowMs)}` : `last ${age.replace(/^1 /, '')}`
  if (name === 'until') return age === null ? `before ${timeText(shown, nowMs)}` : `more than ${age} ago`
  if (name === 'text') return `“${shown}”`
  if (name === 'type') return `with ${itemName(shown)}`
  if (name === 'status' && value === 'none') return 'no answer'
  if (name === 'muted') return MUTED[value] ?? `muted is ${shown}`
  if (name === 'handled') return HANDLED[value] ?? `handled is ${shown}`
  const endpoint = name === 'endpoint' ? ENDPOINTS.find((one) => one === value) : undefined
  if (endpoint !== undefined) return `endpoint is ${endpointName(endpoint)}`
  const status = name === 'delivery' ? DELIVERY_STATUSES.find((one) => one === value) : undefined
  if (status !== undefined) return `delivery is ${statusNameText(status).word}`
  if (name === 'trace') return `trace is ${shown.slice(0, 8)}`
  return `${name === 'sdk' ? 'SDK' : name} is ${shown}`
}

export const filterTexts = (
  names: readonly FilterName[],
  filter: AnyFilter,
  nowMs: number,
): readonly { readonly name: FilterName; readonly text: string }[] =>
  names.flatMap((name) => {
    const value = filter[name]
    return value === undefined ? [] : [{ name, text: filterText(name, value, nowMs) }]
  })

export function stillShowing(noun: string, list: BoardList, filter: AnyFilter, nowMs: number): string {
  const texts = filterTexts(filterNames(list), filter, nowMs).map((part) => part.text)
  return `Still showing: ${texts.length === 0 ? `all ${noun}` : texts.join(', ')}.`
}

function durationText(value: string): string {
  const [, amount, unit = 'ms'] = /^(\d+(?:\.\d+)?)(us|ms|s|m|h)?$/.exec(value) ?? []
  const scale = US_OF_UNIT[unit]
  if (amount === undefined || scale === undefined) return value
  return withoutTrailingZeros(formatDurationUs(Number(amount) * scale))
}

/** `15 minutes`, `1 hour`; `null` when it is no age. */
function ageText(value: string): string | null {
  const [, amount, unit = ''] = /^(\d+(?:\.\d+)?)([smhd])$/.exec(value) ?? []
  const word = AGE_UNITS[unit]
  return amount === undefined || word === undefined ? null : plural(Number(amount), word)
}

function timeText(value: string, nowMs: number): string {
  const number = /^\d+(?:\.\d+)?$/.test(value) ? Number(value) : null
  // Smaller numbers are seconds, as in the collector.
  const atMs = number === null ? Date.parse(value) : number < 1e11 ? number * 1000 : number
  if (Number.isNaN(atMs)) return value
  const short = formatShortTime(atMs, nowMs)
  const year = new Date(atMs).getFullYear()
  const isDated = /^\d\d-/.test(short)
  return isDated && year !== new Date(nowMs).getFullYear() ? `${year}-${short}` : short
}
