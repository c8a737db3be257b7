import type { Context } from 'hono'
import { hex16, hex32, levelOf } from '../../lib/protocol/json'
import { DELIVERY_STATUSES, OUTCOMES } from '../../lib/protocol/outcome'
import { ENDPOINTS } from '../../lib/protocol/request'
import { fail, type Result, succeed } from '../../lib/protocol/result'
import { type FilteredList, type FilterName, LIST_FILTERS } from '../../lib/wire/filter'
import type { ListFilter } from '../index/list-filter'
import {
  answerStatus,
  duration,
  envelopeNumber,
  idOf,
  itemType,
  knownOrOwn,
  named,
  oneOf,
  type ReadValue,
  stamp,
  time,
  word,
  words,
} from './filter-values'
import { onlyKnown, type WrongParameter } from './query-parameters'

/** How a parameter is read, and what of `Wanted` it becomes. */
type ReadParameter = (text: string, nowMs: number) => Result<ListFilter, string>

const traceId = idOf(hex32, 'a trace id, 32 hex digits')

const PARAMETERS: Readonly<Record<FilterName, ReadParameter>> = {
  op: into('op', word),
  name: into('name', word),
  status: into('status', oneOf(['ok', 'error', 'unset'] as const)),
  min_duration: into('minDurationUs', duration),
  max_duration: into('maxDurationUs', duration),
  since: into('sinceUs', time),
  until: into('untilUs', time),
  text: into('text', words),
  environment: into('environment', word),
  release: into('release', word),
  service: into('service', word),
  stamp: into('stamp', stamp),
  level: into('level', word),
  handled: into('handled', named({ true: true, false: false, unknown: null })),
  trace: into('trace', traceId),
  segment: into('segment', idOf(hex16, 'a span id, 16 hex digits')),
  event: into('event', idOf(hex32, 'the id of an event, 32 hex digits')),
  lifecycle: into('lifecycle', oneOf(['static', 'stream'] as const)),
  type: into('type', itemType),
  endpoint: into('endpoint', oneOf(ENDPOINTS)),
  deliveryStatus: into('deliveryStatus', oneOf(DELIVERY_STATUSES)),
  sdk: into('sdk', word),
  upstream: into('upstream', word),
  envelope: into('envelope', envelopeNumber),
  category: into('category', word),
  outcome: into('outcome', oneOf(OUTCOMES)),
  reason: into('reason', word),
}

/** Of events, as SDKs of all ages name them. */
const EVENT_LEVELS = ['fatal', 'critical', 'error', 'warning', 'log', 'info', 'debug', 'sample'] as const

/** Where a list means something else by a word. */
const OF_LIST: { readonly [List in FilteredList]?: Readonly<Partial<Record<FilterName, ReadParameter>>> } = {
  deliveries: { status: into('answer', answerStatus) },
  events: { level: into('level', knownOrOwn(EVENT_LEVELS, levelOf)) },
}

/** Longer words nobody keeps whole, and a sentence about them would not fit its header. */
const LONGEST_VALUE = 1000

/**
 * What an address asks of a list.
 * @param beside parameters that the route reads itself, `cursor` and `limit` among them.
 * @param nowMs ages such as `15m` are counted back from here.
 * @returns the filter, or a sentence for a 400: what was read and what is meant.
 */
export function wantedOf(
  c: Context,
  list: FilteredList,
  nowMs: number,
  beside: readonly string[] = ['cursor', 'limit'],
): Result<ListFilter, WrongParameter> {
  const names: readonly FilterName[] = LIST_FILTERS[list]
  const known = onlyKnown(c, [...names, ...beside])
  if (!known.ok) return known
  let wanted: ListFilter = {}
  for (const name of names) {
    const text = c.req.query(name)
    if (text === undefined) continue
    const read = text.length > LONGEST_VALUE ? tooLong : (OF_LIST[list]?.[name] ?? PARAMETERS[name])
    const value = read(text, nowMs)
    if (!value.ok) return fail(`${name}=${text.slice(0, 40)}: meant is ${value.error}`)
    wanted = { ...wanted, ...value.value }
  }
  return contradiction(c, wanted) ?? succeed(wanted)
}

const tooLong: ReadParameter = () => fail(`a word of at most ${LONGEST_VALUE} characters`)

function contradiction(
  c: Context,
  { sinceUs, untilUs, minDurationUs, maxDurationUs }: ListFilter,
): Result<never, string> | null {
  if (sinceUs !== undefined && untilUs !== undefined && sinceUs >= untilUs)
    return fail(`since is ${isoOf(sinceUs)} and until ${isoOf(untilUs)}: meant is a time after since`)
  if (minDurationUs !== undefined && maxDurationUs !== undefined && minDurationUs > maxDurationUs)
    return fail(
      `min_duration=${c.req.query('min_duration')} and max_duration=${c.req.query('max_duration')}: meant is a max_duration of at least as much`,
    )
  return null
}

function isoOf(us: number): string {
  const date = new Date(us / 1000)
  return Number.isNaN(date.getTime()) ? `${us}us` : date.toISOString()
}

function into<Field extends keyof ListFilter>(
  field: Field,
  read: ReadValue<Exclude<ListFilter[Field], undefined>>,
): ReadParameter {
  return (text, nowMs) => {
    const value = read(text, nowMs)
    return value.ok ? succeed({ [field]: value.value }) : value
  }
}
