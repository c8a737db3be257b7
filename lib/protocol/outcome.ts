/**
 * What became of an item. Set once, with a reason; until then an item is `pending`.
 * `accepted` upstream answered 2xx · `kept` nothing was pending (local only) · `filtered` cut by a rule ·
 * `rate_limited` · `invalid` a final 4xx · `overflow` stored but never pending · `expired` undelivered after 24 h ·
 * `dropped` by a person.
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

/** An item's status as shown: `pending` until decided. A `copy` came beside the path and is never pending or counted. */
export const DELIVERY_STATUSES = ['pending', ...OUTCOMES, 'copy'] as const
export type DeliveryStatusName = (typeof DELIVERY_STATUSES)[number]

/** Reasons of our own for what upstream decides otherwise: it was cut here, or could not be posted. */
export const OUR_REASONS: ReadonlySet<string | null> = new Set(['limited', 'depends_on_limited', 'damaged_record'])

/** Who lost what has this entry in the books; `null` where nothing is lost. */
export function lostBy(
  entry: DeliveryStatusName | 'received' | 'client_discard',
  reason: string | null,
): 'sdk' | 'waystation' | 'upstream' | 'person' | null {
  switch (entry) {
    case 'client_discard':
      return 'sdk'
    case 'dropped':
      return 'person'
    case 'filtered':
    case 'overflow':
    case 'expired':
      return 'waystation'
    case 'rate_limited':
    case 'invalid':
      return OUR_REASONS.has(reason) ? 'waystation' : 'upstream'
    default:
      return null
  }
}

/** What SDKs say that they discarded, as the books count it. */
export interface Discarding {
  readonly category: string
  readonly reason: string
  readonly quantity: number
}

/** What a book is named by, at most so long. */
const LONGEST_NAME = 64
/** More than a page can have made: one liar must not spoil the books. */
const MOST_OF_ONE_ENTRY = 1_000_000_000
/** The JavaScript SDK's own names for what Relay, and the items here, are counted under. */
const ALIASES: ReadonlyMap<string, string> = new Map([['metric', 'trace_metric']])
/** They say of what is counted already how many bytes it had. */
const BYTES: ReadonlySet<string> = new Set(['log_byte', 'trace_metric_byte'])
/**
 * Attachments have one category and two units: the JavaScript SDK tells how many there were, Python's how many bytes they
 * had. What is more than envelopes hold is bytes, of at least one attachment.
 */
const ATTACHMENT = 'attachment'
const MOST_ATTACHMENTS = 100
const UNKNOWN = 'unknown'

/** One entry of a client report; `null` where it counts nothing: it has no category or no quantity, or counts bytes. */
export function countedDiscard({
  category,
  reason,
  quantity,
}: {
  readonly category: unknown
  readonly reason: unknown
  readonly quantity: unknown
}): Discarding | null {
  if (typeof category !== 'string' || !isCount(quantity) || BYTES.has(category)) return null
  return {
    category: (ALIASES.get(category) ?? category).slice(0, LONGEST_NAME),
    reason: (typeof reason === 'string' ? reason : UNKNOWN).slice(0, LONGEST_NAME),
    quantity: category === ATTACHMENT && quantity > MOST_ATTACHMENTS ? 1 : quantity,
  }
}

const isCount = (quantity: unknown): quantity is number =>
  typeof quantity === 'number' && Number.isSafeInteger(quantity) && quantity > 0 && quantity <= MOST_OF_ONE_ENTRY

/**
 * Why SDKs discard, as their client reports say: the names of Sentry's development documentation ("Client Reports"), and
 * those that JavaScript SDK 11.8 adds. It is free text: there are others.
 */
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
