import * as z from 'zod'
import { fail } from '../result'
import { idField, nestedField, numberField, objectField, readFields, spanIdField, textField } from './fields'
import { cutKey, cutName, NO_FIELDS, oneSignal, type ParseSignals } from './signal'

const checkInSchema = z.object({
  check_in_id: textField,
  monitor_slug: textField,
  status: textField,
  duration: numberField,
  environment: textField,
  release: textField,
  monitor_config: objectField,
  contexts: nestedField(z.object({ trace: nestedField(z.object({ trace_id: idField, span_id: spanIdField })) })),
})

/** An id of zeros refers to the last check-in of the monitor. */
const LATEST = /^[0-]*$/

/** Parses a check-in of a monitored job. Start and end are one signal, identified by `check_in_id`. */
export const parseCheckIn: ParseSignals = ({ payload }, sizeLimits) => {
  const read = readFields(payload, checkInSchema, sizeLimits)
  if (!read.ok) return read
  const checkIn = read.value
  if (checkIn.monitor_slug === null) return fail('the check-in names no monitor_slug')
  const id = checkIn.check_in_id?.toLowerCase().replaceAll('-', '') ?? ''
  const { trace } = checkIn.contexts
  return oneSignal({
    ...NO_FIELDS,
    kind: 'check_in',
    key: LATEST.test(id) ? null : cutKey(id),
    // A check-in has no timestamp. Its end outranks its start, in whichever order they arrive.
    rank: checkIn.status === 'in_progress' ? 0 : 1,
    traceId: trace.trace_id,
    spanId: trace.span_id,
    name: cutName(checkIn.monitor_slug),
    level: checkIn.status,
    environment: checkIn.environment,
    release: checkIn.release,
    fields: {
      checkInId: checkIn.check_in_id,
      status: checkIn.status,
      duration: checkIn.duration,
      monitorConfig: Object.keys(checkIn.monitor_config).length === 0 ? null : checkIn.monitor_config,
    },
  })
}
