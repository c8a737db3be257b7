import type { Context } from 'hono'
import { isQueryList } from '../../../lib/filter/keys'
import { MAX_QUERY_LENGTH, type QueryProblem, readQuery } from '../../../lib/filter/query'
import { readCondition } from '../../../lib/filter/values'
import { fail, type Result, succeed } from '../../../lib/protocol/result'
import { type FilteredList, type FilterName, LIST_FILTERS } from '../../../lib/wire/filter'
import type { ListFilter } from '../../../lib/wire/list-filter'
import { checkParameters, conflict, invalidValue, type ParameterError } from './parameters'

/** A filter, and the terms of `q=` that do not apply. */
export interface GivenFilter {
  readonly filter: ListFilter
  readonly problems: readonly QueryProblem[]
}

/** @param nowMs ages such as `15m` count back from here @param others parameters that the route reads itself */
export function readFilter(
  c: Context,
  list: FilteredList,
  nowMs: number,
  others: readonly string[] = ['cursor', 'limit'],
): Result<GivenFilter, ParameterError> {
  const names: readonly FilterName[] = LIST_FILTERS[list]
  const checked = checkParameters(c, [...names, ...(isQueryList(list) ? ['q'] : []), ...others])
  if (!checked.ok) return checked
  let filter: ListFilter = {}
  for (const name of names) {
    const text = c.req.query(name)
    if (text === undefined) continue
    const value = readCondition(list, name, text, nowMs)
    if (!value.ok) return fail(invalidValue(name, text, value.error.why, value.error.suggestion))
    filter = { ...filter, ...value.value }
  }
  const query = isQueryList(list) ? (c.req.query('q') ?? '') : ''
  if (query.length > MAX_QUERY_LENGTH)
    return fail(invalidValue('q', query, `must have at most ${MAX_QUERY_LENGTH} characters`))
  const wrong = contradiction(c, filter)
  if (wrong !== null) return wrong
  if (!isQueryList(list)) return succeed({ filter, problems: [] })
  const { terms, problems, ...read } = readQuery(list, query, nowMs, filter)
  const namesOwn = c.req.query('own') !== undefined || terms.some(({ key }) => key === 'own')
  return succeed({ filter: names.includes('own') && !namesOwn ? withoutOwn(read.filter) : read.filter, problems })
}

/** Own telemetry is hidden, unless the filter names the trace, the envelope or the stamp that it shows. */
const withoutOwn = (filter: ListFilter): ListFilter =>
  filter.trace === undefined && filter.envelope === undefined && filter.stamp === undefined
    ? { ...filter, own: false }
    : filter

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
