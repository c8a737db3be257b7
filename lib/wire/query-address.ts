import type { ContractOptions } from './contract'
import { type FilteredList, type FilterOf, writeFilter } from './filter'
import type { RecordedOptions } from './journal'
import type { SpanExpectationOptions } from './span-expectation'
import type { TraceColumnsOptions } from './trace-columns'

export interface PageOptions<List extends FilteredList> {
  /** See `lib/wire/filter`; empty values are ignored. */
  readonly filter?: FilterOf<List>
  /** The query of the list (`lib/filter`), in addition to the filter. */
  readonly q?: string
  /** `next` of an earlier page. */
  readonly cursor?: string | null
  /** 1 to 200, by default 50. */
  readonly limit?: number
  readonly signal?: AbortSignal
}

/** Includes the question mark; `of` are further parameters. */
export function pageQuery<List extends FilteredList>(
  options: PageOptions<List> = {},
  of: Readonly<Record<string, string>> = {},
): string {
  const query = new URLSearchParams(of)
  if (options.filter !== undefined) writeFilter(query, options.filter)
  if (options.q) query.set('q', options.q)
  if (options.cursor) query.set('cursor', options.cursor)
  if (options.limit !== undefined) query.set('limit', String(options.limit))
  return query.size === 0 ? '' : `?${query}`
}

export const contractQuery = ({ stamp, after }: ContractOptions = {}): string => queryOf({ stamp, after })

export const columnsQuery = ({ after, segment }: TraceColumnsOptions): string => queryOf({ after, segment })

/** `unstamped` is a parameter without a value. */
export const recordedQuery = ({ signal, unstamped, ...of }: RecordedOptions = {}): string =>
  queryOf({ ...of, unstamped: unstamped === true ? '' : undefined })

export const spanExpectationQuery = ({ pattern, stamp, trace, after, wait }: SpanExpectationOptions): string =>
  queryOf({ pattern, wait, stamp: stamp ?? undefined, trace, after })

function queryOf(parameters: Readonly<Record<string, string | number | undefined>>): string {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(parameters)) if (value !== undefined) query.set(name, String(value))
  return query.size === 0 ? '' : `?${query}`
}
