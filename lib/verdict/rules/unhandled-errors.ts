import { verdictOf } from '../verdict'
import { errorVisibility } from './coverage'
import type { Rule } from './rule'

/**
 * Reports error events with the mechanism `handled: false`; events without that field pass. It passes only if other items
 * show that the path works, and is incomplete if an event could not be parsed.
 */
export const unhandledErrorsRule: Rule = {
  id: 'unhandled-errors',
  title: 'No unhandled errors',
  why: 'A visitor saw a broken page or got no answer, and no code handled the error.',
  setting: null,
  judgedFrom: ['telemetry'],
  severity: 'error',
  fix: 'Open the event and fix its cause, or add an expected error to the allowlist with an end date.',
  judge: ({ evidence }) => {
    const findings = evidence.events
      .filter(({ copy, handled }) => !copy && handled === false)
      .map(({ title, seq, item, traceId, eventId, spanId, mechanism, service }) => ({
        about: title,
        at: { seq, item, traceId, eventId, spanId },
        path: 'exception.values.mechanism.handled',
        actual: `false, by ${mechanism ?? 'an unnamed mechanism'} in ${service}`,
        expected: 'true, or no error',
      }))
    const telling = errorVisibility(evidence)
    if (typeof telling === 'number') return verdictOf(telling, findings, '')
    return findings.length > 0 ? verdictOf(findings.length, findings, '') : telling
  },
}
