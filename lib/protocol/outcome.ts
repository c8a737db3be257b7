/**
 * What became of an item. Set once, with a reason; until then an item is `pending`.
 * `accepted` upstream answered 2xx · `kept` nothing was owed (local only) · `filtered` cut by a rule ·
 * `rate_limited` · `invalid` a final 4xx · `overflow` stored but never owed · `expired` undelivered after 24 h ·
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

/** An item's fate as shown: `pending` until decided. A `copy` came beside the path and is never owed or counted. */
export const FATES = ['pending', ...OUTCOMES, 'copy'] as const
export type FateName = (typeof FATES)[number]
