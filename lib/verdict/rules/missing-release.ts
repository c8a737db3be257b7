import { text } from '../../protocol/json-value'
import type { SeenEvent, SeenSegment } from '../evidence/evidence'
import { type Finding, verdictOf } from '../verdict'
import { atEvent, atSegment, spanLabel } from './describe'
import { pathIn } from './group-spans'
import type { Rule } from './rule'

/**
 * Checks every error event and segment. Streamed spans take the release from their segment; SDKs 8 to 10 put it into an
 * unprefixed attribute of a standalone span. SDKs 7.80 and 11.8 send no release if the build has none.
 */
export const missingReleaseRule: Rule = {
  id: 'missing-release',
  title: 'Every event and segment names a release',
  why: 'Without a release Sentry cannot tell new errors from old ones, and finds no source maps.',
  setting: null,
  judgedFrom: ['telemetry'],
  severity: 'warning',
  fix: 'Set release in Sentry.init, or SENTRY_RELEASE when you build and start the program. For OpenTelemetry set OTEL_RESOURCE_ATTRIBUTES=service.version=1.0.0.',
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
    return verdictOf(judged, findings, 'No error event or segment was recorded.')
  },
}

const ofEvent = (event: SeenEvent): Finding => ({
  about: event.title,
  at: atEvent(event),
  path: 'release',
  actual: 'nothing',
  expected: 'a release',
})

const ofSegment = (segment: SeenSegment): Finding => ({
  about: spanLabel(segment),
  at: atSegment(segment),
  path: pathIn(segment, 'release'),
  actual: 'nothing',
  expected: 'a release',
})
