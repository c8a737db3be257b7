import * as z from 'zod'
import { fail } from '../result'
import { amount, flag, moment, readFields, within, word } from './fields'
import { cutKey, cutName, NO_SENDER, NOTHING_SAID, oneSignal, type ParseSignals } from './signal'

/** What a session and a count of sessions say of where they were. */
export const sessionAttributesSchema = z.object({ release: word, environment: word, user_agent: word })

const sessionSchema = z.object({
  sid: word,
  init: flag,
  seq: amount,
  started: moment,
  timestamp: moment,
  duration: amount,
  status: word,
  errors: amount,
  did: word,
  abnormal_mechanism: word,
  attrs: within(sessionAttributesSchema),
})
type Session = z.infer<typeof sessionSchema>

/** A session of release health: its updates come as items of their own and are one signal by `sid`. */
export const parseSession: ParseSignals = ({ payload }, limits) => {
  const read = readFields(payload, sessionSchema, limits)
  if (!read.ok) return read
  const session = read.value
  if (session.sid === null) return fail('the session has no sid')
  const { attrs } = session
  return oneSignal(
    {
      ...NOTHING_SAID,
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

/** Only sessions of browsers name a user agent. */
const isBrowserAgent = (userAgent: string | null): boolean | null => userAgent?.startsWith('Mozilla/') ?? null

/**
 * The later update is the truth. Beginning, error and end often fall into one millisecond, which is all that a browser
 * tells: of equal times the beginning comes before an update, and an update before the end. That takes two bits, which
 * leaves 4 µs to tell updates apart.
 */
function sessionRank(session: Session): number {
  const at = session.timestamp ?? session.started ?? 0
  const hasEnded = session.status !== null && session.status !== 'ok'
  return Math.floor(at / 4) * 4 + (hasEnded ? 2 : session.init === true ? 0 : 1)
}
