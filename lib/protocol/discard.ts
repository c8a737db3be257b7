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
