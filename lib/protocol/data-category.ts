/** A data category and how many of it an item counts as: the unit of outcomes and of the ledger. */
export interface Quantity {
  readonly category: string
  readonly quantity: number
}

/** The quantities of each category together, in the order of the first ones. */
export function sumByCategory(quantities: readonly Quantity[]): ReadonlyMap<string, number> {
  const sums = new Map<string, number>()
  for (const { category, quantity } of quantities) sums.set(category, (sums.get(category) ?? 0) + quantity)
  return sums
}

/** The category of client reports, which describe losses and are not telemetry of the program. */
export const REPORT_CATEGORY = 'internal'

/** Chunks of continuous profiles of user interfaces; `profile_chunk` are those of servers. */
const UI_CHUNK = 'profile_chunk_ui'
/** Platforms whose chunks Relay counts as those of a user interface (`ProfileType::from_platform`). */
const UI_PLATFORMS: ReadonlySet<unknown> = new Set(['javascript', 'cocoa', 'android'])

/**
 * As Relay names categories in rate limits; client reports of the JS SDK write `metric` and `profile`. Unknown types
 * count under their own name, so that every item counts.
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
  profile_chunk_ui: UI_CHUNK,
  check_in: 'monitor',
  raw_security: 'security',
  statsd: 'metric_bucket',
  metric_buckets: 'metric_bucket',
  otlp_traces: 'span',
  otlp_logs: 'log_item',
  otlp_metrics: 'trace_metric',
}

/** Types that only Relay and very old SDKs send, and those of bodies that are no envelopes. */
const RARE_CATEGORY: Readonly<Record<string, string>> = {
  otel_span: 'span',
  security: 'security',
  unreal_report: 'error',
  minidump: 'error',
  attachments: 'attachment',
}

/** All known item types; SDKs may send others. `nel` counts under its own name. */
export const KNOWN_TYPES: readonly string[] = [...Object.keys(CATEGORY), 'nel']

export const DATA_CATEGORIES: ReadonlySet<string> = new Set(Object.values(CATEGORY))

/** Returns the category of an item type. `hasOwn`, because the sender chooses the type and may write `constructor`. */
export const categoryOf = (type: string): string =>
  entryOf(CATEGORY, type) ?? entryOf(RARE_CATEGORY, type) ?? (type.slice(0, 64) || UNNAMED)

const entryOf = (table: Readonly<Record<string, string>>, type: string): string | undefined =>
  Object.hasOwn(table, type) ? table[type] : undefined

/** The category of items whose type is an empty text. */
const UNNAMED = 'unnamed'

/** The categories that items of a type may count as. */
export const categoriesOfType = (type: string): readonly string[] =>
  type === 'profile_chunk' ? [categoryOf(type), UI_CHUNK] : [categoryOf(type)]

/** Returns the category of an item: of chunks of continuous profiles, the platform in their header decides. */
export const categoryOfItem = ({ type, platform }: { readonly type: string; readonly platform?: unknown }): string =>
  type === 'profile_chunk' && UI_PLATFORMS.has(platform) ? UI_CHUNK : categoryOf(type)

const CONTAINERS = new Set(['span', 'log', 'trace_metric', 'attachments'])

export interface CountedItem {
  readonly header: Readonly<Record<string, unknown>> & { readonly type: string }
  readonly payload: { readonly length: number }
}

/** The shortest entry of a container is `{},`. */
const SHORTEST_ENTRY_BYTES = 3

/**
 * Does not read the payload. A container with a missing `item_count`, or one higher than its payload can hold, counts
 * as one: a wrong count must not distort the ledger.
 */
export function quantityOf({ header, payload }: CountedItem): Quantity {
  const category = categoryOfItem(header)
  const count = header.item_count
  const isCounted = CONTAINERS.has(header.type) && typeof count === 'number' && Number.isSafeInteger(count) && count > 0
  if (!isCounted || count > payload.length / SHORTEST_ENTRY_BYTES) return { category, quantity: 1 }
  return { category, quantity: count }
}
