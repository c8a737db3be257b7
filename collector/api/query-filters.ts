import type { Context } from 'hono'
import { similarName } from '../../lib/config/nearest'
import { KNOWN_TYPES } from '../../lib/protocol/data-category'
import { hex16, hex32 } from '../../lib/protocol/ids'
import { levelOf } from '../../lib/protocol/level'
import { DELIVERY_STATUSES, OUTCOMES } from '../../lib/protocol/outcome'
import { ENDPOINTS, isStamp, STAMP_FORMAT } from '../../lib/protocol/request'
import { fail, type Result, succeed } from '../../lib/protocol/result'
import { tokensOf } from '../../lib/protocol/search-tokens'
import { usFromTimestamp } from '../../lib/protocol/timestamp'
import { type FilteredList, type FilterName, LIST_FILTERS } from '../../lib/wire/filter'
import type { ListFilter } from '../../lib/wire/list-filter'
import { checkParameters, conflict, invalidValue, type ParameterError, shorten } from './query-parameters'

/** Longer values are rejected: no stored text is this long, and the error must fit into a header. */
const MAX_VALUE_LENGTH = 1000

/** @param nowMs ages such as `15m` count back from here @param others parameters that the route reads itself */
export function readFilter(
  c: Context,
  list: FilteredList,
  nowMs: number,
  others: readonly string[] = ['cursor', 'limit'],
): Result<ListFilter, ParameterError> {
  const names: readonly FilterName[] = LIST_FILTERS[list]
  const checked = checkParameters(c, [...names, ...others])
  if (!checked.ok) return checked
  let filter: ListFilter = {}
  for (const name of names) {
    const text = c.req.query(name)
    if (text === undefined) continue
    const read = text.length > MAX_VALUE_LENGTH ? tooLong : (OF_LIST[list]?.[name] ?? PARAMETERS[name])
    const value = read(text, nowMs)
    if (!value.ok) return fail(invalidValue(name, text, value.error.why, value.error.suggestion))
    filter = { ...filter, ...value.value }
  }
  return contradiction(c, filter) ?? succeed(filter)
}

function contradiction(
  c: Context,
  { sinceUs, untilUs, minDurationUs, maxDurationUs }: ListFilter,
): Result<never, ParameterError> | null {
  if (sinceUs !== undefined && untilUs !== undefined && sinceUs >= untilUs)
    return fail({
      ...conflict(c, 'until', 'since', ''),
      detail: `since is ${isoOf(sinceUs)} and until ${isoOf(untilUs)}: until must be after since`,
    })
  if (minDurationUs !== undefined && maxDurationUs !== undefined && minDurationUs > maxDurationUs)
    return fail({
      ...conflict(c, 'max_duration', 'min_duration', ''),
      detail: `min_duration=${c.req.query('min_duration')} and max_duration=${c.req.query('max_duration')}: max_duration must be at least min_duration`,
    })
  return null
}

function isoOf(us: number): string {
  const date = new Date(us / 1000)
  return Number.isNaN(date.getTime()) ? `${us}us` : date.toISOString()
}

interface WrongValue {
  /** Continues the sentence `name=value: …`. */
  readonly why: string
  readonly suggestion: string | null
}

/** Reads one value. */
export type ReadValue<Value> = (text: string, nowMs: number) => Result<Value, WrongValue>

const reject = (rule: string, suggestion: string | null = null): Result<never, WrongValue> =>
  fail({ why: suggestion === null ? rule : `${rule}; did you mean ${suggestion}?`, suggestion })

const anyText: ReadValue<string> = (text) => succeed(text)

export const stampValue: ReadValue<string> = (text) =>
  isStamp(text) ? succeed(text) : reject(`must be ${STAMP_FORMAT}`)

/** More wrong letters make another name, not a mistake. */
const MAX_WRONG_LETTERS = 2

/** Senders may use their own names besides the known ones. Rejects only a name that is nearly a known one. */
const knownOrOwn =
  (known: readonly string[], normalise: (text: string) => string = (text) => text): ReadValue<string> =>
  (text) => {
    const name = normalise(text)
    const near = known.includes(name) ? null : similarName(shorten(name), known, MAX_WRONG_LETTERS)
    return near === null ? succeed(text) : reject('is not a known name', near)
  }

export const itemType: ReadValue<string> = knownOrOwn(KNOWN_TYPES)

const oneOf =
  <Name extends string>(names: readonly Name[]): ReadValue<Name> =>
  (text) => {
    const found = names.find((one) => one === text)
    if (found !== undefined) return succeed(found)
    return reject(`must be one of ${names.join(', ')}`, similarName(shorten(text), names))
  }

const named =
  <Name extends string, Value>(values: Readonly<Record<Name, Value>>): ReadValue<Value> =>
  (text, nowMs) => {
    const name = oneOf(Object.keys(values) as Name[])(text, nowMs)
    return name.ok ? succeed(values[name.value]) : name
  }

/** The status that upstream answered; `null` for a delivery without an answer. */
const answerStatus: ReadValue<number | null> = (text) => {
  if (text === 'none') return succeed(null)
  return /^[1-5]\d\d$/.test(text)
    ? succeed(Number(text))
    : reject('must be a status from 100 to 599, or none for a delivery without an answer')
}

const envelopeNumber: ReadValue<number> = (text) =>
  /^\d{1,15}$/.test(text) ? succeed(Number(text)) : reject('must be the number of an envelope')

const hexId =
  (read: (text: string) => string | null, noun: string): ReadValue<string> =>
  (text) => {
    const id = read(text)
    return id === null ? reject(`must be ${noun}`) : succeed(id)
  }

const US_OF_UNIT: Readonly<Record<string, number>> = {
  us: 1,
  µs: 1,
  ms: 1000,
  s: 1e6,
  m: 60e6,
  h: 3600e6,
  d: 86_400e6,
}

const duration: ReadValue<number> = (text) => {
  const us = usOf(/^(\d{1,12}(?:\.\d{1,6})?)(us|µs|ms|s|m|h)?$/.exec(text), 'ms')
  return us === null
    ? reject('must be a duration such as 250ms, 1.5s, 90us or 2m; a number without a unit is ms')
    : succeed(us)
}

const time: ReadValue<number> = (text, nowMs) => {
  const age = usOf(/^(\d{1,9}(?:\.\d{1,6})?)(s|m|h|d)$/.exec(text), '')
  if (age !== null) return succeed(Math.max(0, nowMs * 1000 - age))
  // The plus of a time zone arrives as a space, unless it was encoded as %2B.
  const us = /^\d+(?:\.\d+)?$/.test(text)
    ? usOfEpoch(Number(text))
    : usFromTimestamp(text.replace(/ (?=\d\d:?\d\d$)/, '+'))
  return us === null
    ? reject(
        'must be a time such as 2026-11-20T10:00:00Z, seconds or ms since the epoch, or an age such as 15m, 2h or 1d',
      )
    : succeed(us)
}

/** Numbers from 1e11 on are milliseconds; as seconds they would be later than the year 5000. */
function usOfEpoch(value: number): number | null {
  const us = Math.round(value < 1e11 ? value * 1e6 : value * 1000)
  return Number.isSafeInteger(us) ? us : null
}

function usOf(found: RegExpExecArray | null, defaultUnit: string): number | null {
  if (found === null) return null
  const [, amount, unit = defaultUnit] = found
  return Math.round(Number(amount) * (US_OF_UNIT[unit] ?? Number.NaN))
}

const MAX_SEARCH_TOKENS = 8
const MAX_SEARCH_TOKEN_LENGTH = 64

/** Words; each must be the beginning of a word in the row. */
const searchTokens: ReadValue<readonly string[]> = (text) => {
  const found = tokensOf(text)
  const rule = `must be 1 to ${MAX_SEARCH_TOKENS} words of at most ${MAX_SEARCH_TOKEN_LENGTH} letters or digits`
  if (found.length === 0) return reject(rule)
  if (found.length > MAX_SEARCH_TOKENS) return reject(`${rule}, got ${found.length} words`)
  const long = found.find((one) => one.length > MAX_SEARCH_TOKEN_LENGTH)
  return long === undefined ? succeed(found) : reject(`${rule}, got a word of ${long.length} characters`)
}

type ReadParameter = ReadValue<ListFilter>

const traceId = hexId(hex32, 'a trace id of 32 hex digits')

const PARAMETERS: Readonly<Record<FilterName, ReadParameter>> = {
  op: into('op', anyText),
  name: into('name', anyText),
  status: into('status', oneOf(['ok', 'error', 'unset'] as const)),
  min_duration: into('minDurationUs', duration),
  max_duration: into('maxDurationUs', duration),
  since: into('sinceUs', time),
  until: into('untilUs', time),
  text: into('text', searchTokens),
  environment: into('environment', anyText),
  release: into('release', anyText),
  service: into('service', anyText),
  stamp: into('stamp', stampValue),
  level: into('level', anyText),
  handled: into('handled', named({ true: true, false: false, unknown: null })),
  trace: into('trace', traceId),
  segment: into('segment', hexId(hex16, 'a span id of 16 hex digits')),
  event: into('event', hexId(hex32, 'an event id of 32 hex digits')),
  lifecycle: into('lifecycle', oneOf(['static', 'stream', 'otlp'] as const)),
  type: into('type', itemType),
  endpoint: into('endpoint', oneOf(ENDPOINTS)),
  delivery: into('deliveryStatus', oneOf(DELIVERY_STATUSES)),
  sdk: into('sdk', anyText),
  upstream: into('upstream', anyText),
  envelope: into('envelope', envelopeNumber),
  category: into('category', anyText),
  outcome: into('outcome', oneOf(OUTCOMES)),
  reason: into('reason', anyText),
  muted: into('muted', oneOf(['no', 'only', 'all'] as const)),
}

/** The event levels of old and new SDKs. */
const EVENT_LEVELS = ['fatal', 'critical', 'error', 'warning', 'log', 'info', 'debug', 'sample'] as const

/** Parameters that mean something else in one list. */
const OF_LIST: { readonly [List in FilteredList]?: Readonly<Partial<Record<FilterName, ReadParameter>>> } = {
  deliveries: { status: into('answer', answerStatus) },
  events: { level: into('level', knownOrOwn(EVENT_LEVELS, levelOf)) },
  errors: { level: into('level', knownOrOwn(EVENT_LEVELS, levelOf)) },
}

const tooLong: ReadParameter = () => reject(`must have at most ${MAX_VALUE_LENGTH} characters`)

function into<Field extends keyof ListFilter>(
  field: Field,
  read: ReadValue<Exclude<ListFilter[Field], undefined>>,
): ReadParameter {
  return (text, nowMs) => {
    const value = read(text, nowMs)
    return value.ok ? succeed({ [field]: value.value }) : value
  }
}
