/** What a list of either half of the same thing may be asked for. */
const ABOUT = ['since', 'until', 'text', 'environment', 'release', 'service', 'stamp'] as const
const TRACES = ['op', 'name', 'status', 'min_duration', 'max_duration', ...ABOUT] as const

/**
 * By what each list can be narrowed, as parameters of its address. What several name must all hold. Each is a word that
 * has to be the same as the thing's own, but for:
 * `min_duration`, `max_duration` `250ms`, `1.5s`, `90us`, `2m`, `1h`, a bare number is ms; both are inclusive;
 * `since` (inclusive), `until` (exclusive) ISO 8601, seconds or ms since the epoch, or an age such as `15m`, `2h`, `1d`; they
 * speak of the thing's own time: the start of a trace, a segment, a span or a delivery, the timestamp of an event, a signal
 * or a breadcrumb, the receipt of an envelope, the decision of an outcome;
 * `text` 1 to 8 words of at most 64 characters, each of which begins a word of the thing's names or messages, in capitals
 * or not;
 * `status` of traces, segments and spans `ok`, `error`, `unset`, which is also what says nothing; of deliveries the number, or `none` where no answer came;
 * `sdk` the beginning of a word of its name, or of several: `python`, `sentry.python 1.9`;
 * `level` in capitals or not, and `warn` is `warning`; one of events, and `type`, is not nearly a known one;
 * `stamp` as `lib/protocol/request.ts` has it;
 * `handled` `true`, `false`, or `unknown` where the event does not say.
 */
export const LIST_FILTERS = {
  traces: TRACES,
  segments: [...TRACES, 'trace', 'lifecycle'],
  spans: [...TRACES, 'trace', 'segment'],
  events: ['level', 'handled', 'name', ...ABOUT, 'trace'],
  signals: ['level', 'name', ...ABOUT, 'envelope'],
  envelopes: ['type', 'endpoint', 'delivery', 'environment', 'sdk', 'stamp', 'since', 'until', 'trace'],
  deliveries: ['status', 'upstream', 'since', 'until', 'envelope'],
  breadcrumbs: ['event', 'trace', 'category', 'level', 'text', 'since', 'until'],
  outcomes: ['outcome', 'reason', 'since', 'until', 'envelope'],
} as const satisfies Readonly<Record<string, readonly string[]>>

export type FilteredList = keyof typeof LIST_FILTERS
export type FilterName<List extends FilteredList = FilteredList> = (typeof LIST_FILTERS)[List][number]

/** What a list is asked for, as its address spells it. */
export type FilterOf<List extends FilteredList> = { readonly [Name in FilterName<List>]?: string | undefined }

/** Writes a filter into the query of an address; what is empty is not asked for. */
export function writeFilter(query: URLSearchParams, filter: Readonly<Record<string, string | undefined>>): void {
  for (const [name, value] of Object.entries(filter)) if (value) query.set(name, value)
}

/**
 * The journal number down to which a page of a list has looked: every row above it that belongs on the page, or on one
 * before it, was given. Of a full page it is the last row's; a page that ended early looked further than its rows reach.
 * `null` when the text is no cursor.
 */
export function journalOfCursor(cursor: string): number | null {
  const found = /^(\d{1,15})-/.exec(cursor)
  return found === null ? null : Number(found[1])
}
