import * as z from 'zod'
import { text } from '../json-value'
import { succeed } from '../result'
import { attributesField, idField, numberField, readContainer, spanIdField, textField, timeField } from './fields'
import { cutName, NO_FIELDS, type ParseSignals } from './signal'

const logSchema = z.object({
  timestamp: timeField,
  level: textField,
  body: textField,
  trace_id: idField,
  span_id: spanIdField,
  severity_number: numberField,
  attributes: attributesField,
})

/** Parses a container of logs into one signal per entry. */
export const parseLogs: ParseSignals = ({ payload, most }, sizeLimits) => {
  const container = readContainer(payload, most, sizeLimits)
  if (!container.ok) return container
  const logs = container.value.entries.map((entry) => logSchema.parse(entry))
  return succeed({
    signals: logs.map((log) => ({
      ...NO_FIELDS,
      kind: 'log',
      rank: log.timestamp ?? 0,
      timestampUs: log.timestamp,
      traceId: log.trace_id,
      spanId: log.span_id,
      name: cutName(log.body ?? '(no message)'),
      level: log.level,
      environment: text(log.attributes['sentry.environment']),
      release: text(log.attributes['sentry.release']),
      fields: {
        severityNumber: log.severity_number,
        // Orders logs with the same timestamp.
        sequence: log.attributes['sentry.timestamp.sequence'] ?? null,
        attributes: log.attributes,
      },
    })),
    unreadable: container.value.unreadable,
    beyond: container.value.beyond,
    sender: {
      platform: null,
      sdk: text(logs[0]?.attributes['sentry.sdk.name']),
      inBrowser: container.value.inBrowser,
    },
  })
}
