import type { ListPosition } from '../../../lib/wire/list-paging'

/**
 * The position of a trace or segment is one number: the journal number of its record, and a slot for its index in the
 * record (at most 20,000 and one per item, `lib/config/fields.ts`). 2 to the power of 37 journal numbers fit.
 */
export const SLOTS = 65_536

export const positionNumber = (journal: number, slot: number): number => journal * SLOTS + slot

/** The position of the trace `@traceId`, as part of a statement; null when no record contributes to it. */
export const POSITION_OF_TRACE = `(SELECT min(journal * ${SLOTS} + slot) FROM trace_records WHERE trace_id = @traceId)`

export const positionFromNumber = (position: number): ListPosition => ({
  journal: Math.floor(position / SLOTS),
  id: (position % SLOTS).toString(16),
})

/** An id that is not a slot is the end of its record. */
export function numberFromPosition({ journal, id }: ListPosition): number {
  const slot = /^[0-9a-f]{1,4}$/.test(id) ? Number.parseInt(id, 16) : 0
  return Math.min(positionNumber(journal, slot), Number.MAX_SAFE_INTEGER)
}
