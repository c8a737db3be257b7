import * as z from 'zod'
import { fail } from '../result'
import { booleanField, nestedField, numberField, readFields, textField, timeField } from './fields'
import { cutKey, cutName, NO_FIELDS, NO_SENDER, oneSignal, type ParseSignals } from './signal'

export const sessionAttributesSchema = z.object({ release: textField, environment: textField, user_agent: textField })

const sessionSchema = z.object({
  sid: textField,
  init: booleanField,
  seq: numberField,
  started: timeField,
  timestamp: timeField,
  duration: numberField,
  status: textField,
  errors: numberField,
  did: textField,
  abnormal_mechanism: textField,
  attrs: nestedField(sessionAttributesSchema),
})
type Session = z.infer<typeof sessionSchema>

/** Parses a session of release health. Its updates arrive as separate items and are one signal, identified by `sid`. */
export const parseSession: ParseSignals = ({ payload }, sizeLimits) => {
  const read = readFields(payload, sessionSchema, sizeLimits)
  if (!read.ok) return read
  const session = read.value
  if (session.sid === null) return fail('the session has no sid')
  const { attrs } = session
  return oneSignal(
    {
      ...NO_FIELDS,
      kind: 'session',
      key: cutKey(session.sid),
      rank: sessionRank(session),
      timestampUs: session.timestamp ?? session.started,
      name: cutName(session.sid),
      level: session.status ?? 'ok',
      environment: attrs.environment,
      release: attrs.release,
      fields: {
        init: session.init,
        startedUs: session.started,
        duration: session.duration,
        status: session.status ?? 'ok',
        errors: session.errors,
        did: session.did,
        seq: session.seq,
        abnormalMechanism: session.abnormal_mechanism,
        userAgent: attrs.user_agent,
      },
    },
    { ...NO_SENDER, inBrowser: isBrowserAgent(attrs.user_agent) },
  )
}

/** Only browser sessions have a user agent. */
const isBrowserAgent = (userAgent: string | null): boolean | null => userAgent?.startsWith('Mozilla/') ?? null

/**
 * Ranks updates by time. Start, error and end often share a millisecond: then an update outranks the start, and the end
 * an update. That takes two bits, so updates are ordered with a resolution of 4 µs.
 */
function sessionRank(session: Session): number {
  const at = session.timestamp ?? session.started ?? 0
  const hasEnded = session.status !== null && session.status !== 'ok'
  return Math.floor(at / 4) * 4 + (hasEnded ? 2 : session.init === true ? 0 : 1)
}
