import type { Outcome } from '../../lib/protocol/outcome'

/** Received and not decided yet: written when it becomes and when it ceases to be, so that the others can be checked by it. */
export const PENDING = 'pending'
/** What SDKs say that they discarded. */
export const DISCARDED = 'client_discard'

/** Whose record it is that something is booked of. */
export interface BookedRecord {
  /** Number of its `received` fact. */
  readonly journal: number
  readonly stamp: string | null
}

/** What is added to one entry. */
export interface BookLine {
  readonly category: string
  readonly entry: 'received' | typeof PENDING | typeof DISCARDED | Outcome
  /** Empty where the entry says it all. */
  readonly reason: string
  readonly quantity: number
  readonly items: number
}

/** One line per entry; what cancels out is none. */
export function summed(lines: Iterable<BookLine>): readonly BookLine[] {
  const sums = new Map<string, Map<string, BookLine>>()
  for (const { category, entry, reason, quantity, items } of lines) {
    const book = sums.get(category) ?? new Map<string, BookLine>()
    sums.set(category, book)
    // Entries are our own words, without a space.
    const key = `${entry} ${reason}`
    const before = book.get(key)
    const sum = { quantity: quantity + (before?.quantity ?? 0), items: items + (before?.items ?? 0) }
    book.set(key, { category, entry, reason, ...sum })
  }
  return [...sums.values()].flatMap((book) =>
    [...book.values()].filter((line) => line.quantity !== 0 || line.items !== 0),
  )
}
