import * as z from 'zod'
import { firstOf } from '../json-value'
import { fail, succeed } from '../result'
import { nestedField, numberField, objectListField, readFields, textField, timeField } from './fields'
import { sessionAttributesSchema } from './session'
import { NO_FIELDS, NO_SENDER, type ParseSignals } from './signal'

const sessionsSchema = z.object({ aggregates: objectListField, attrs: nestedField(sessionAttributesSchema) })
const bucketSchema = z.object({
  started: timeField,
  exited: numberField,
  errored: numberField,
  crashed: numberField,
  abnormal: numberField,
  unhandled: numberField,
  did: textField,
})

/** Parses session counts of a server, usually one per minute. Each count is one signal, because counts have no id. */
export const parseSessions: ParseSignals = ({ payload, most }, sizeLimits) => {
  const read = readFields(payload, sessionsSchema, sizeLimits)
  if (!read.ok) return read
  const { aggregates, attrs } = read.value
  if (aggregates.length === 0) return fail('the sessions have no aggregates')
  const { read: counted, beyond } = firstOf(aggregates, most)
  return succeed({
    signals: counted.map((aggregate) => {
      const { started, did, ...counts } = bucketSchema.parse(aggregate)
      const positive = Object.entries(counts).filter(([, count]) => count !== null && count > 0)
      return {
        ...NO_FIELDS,
        kind: 'session',
        rank: started ?? 0,
        timestampUs: started,
        name: positive.map(([status, count]) => `${count} ${status}`).join(', ') || 'no sessions',
        environment: attrs.environment,
        release: attrs.release,
        fields: { ...counts, did },
      }
    }),
    unreadable: 0,
    beyond,
    // Browsers send each session separately.
    sender: { ...NO_SENDER, inBrowser: false },
  })
}
