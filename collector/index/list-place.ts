import type { ListPlace } from './page'

/**
 * Where a trace or a segment stands in its list, as one number: the journal number of its record, and which of the things
 * that the record tells of. A record tells of 20,000 and one for each of its items at most
 * (`collector/walk/row-budget.ts`, `lib/config/limits.ts`), and 2 to the power of 37 facts fit beside.
 */
export const SLOTS = 65_536

export const listPlace = (journal: number, slot: number): number => journal * SLOTS + slot

/** The place of the trace `@traceId`, as part of a statement; null where no record tells of it. */
export const PLACE_OF_TRACE = `(SELECT min(journal * ${SLOTS} + slot) FROM trace_records WHERE trace_id = @traceId)`

/** As a cursor writes it. */
export const placeOf = (place: number): ListPlace => ({
  journal: Math.floor(place / SLOTS),
  id: (place % SLOTS).toString(16),
})

/** As a cursor read it; what is no place of this list is at the end of its record. */
export function numberOfPlace({ journal, id }: ListPlace): number {
  const slot = /^[0-9a-f]{1,4}$/.test(id) ? Number.parseInt(id, 16) : 0
  return Math.min(listPlace(journal, slot), Number.MAX_SAFE_INTEGER)
}
