import { FINAL_TIMEOUT_MS, IDLE_TIMEOUT_MS } from '../../contract/values'
import { durationText } from '../text'
import { verdictOf } from '../verdict'
import { atSegment, spanLabel } from './describe'
import { type PageSegment, pageSegments, pathIn } from './group-spans'
import { openSpans } from './open-spans'
import type { Rule } from './rule'

/** SDK 7 ends a segment with a child that ends within the idle time-out after the final time-out; SDK 11 does not. */
const LONGEST_US = (FINAL_TIMEOUT_MS + IDLE_TIMEOUT_MS) * 1000

/** Checks the duration of each pageload and navigation of a browser. */
export const finalTimeoutRule: Rule = {
  id: 'final-timeout',
  title: 'No pageload or navigation lasts longer than its final time-out',
  why: 'The segment of a polling page would never end, and would never be sent.',
  setting: 'final-timeout',
  judgedFrom: ['telemetry'],
  sentBy: 'pages',
  severity: 'warning',
  contractSeverity: 'error',
  fix: `Set finalTimeout: ${FINAL_TIMEOUT_MS} in browserTracingIntegration.`,
  judge: ({ evidence }) => {
    const pages = pageSegments(evidence)
    const findings = pages
      .filter(({ segment }) => segment.endUs - segment.startUs > LONGEST_US)
      .map(({ segment, children }) => ({
        about: spanLabel(segment),
        at: atSegment(segment),
        path: pathIn(segment, 'end'),
        actual: `it lasted ${durationText(segment.endUs - segment.startUs)}${openSpan({ segment, children })}`,
        expected: `at most ${durationText(FINAL_TIMEOUT_MS * 1000)}`,
      }))
    return verdictOf(pages.length, findings, 'No pageload or navigation was recorded.')
  },
}

/** The span for which it waited, if there is one. */
function openSpan(page: PageSegment): string {
  const [open] = openSpans([page])
  return open === undefined ? '' : ` and waited for ${spanLabel(open.span)}, which never ended: is span.end() called?`
}
