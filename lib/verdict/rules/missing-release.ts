import { text } from '../../protocol/json'
import type { SeenEvent, SeenSegment } from '../evidence/evidence'
import { type Finding, verdictOf } from '../verdict'
import { atEvent, atSegment, spanWords } from './describe'
import type { Rule } from './rule'

/**
 * Judged from every error event and every segment of either lifecycle: each names the release it is of. Spans of a
 * container have it from their segment; a span that SDKs 8 to 10 send alone has it in an attribute without a prefix. An SDK sets none by itself: 7.80 and 11.8 send none where the build was told none.
 */
export const missingReleaseRule: Rule = {
  id: 'missing-release',
  title: 'Everything names its release',
  why: 'Without a release no error can be told to be new, and no source map is found for it.',
  setting: null,
  judgedFrom: ['telemetry'],
  severity: 'warning',
  fix: 'Set release where the SDK is started, or SENTRY_RELEASE where the program is built and started.',
  judge: ({ evidence }) => {
    const findings: Finding[] = []
    let judged = 0
    for (const event of evidence.events) {
      if (event.copy) continue
      judged += 1
      if (event.release === null) findings.push(ofEvent(event))
    }
    for (const segment of evidence.segments) {
      if (segment.copy) continue
      judged += 1
      if (segment.release === null && text(segment.attributes.release) === null) findings.push(ofSegment(segment))
    }
    return verdictOf(judged, findings, 'No error event and no segment was recorded.')
  },
}

const ofEvent = (event: SeenEvent): Finding => ({
  about: event.title,
  at: atEvent(event),
  path: 'release',
  actual: 'nothing',
  expected: 'the name of a release',
})

const ofSegment = (segment: SeenSegment): Finding => ({
  about: spanWords(segment),
  at: atSegment(segment),
  path: segment.lifecycle === 'static' ? 'release' : 'attributes.sentry.release',
  actual: 'nothing',
  expected: 'the name of a release',
})
