import { FINAL_TIMEOUT_MS, IDLE_TIMEOUT_MS } from '../../contract/values'
import { verdictOf } from '../verdict'
import { atSegment, spanWords, toldDuration } from './describe'
import { endPath, pageSegments } from './group-spans'
import type { Rule } from './rule'

/** SDK 7 keeps a child that ends within the idle time-out after the final one, and ends the segment with it; 11 does not. */
const LONGEST_US = (FINAL_TIMEOUT_MS + IDLE_TIMEOUT_MS) * 1000

/** Judged from each pageload and navigation of a browser: how long it lasted. */
export const finalTimeoutRule: Rule = {
  id: 'final-timeout',
  title: 'No pageload or navigation lasts longer than its final time-out',
  why: 'A page that polls would have one segment that never ends, and nothing of it would ever be sent.',
  setting: 'final-timeout',
  judgedFrom: ['telemetry'],
  sentBy: 'pages',
  severity: 'error',
  fix: `Set finalTimeout: ${FINAL_TIMEOUT_MS} in browserTracingIntegration.`,
  judge: ({ evidence }) => {
    const pages = pageSegments(evidence)
    const findings = pages
      .filter(({ segment }) => segment.endUs - segment.startUs > LONGEST_US)
      .map(({ segment }) => ({
        about: spanWords(segment),
        at: atSegment(segment),
        path: endPath(segment),
        actual: `it lasted ${toldDuration(segment.endUs - segment.startUs)}`,
        expected: `at most ${toldDuration(FINAL_TIMEOUT_MS * 1000)}`,
      }))
    return verdictOf(pages.length, findings, 'No pageload or navigation was recorded.')
  },
}
