import * as z from 'zod'
import { text } from '../json-value'
import { succeed } from '../result'
import { attributesField, idField, quantityField, readContainer, spanIdField, textField, timeField } from './fields'
import { cutName, NO_FIELDS, type ParseSignals } from './signal'

const metricSchema = z.object({
  timestamp: timeField,
  name: textField,
  type: textField,
  value: quantityField,
  unit: textField,
  trace_id: idField,
  span_id: spanIdField,
  attributes: attributesField,
})

/** Parses a container of metrics. Each entry is one measurement, not a sum. */
export const parseTraceMetrics: ParseSignals = ({ payload, most }, sizeLimits) => {
  const container = readContainer(payload, most, sizeLimits)
  if (!container.ok) return container
  const metrics = container.value.entries.map((entry) => metricSchema.parse(entry))
  return succeed({
    signals: metrics.map((metric) => ({
      ...NO_FIELDS,
      kind: 'metric',
      rank: metric.timestamp ?? 0,
      timestampUs: metric.timestamp,
      traceId: metric.trace_id,
      spanId: metric.span_id,
      name: cutName(metric.name ?? '(unnamed)'),
      environment: text(metric.attributes['sentry.environment']),
      release: text(metric.attributes['sentry.release']),
      fields: {
        type: metric.type,
        value: metric.value,
        unit: metric.unit,
        sequence: metric.attributes['sentry.timestamp.sequence'] ?? null,
        attributes: metric.attributes,
      },
    })),
    unreadable: container.value.unreadable,
    beyond: container.value.beyond,
    sender: {
      platform: null,
      sdk: text(metrics[0]?.attributes['sentry.sdk.name']),
      inBrowser: container.value.inBrowser,
    },
  })
}
