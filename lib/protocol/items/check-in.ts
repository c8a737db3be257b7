import * as z from 'zod'
import { fail } from '../result'
import { amount, id16, id32, object, readFields, within, word } from './fields'
import { cutKey, cutName, NOTHING_SAID, oneSignal, type ParseSignals } from './signal'

const checkInSchema = z.object({
  check_in_id: word,
  monitor_slug: word,
  status: word,
  duration: amount,
  environment: word,
  release: word,
  monitor_config: object,
  contexts: within(z.object({ trace: within(z.object({ trace_id: id32, span_id: id16 })) })),
})

/** Where an SDK means "the last one of this monitor", it sends an id of zeros. */
const LATEST = /^[0-]*$/

/** A monitored job's sign of life: beginning and end are one signal by `check_in_id`. */
export const parseCheckIn: ParseSignals = ({ payload }, limits) => {
  const read = readFields(payload, checkInSchema, limits)
  if (!read.ok) return read
  const checkIn = read.value
  if (checkIn.monitor_slug === null) return fail('the check-in names no monitor_slug')
  const id = checkIn.check_in_id?.toLowerCase().replaceAll('-', '') ?? ''
  const { trace } = checkIn.contexts
  return oneSignal({
    ...NOTHING_SAID,
    kind: 'check_in',
    key: LATEST.test(id) ? null : cutKey(id),
    // It has no time of its own; whichever comes first, what has ended is not in progress.
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
