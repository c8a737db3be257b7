import * as z from 'zod'
import type { CountedItem } from '../data-category'
import { firstOf } from '../json-value'
import { countedDiscard } from '../outcome'
import { type Result, succeed } from '../result'
import type { SizeLimits } from '../size-limits'
import type { Discard } from '../submission'
import type { EpochUs } from '../timestamp'
import { numberField, objectListField, readFields, textField, timeField } from './fields'
import { cutName, NO_FIELDS, NO_SENDER, type ParseSignals, type ReadLimits } from './signal'

/** SDKs fill the first list, relays between SDK and Sentry the others. */
const LISTS = ['discarded_events', 'rate_limited_events', 'filtered_events', 'filtered_sampling_events'] as const

const reportSchema = z.object({
  timestamp: timeField,
  discarded_events: objectListField,
  rate_limited_events: objectListField,
  filtered_events: objectListField,
  filtered_sampling_events: objectListField,
})
const entrySchema = z.object({ reason: textField, category: textField, quantity: numberField })

interface Discarded {
  readonly list: (typeof LISTS)[number]
  readonly reason: string | null
  readonly category: string | null
  readonly quantity: number | null
}

/** Reads a client report. Each entry is parsed when called: a page shows the first entries, the ledger counts all. */
export function readClientReport(
  payload: Uint8Array,
  sizeLimits: ReadLimits,
): Result<{ readonly timestamp: EpochUs | null; readonly entries: readonly (() => Discarded)[] }, string> {
  const report = readFields(payload, reportSchema, sizeLimits)
  if (!report.ok) return report
  const { timestamp, ...lists } = report.value
  const all = LISTS.flatMap((list) => lists[list].map((entry) => () => ({ list, ...entrySchema.parse(entry) })))
  return succeed({ timestamp, entries: all })
}

/** Parses a client report into one signal for each reason and data category. */
export const parseClientReport: ParseSignals = ({ payload, most }, sizeLimits) => {
  const report = readClientReport(payload, sizeLimits)
  if (!report.ok) return report
  const { timestamp, entries: all } = report.value
  const { read, beyond } = firstOf(all, most)
  const signals = read.map((readEntry) => {
    const { reason, category, quantity, list } = readEntry()
    return {
      ...NO_FIELDS,
      kind: 'client_report' as const,
      rank: timestamp ?? 0,
      timestampUs: timestamp,
      name: cutName(`${reason ?? '(no reason)'} ${category ?? '(no category)'}`),
      fields: { reason, category, quantity, list },
    }
  })
  return succeed({ signals, unreadable: 0, beyond, sender: NO_SENDER })
}

/**
 * Sums client reports by category and reason, and reads when they were written. Stops at the size limit of one report,
 * because the sender waits.
 */
export function sumReports(
  items: readonly (CountedItem & { readonly payload: Uint8Array })[],
  sizeLimits: SizeLimits,
): { readonly discards: readonly Discard[]; readonly countedAt?: number } {
  const sums = new Map<string, Map<string, number>>()
  let bytes = 0
  let countedAt = 0
  for (const { header, payload } of items) {
    if (header.type !== 'client_report') continue
    bytes += payload.length
    if (bytes > sizeLimits.client_report) break
    const report = readClientReport(payload, sizeLimits)
    if (report.ok) countedAt = Math.max(countedAt, (report.value.timestamp ?? 0) / 1000)
    for (const readEntry of report.ok ? report.value.entries : []) {
      const discard = countedDiscard(readEntry())
      if (discard === null) continue
      const reasons = sums.get(discard.category) ?? new Map<string, number>()
      sums.set(discard.category, reasons)
      reasons.set(discard.reason, (reasons.get(discard.reason) ?? 0) + discard.quantity)
    }
  }
  const discards = [...sums].flatMap(([category, reasons]) =>
    [...reasons].map(([reason, quantity]) => ({ category, reason, quantity })),
  )
  return { discards, ...(countedAt > 0 && { countedAt }) }
}
