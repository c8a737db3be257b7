/**
 * The outcome of an item, set once; until then it is `pending`. `accepted`: upstream answered 2xx. `kept`: stays here by
 * a setting, which is no loss. `filtered`: not relayed because it could not be scrubbed. `invalid`: a final 4xx. `overflow`: stored but never pending (in folders
 * of earlier versions). `expired`: undelivered after 24 h, or after the maximum age if that is longer. `dropped`: by a person.
 */
export const OUTCOMES = [
  'accepted',
  'kept',
  'filtered',
  'rate_limited',
  'invalid',
  'overflow',
  'expired',
  'dropped',
] as const
export type Outcome = (typeof OUTCOMES)[number]

/** The status of an item: `pending`, its outcome, or `copy`. A copy (Spotlight) is never pending and never counted. */
export const DELIVERY_STATUSES = ['pending', ...OUTCOMES, 'copy'] as const
export type DeliveryStatusName = (typeof DELIVERY_STATUSES)[number]

/** Reasons for which Waystation, not upstream, removed an item or failed to post it. */
export const WAYSTATION_REASONS: ReadonlySet<string | null> = new Set([
  'limited',
  'depends_on_limited',
  'damaged_record',
])

/**
 * Discard reasons of items that the developer chose not to send: a sample rate, a hook, a filter. They are no loss.
 * `internal_sdk_error` is not one of them: the SDK failed.
 */
const CHOSEN_REASONS: readonly string[] = [
  'sample_rate',
  'before_send',
  'event_processor',
  'ignored',
  'no_parent_span',
  'insufficient_data',
]

/** The discard reason of a request that an SDK could not complete: its items may have arrived. */
export const NETWORK_ERROR = 'network_error'
/** The ledger entry of items that an SDK reports as `network_error` and that arrived. They are no loss. */
export const ANSWER_UNSEEN = 'answer_unseen'

/** Whether an SDK discarded items for a reason that the developer chose. */
export const isChosen = (reason: string | null): boolean => reason !== null && CHOSEN_REASONS.includes(reason)

/** Returns who lost the items of a ledger entry; `null` when nothing was lost. */
export function lostBy(
  entry: DeliveryStatusName | 'received' | 'client_discard' | typeof ANSWER_UNSEEN,
  reason: string | null,
): 'sdk' | 'waystation' | 'upstream' | 'person' | null {
  switch (entry) {
    case 'client_discard':
      return isChosen(reason) ? null : 'sdk'
    case 'dropped':
      return 'person'
    case 'filtered':
    case 'overflow':
    case 'expired':
      return 'waystation'
    case 'rate_limited':
    case 'invalid':
      return WAYSTATION_REASONS.has(reason) ? 'waystation' : 'upstream'
    default:
      return null
  }
}

interface DiscardCount {
  readonly category: string
  readonly reason: string
  readonly quantity: number
}

/** Longer categories and reasons are cut. */
const LONGEST_NAME = 64
/** A higher count is more than a page can create, and would distort the ledger. */
const MOST_OF_ONE_ENTRY = 1_000_000_000
/** Names of the JavaScript SDK for categories of Relay. */
const ALIASES: ReadonlyMap<string, string> = new Map([['metric', 'trace_metric']])
/** Categories that count bytes of items that are already counted by number. */
const BYTES: ReadonlySet<string> = new Set(['log_byte', 'trace_metric_byte'])
/**
 * The JavaScript SDK reports the number of attachments, Python's their bytes: a number higher than an envelope can hold
 * means bytes, of at least one attachment.
 */
const ATTACHMENT = 'attachment'
const MOST_ATTACHMENTS = 100
const UNKNOWN = 'unknown'

/** Returns the count of one client report entry; `null` when it has no category or quantity, or counts bytes. */
export function countedDiscard({
  category,
  reason,
  quantity,
}: {
  readonly category: unknown
  readonly reason: unknown
  readonly quantity: unknown
}): DiscardCount | null {
  if (typeof category !== 'string' || !isCount(quantity) || BYTES.has(category)) return null
  return {
    category: (ALIASES.get(category) ?? category).slice(0, LONGEST_NAME),
    reason: (typeof reason === 'string' ? reason : UNKNOWN).slice(0, LONGEST_NAME),
    quantity: category === ATTACHMENT && quantity > MOST_ATTACHMENTS ? 1 : quantity,
  }
}

const isCount = (quantity: unknown): quantity is number =>
  typeof quantity === 'number' && Number.isSafeInteger(quantity) && quantity > 0 && quantity <= MOST_OF_ONE_ENTRY

/** Of Sentry's "Client Reports" and JavaScript SDK 11.8. They are free text: there may be others. */
export const DISCARD_REASONS: readonly string[] = [
  'queue_overflow',
  'cache_overflow',
  'buffer_overflow',
  'ratelimit_backoff',
  'network_error',
  'sample_rate',
  'before_send',
  'event_processor',
  'send_error',
  'internal_sdk_error',
  'insufficient_data',
  'backpressure',
  'ignored',
  'invalid',
  'callback_error',
  'no_parent_span',
]

/** Refusals of pages that are not the developer's: any page can cause them, so no verdict counts them. */
const FOREIGN_REFUSALS: ReadonlySet<string> = new Set(['origin', 'host'])
export const isForeignRefusal = (reason: string): boolean => FOREIGN_REFUSALS.has(reason)
