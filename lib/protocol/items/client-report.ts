import * as z from 'zod'
import { firstOf } from '../json-value'
import { type Result, succeed } from '../result'
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
