import { similarName } from '../config/nearest'
import { KNOWN_TYPES } from '../protocol/data-category'
import { hex16, hex32 } from '../protocol/ids'
import { levelOf } from '../protocol/level'
import { DELIVERY_STATUSES, OUTCOMES } from '../protocol/outcome'
import { ENDPOINTS, isStamp, STAMP_FORMAT } from '../protocol/request'
import { fail, type Result, succeed } from '../protocol/result'
import { tokensOf } from '../protocol/search-tokens'
import { usFromTimestamp } from '../protocol/timestamp'
import type { FilteredList, FilterName } from '../wire/filter'
import type { ListFilter } from '../wire/list-filter'

/** Longer values are rejected: no stored text is this long, and the error must fit into a header. */
const MAX_VALUE_LENGTH = 1000
/** An error message repeats this much of a received value. */
const shorten = (text: string): string => text.slice(0, 40)

/** Reads the value of a filter into the condition that it stands for. @param nowMs ages such as `15m` count back from here */
export function readCondition(
  list: FilteredList,
  name: FilterName,
  text: string,
  nowMs: number,
): Result<ListFilter, WrongValue> {
  const read = text.length > MAX_VALUE_LENGTH ? tooLong : (OF_LIST[list]?.[name] ?? PARAMETERS[name])
  return read(text, nowMs)
}

export interface WrongValue {
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

export const durationValue: ReadValue<number> = (text) => {
  const us = usOf(/^(\d{1,12}(?:\.\d{1,6})?)(us|µs|ms|s|m|h)?$/.exec(text), 'ms')
  return us === null
    ? reject('must be a duration such as 250ms, 1.5s, 90us or 2m; a number without a unit is ms')
    : succeed(us)
}

export const timeValue: ReadValue<number> = (text, nowMs) => {
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
export const searchTokens: ReadValue<readonly string[]> = (text) => {
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
  min_duration: into('minDurationUs', durationValue),
  max_duration: into('maxDurationUs', durationValue),
  since: into('sinceUs', timeValue),
  until: into('untilUs', timeValue),
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
  own: (text, nowMs) => {
    const own = named({ hide: false, show: null, only: true })(text, nowMs)
    return own.ok ? succeed(own.value === null ? {} : { own: own.value }) : own
  },
  page: into('page', anyText),
  project: into('project', anyText),
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
