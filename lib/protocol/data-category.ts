/** What a quota counts, and how many of it an item is: the unit of outcomes and books. */
export interface Quantity {
  readonly category: string
  readonly quantity: number
}

/** Client reports: they say what became of other things, and are none that a program made. */
export const REPORT_CATEGORY = 'internal'

/**
 * Data category per item type, as Relay names it in rate limits. The JS SDK's client reports say `metric` for
 * `trace_metric` and `profile` for `profile_chunk`.
 * Unknown types count under their own name, so that nothing is without a book.
 */
const CATEGORY: Readonly<Record<string, string>> = {
  event: 'error',
  transaction: 'transaction',
  span: 'span',
  log: 'log_item',
  trace_metric: 'trace_metric',
  session: 'session',
  sessions: 'session',
  client_report: REPORT_CATEGORY,
  attachment: 'attachment',
  user_report: 'feedback',
  feedback: 'feedback',
  replay_event: 'replay',
  replay_recording: 'replay',
  replay_video: 'replay',
  profile: 'profile',
  profile_chunk: 'profile_chunk',
  profile_chunk_ui: 'profile_chunk',
  check_in: 'monitor',
  raw_security: 'security',
  statsd: 'metric_bucket',
  metric_buckets: 'metric_bucket',
}

/** Item types that are known by name; there are others. `nel` counts under its own. */
export const KNOWN_TYPES: readonly string[] = [...Object.keys(CATEGORY), 'nel']

/** Every category that is known by name. */
export const DATA_CATEGORIES: ReadonlySet<string> = new Set(Object.values(CATEGORY))

/** The type is the sender's word: `constructor` is a type of nobody's, and not what every object inherits. */
export const categoryOf = (type: string): string =>
  (Object.hasOwn(CATEGORY, type) ? CATEGORY[type] : undefined) ?? type.slice(0, 64)

/** Container types: their `item_count` is the quantity. */
const CONTAINERS = new Set(['span', 'log', 'trace_metric'])

/** What is counted: an item's header, and how large its payload is. */
export interface CountedItem {
  readonly header: Readonly<Record<string, unknown>> & { readonly type: string }
  readonly payload: { readonly length: number }
}

/** The shortest entry of a container, `{},`: a payload cannot hold more of them than fit. */
const SHORTEST_ENTRY_BYTES = 3

/**
 * Category and quantity of one item, without reading its payload. A container without an honest `item_count` counts as
 * one, and none as more entries than its payload has room for: one liar must not spoil the books.
 */
export function quantityOf({ header, payload }: CountedItem): Quantity {
  const category = categoryOf(header.type)
  const count = header.item_count
  const isCounted = CONTAINERS.has(header.type) && typeof count === 'number' && Number.isSafeInteger(count) && count > 0
  if (!isCounted || count > payload.length / SHORTEST_ENTRY_BYTES) return { category, quantity: 1 }
  return { category, quantity: count }
}
