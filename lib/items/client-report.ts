import { z } from 'zod'
import { succeed } from '../protocol/result'
import { firstOf } from './json'
import { amount, entries, moment, readFields, word } from './lenient'
import { cutName, NO_SENDER, NOTHING_SAID, type ParseSignals } from './signal'

/** SDKs fill the first list; relays in between the others. */
const LISTS = ['discarded_events', 'rate_limited_events', 'filtered_events', 'filtered_sampling_events'] as const

const reportSchema = z.object({
  timestamp: moment,
  discarded_events: entries,
  rate_limited_events: entries,
  filtered_events: entries,
  filtered_sampling_events: entries,
})
const entrySchema = z.object({ reason: word, category: word, quantity: amount })

/** What a sender discarded: one signal for each reason and data category. */
export const parseClientReport: ParseSignals = ({ payload, most }, limits) => {
  const read = readFields(payload, reportSchema, limits)
  if (!read.ok) return read
  const report = read.value
  const all = LISTS.flatMap((list) => report[list].map((entry) => ({ list, entry })))
  const { read: told, beyond } = firstOf(all, most)
  const signals = told.map(({ list, entry }) => {
    const { reason, category, quantity } = entrySchema.parse(entry)
    return {
      ...NOTHING_SAID,
      kind: 'client_report' as const,
      rank: report.timestamp ?? 0,
      timestampUs: report.timestamp,
      name: cutName(`${reason ?? '(no reason)'} ${category ?? '(no category)'}`),
      fields: { reason, category, quantity, list },
    }
  })
  return succeed({ signals, unreadable: 0, beyond, sender: NO_SENDER })
}
