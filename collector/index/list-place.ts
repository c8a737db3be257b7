import type { ListPosition } from '../../lib/wire/list-position'

/**
 * Where a trace or a segment stands in its list, as one number: the journal number of its record, and which of the things
 * that the record tells of. A record tells of 20,000 and one for each of its items at most
 * (`collector/walk/row-budget.ts`, `lib/config/limits.ts`), and 2 to the power of 37 facts fit beside.
 */
export const SLOTS = 65_536

export const positionNumber = (journal: number, slot: number): number => journal * SLOTS + slot

/** The place of the trace `@traceId`, as part of a statement; null where no record tells of it. */
export const POSITION_OF_TRACE = `(SELECT min(journal * ${SLOTS} + slot) FROM trace_records WHERE trace_id = @traceId)`

/** As a cursor writes it. */
export const positionFromNumber = (place: number): ListPosition => ({
  journal: Math.floor(place / SLOTS),
  id: (place % SLOTS).toString(16),
})

/** As a cursor read it; what is no place of this list is at the end of its record. */
export function numberFromPosition({ journal, id }: ListPosition): number {
  const slot = /^[0-9a-f]{1,4}$/.test(id) ? Number.parseInt(id, 16) : 0
  return Math.min(positionNumber(journal, slot), Number.MAX_SAFE_INTEGER)
}
