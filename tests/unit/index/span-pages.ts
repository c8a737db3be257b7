import { readSpans } from '../../../collector/index/traces/read-spans'
import { openForReading } from '../../../collector/runtime/database'
import { SIZE_LIMITS } from '../../../lib/protocol/size-limits'
import type { ListFilter } from '../../../lib/wire/list-filter'
import { type ListPosition, NEWEST, readCursor } from '../../../lib/wire/list-paging'
import { type SpanRow, spansPageSchema } from '../../../lib/wire/trace'
import type { Folder } from './folder'

/** Reads every page of the span list. @param now called for each reading of the clock. */
export function spanPages(
  folder: Folder,
  filter: ListFilter,
  limit: number,
  now: () => number = () => 0,
): readonly (readonly SpanRow[])[] {
  const db = openForReading(folder.file('telemetry.db'))
  try {
    db.prepare('ATTACH ? AS spool').run(folder.file('spool.db'))
    const read: (readonly SpanRow[])[] = []
    for (let position: ListPosition | null = NEWEST; position !== null; ) {
      const page = spansPageSchema.parse(readSpans(db, { sizeLimits: SIZE_LIMITS, now }, filter, position, { limit }))
      read.push(page.spans)
      const next: ListPosition | null = page.next === null ? null : readCursor(page.next)
      if (next?.journal === position.journal && next.id === position.id) throw new Error(`${page.next} leads to itself`)
      position = next
    }
    return read
  } finally {
    db.close()
  }
}
