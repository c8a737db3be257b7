import { verdictOf } from '../verdict'
import { couldTellErrors } from './coverage'
import type { Rule } from './rule'

/**
 * Judged from error events whose mechanism says `handled: false`: nobody caught them. An event that says nothing of it is
 * not taken for one. Where something was recorded that could have told of an error, the line works and there was none; but
 * where an event could not be read, nobody knows.
 */
export const unhandledErrorsRule: Rule = {
  id: 'unhandled-errors',
  title: 'No unhandled errors',
  why: 'Somebody saw the page break, or got no answer, and no code of yours took care of it.',
  setting: null,
  judgedFrom: ['telemetry'],
  severity: 'error',
  fix: 'Open the event and mend its cause; what is expected belongs in the allowlist, with a date.',
  judge: ({ evidence }) => {
    const findings = evidence.events
      .filter(({ copy, handled }) => !copy && handled === false)
      .map(({ title, seq, item, traceId, eventId, spanId, mechanism, service }) => ({
        about: title,
        at: { seq, item, traceId, eventId, spanId },
        path: 'exception.values.mechanism.handled',
        actual: `false, by ${mechanism ?? 'a mechanism without a name'} in ${service}`,
        expected: 'true, or no such error',
      }))
    const telling = couldTellErrors(evidence)
    if (typeof telling === 'number') return verdictOf(telling, findings, '')
    return findings.length > 0 ? verdictOf(findings.length, findings, '') : telling
  },
}
