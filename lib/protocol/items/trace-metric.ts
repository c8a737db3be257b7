import * as z from 'zod'
import { entryFields, parseEntries, quantityField, textField } from './fields'
import { cutName, type ParseSignals } from './signal'

const metricSchema = z.object({
  ...entryFields,
  name: textField,
  type: textField,
  value: quantityField,
  unit: textField,
})

/** Parses a container of metrics. Each entry is one measurement, not a sum. */
export const parseTraceMetrics: ParseSignals = (item, sizeLimits) =>
  parseEntries(item, sizeLimits, metricSchema, ({ name, type, value, unit }) => ({
    kind: 'metric',
    name: cutName(name ?? '(unnamed)'),
    fields: { type, value, unit },
  }))
