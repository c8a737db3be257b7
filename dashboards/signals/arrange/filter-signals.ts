import type { SignalRow } from '../../../lib/wire/signal'
import { fateWords } from '../../words/fates'
import { filterRows } from '../../words/filter-rows'
import { printableValue } from '../../words/printable'

/** The signals in which every word of the filter occurs; all that a signal says is searched. */
export const filterSignals = (signals: readonly SignalRow[], filter: string): readonly SignalRow[] =>
  filterRows(signals, filter, textsOf)

/** What to filter by to see what came with one envelope. */
export const envelopeFilter = (seq: number): string => `envelope:${seq}/`

function textsOf(signal: SignalRow): readonly (string | null)[] {
  const { name, level, service, environment, release, traceId, spanId, eventId, fields, fate, seq, item } = signal
  return [
    name,
    level,
    service,
    environment,
    release,
    traceId ?? 'no trace',
    spanId,
    eventId,
    ...Object.entries(fields).map(([field, value]) => `${field} ${printableValue(value)}`),
    fateWords(fate.name).word,
    `${envelopeFilter(seq)}${item}`,
  ]
}
