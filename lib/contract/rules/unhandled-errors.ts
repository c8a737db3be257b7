import { verdictOf } from '../verdict'
import type { Rule } from './rule'

/**
 * Judged from error events whose mechanism says `handled: false`: nobody caught them. An event that says nothing of it is
 * not taken for one. Where anything at all was recorded and no such event is among it, the line works and there was none;
 * but where an event could not be read, nobody knows.
 */
export const unhandledErrorsRule: Rule = {
  id: 'unhandled-errors',
  title: 'No unhandled errors',
  why: 'Somebody saw the page break, or got no answer, and no code of yours took care of it.',
  setting: null,
  judgedFrom: ['telemetry'],
  severity: 'error',
  mend: 'Open the event and mend its cause; what is expected belongs into the allowlist, with a date.',
  judge: ({ evidence }) => {
    const findings = evidence.events
      .filter(({ copy, handled }) => !copy && handled === false)
      .map(({ title, seq, item, traceId, eventId, spanId, mechanism, service }) => ({
        about: title,
        at: { seq, item, traceId, eventId, spanId },
        path: 'exception.values.mechanism.handled',
        seen: `false, by ${mechanism ?? 'a mechanism without a name'} in ${service}`,
        wanted: 'true, or no such error',
      }))
    const items = evidence.items.filter(({ copy }) => !copy)
    const unread = items.find(({ type, problem }) => type === 'event' && problem !== null)
    if (findings.length === 0 && unread !== undefined)
      return { verdict: 'incomplete', why: `The event of envelope ${unread.seq} could not be read: ${unread.problem}.` }
    return verdictOf(items.length, findings, 'Nothing was recorded that could have told of an error.')
  },
}
