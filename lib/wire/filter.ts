/** Filters that several lists share. */
const ABOUT = ['since', 'until', 'text', 'environment', 'release', 'service', 'stamp'] as const
/** The sender of a record: Waystation's own app, a page, a project. */
const SENDER = ['own', 'page', 'project'] as const
const TRACES = ['op', 'name', 'status', 'min_duration', 'max_duration', ...ABOUT] as const

/**
 * The filters of each list, as query parameters. All given filters must match. A filter must equal the value of the
 * entry, except:
 * - `min_duration`, `max_duration`: `250ms`, `1.5s`, `90us`, `2m`, `1h`; a bare number is ms; both are inclusive.
 * - `since` (inclusive), `until` (exclusive): ISO 8601, seconds or ms since the epoch, or an age such as `15m`, `2h`, `1d`.
 *   They apply to the start of a trace, segment, span or delivery, the timestamp of an event, signal or breadcrumb, the
 *   receipt of an envelope, the decision of an outcome.
 * - `text`: 1 to 8 words of at most 64 characters; each begins a word of the names or messages. Ignores case.
 * - `status`: of traces, segments and spans `ok`, `error` or `unset` (also without a status); of deliveries the HTTP
 *   status, or `none` without an answer.
 * - `sdk`: the beginning of one or more words of the name: `python`, `sentry.python 1.9`.
 * - `level`: ignores case, and `warn` is `warning`. A level of events, or a `type`, that resembles a known one is refused.
 * - `stamp`: see `lib/protocol/request.ts`.
 * - `handled`: `true`, `false` or `unknown`.
 * - `muted`: `no` (the default), `only` or `all`. The filters of error groups match a group when one of its events has the
 *   value; `text` is compared with its newest event.
 * - `own`: `hide` (the default, unless `trace`, `envelope` or `stamp` is given), `show` or `only`.
 */
export const LIST_FILTERS = {
  traces: [...TRACES, ...SENDER],
  segments: [...TRACES, 'trace', 'lifecycle', ...SENDER],
  spans: [...TRACES, 'trace', 'segment'],
  events: ['level', 'handled', 'name', ...ABOUT, 'trace', ...SENDER],
  errors: ['level', 'handled', 'service', 'release', 'environment', 'text', 'since', 'until', 'muted'],
  signals: ['level', 'name', ...ABOUT, 'envelope', ...SENDER],
  envelopes: ['type', 'endpoint', 'delivery', 'environment', 'sdk', 'stamp', 'since', 'until', 'trace', ...SENDER],
  deliveries: ['status', 'upstream', 'since', 'until', 'envelope'],
  breadcrumbs: ['event', 'trace', 'category', 'level', 'text', 'since', 'until'],
  outcomes: ['outcome', 'reason', 'since', 'until', 'envelope'],
} as const satisfies Readonly<Record<string, readonly string[]>>

export type FilteredList = keyof typeof LIST_FILTERS
export type FilterName<List extends FilteredList = FilteredList> = (typeof LIST_FILTERS)[List][number]

export type FilterOf<List extends FilteredList> = { readonly [Name in FilterName<List>]?: string | undefined }

/** Writes a filter into the query of an address; skips empty values. */
export function writeFilter(query: URLSearchParams, filter: Readonly<Record<string, string | undefined>>): void {
  for (const [name, value] of Object.entries(filter)) if (value) query.set(name, value)
}

/**
 * The journal number down to which this and earlier pages contain every matching row; `null` when the text is no
 * cursor. A page that ended early was read further than its last row.
 */
export function journalOfCursor(cursor: string): number | null {
  const found = /^(\d{1,15})-/.exec(cursor)
  return found === null ? null : Number(found[1])
}
