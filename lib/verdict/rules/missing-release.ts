import { text } from '../../protocol/json-value'
import { judgeField } from './missing-field'
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
  judge: ({ evidence }) =>
    judgeField(evidence, {
      field: 'release',
      has: (one) => one.release !== null || ('attributes' in one && text(one.attributes.release) !== null),
      expected: 'a release',
    }),
}
