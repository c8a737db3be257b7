import { DATA_CATEGORIES, type Quantity } from '../../../lib/protocol/data-category'
import type { Outcome } from '../../../lib/protocol/outcome'
import { ANSWER_UNSEEN, DISCARD_REASONS, NETWORK_ERROR } from '../../../lib/protocol/outcome'
import type { Discard } from '../../../lib/protocol/submission'
import { type Decision, EVERY_ITEM } from '../submission'

/** Categories with totals of their own. Names that senders make up beyond them are counted together as `other`. */
export const MAX_CATEGORIES = 200
export const MAX_REASONS = 200
export const OTHER_NAME = 'other'

/** Received and not decided yet: added on receipt, subtracted with the outcome, so that outcomes can be checked against it. */
export const PENDING = 'pending'
/** Discarded by SDKs, from their client reports. */
export const DISCARDED = 'client_discard'

/** A change of the totals of one category. */
export interface LedgerEntry {
  readonly category: string
  readonly entry: 'received' | typeof PENDING | typeof DISCARDED | typeof ANSWER_UNSEEN | Outcome
  /** Empty if the entry has no reasons. */
  readonly reason: string
  readonly quantity: number
  readonly items: number
}

/** The names under which items and discards are counted. */
export class LedgerNames {
  readonly #categories: Set<string>
  readonly #reasons: Set<string>

  /** @param known names that have totals already, beyond those of the protocol */
  constructor(known: { readonly categories: readonly string[]; readonly reasons: readonly string[] }) {
    this.#categories = new Set([...DATA_CATEGORIES, ...known.categories])
    this.#reasons = new Set([...DISCARD_REASONS, ...known.reasons])
  }

  /** The category under which an item is counted: its own, or `other`. */
  limit({ category, quantity }: Quantity): Quantity {
    return { category: nameOrOther(this.#categories, category, MAX_CATEGORIES), quantity }
  }

  /** A discard that an SDK reported; it has no items here. */
  discarded(discard: Discard): LedgerEntry {
    const { category, quantity } = this.limit(discard)
    const reason = nameOrOther(this.#reasons, discard.reason, MAX_REASONS)
    return { category, entry: DISCARDED, reason, quantity, items: 0 }
  }
}

function nameOrOther(known: Set<string>, name: string, max: number): string {
  if (known.has(name)) return name
  if (known.size >= max) return OTHER_NAME
  known.add(name)
  return name
}

/** Entries of one received item. */
export const receivedEntries = ({ category, quantity }: Quantity): readonly LedgerEntry[] => [
  { category, entry: 'received', reason: '', quantity, items: 1 },
  { category, entry: PENDING, reason: '', quantity, items: 1 },
]

/** Moves discards that an SDK reported as `network_error`: these items arrived, and only the answer was not seen. */
export const unseenEntries = ({ category, quantity }: Quantity): readonly LedgerEntry[] => [
  { category, entry: DISCARDED, reason: NETWORK_ERROR, quantity: -quantity, items: 0 },
  { category, entry: ANSWER_UNSEEN, reason: '', quantity, items: 0 },
]

interface DecidedItem {
  /** Its index, or `EVERY_ITEM`. */
  readonly item: number
  readonly outcome: Outcome
  readonly reason: string | null
}

/** Entries of an outcome. @param quantities of the submission, one per item */
export function settledEntries(quantities: readonly Quantity[], decided: DecidedItem): readonly LedgerEntry[] {
  const { item, outcome, reason } = decided
  const settled = item === EVERY_ITEM ? quantities : quantities.slice(item, item + 1)
  return settled.flatMap(({ category, quantity }): LedgerEntry[] => [
    { category, entry: PENDING, reason: '', quantity: -quantity, items: -1 },
    { category, entry: outcome, reason: reason ?? '', quantity, items: 1 },
  ])
}

/** Whether a decision has one outcome for each item. @param items number of them */
export function isComplete(decision: NonNullable<Decision>, items: number): boolean {
  if (decision.length === 1 && decision[0]?.item === EVERY_ITEM) return true
  const decided = new Set(decision.map(({ item }) => item))
  return decided.size === decision.length && decided.size === items && [...decided].every((n) => n >= 0 && n < items)
}

/** One entry per row of the totals, without those that cancel out. */
export function sumEntries(entries: Iterable<LedgerEntry>): readonly LedgerEntry[] {
  const sums = new Map<string, Map<string, LedgerEntry & { quantity: number; items: number }>>()
  for (const { category, entry, reason, quantity, items } of entries) {
    const ofCategory = sums.get(category) ?? new Map()
    sums.set(category, ofCategory)
    // Entry names have no space.
    const key = `${entry} ${reason}`
    const sum = ofCategory.get(key)
    if (sum === undefined) {
      ofCategory.set(key, { category, entry, reason, quantity, items })
    } else {
      sum.quantity += quantity
      sum.items += items
    }
  }
  return [...sums.values()].flatMap((ofCategory) =>
    [...ofCategory.values()].filter((entry) => entry.quantity !== 0 || entry.items !== 0),
  )
}
