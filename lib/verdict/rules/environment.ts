import { DEFAULT_ENVIRONMENT } from '../../contract/values'
import { type Finding, verdictOf } from '../verdict'
import { atEvent, atSegment, spanLabel } from './describe'
import { isWebVital, pathIn } from './group-spans'
import type { Rule } from './rule'

/**
 * Checks each error event and segment of any SDK; any name passes. Most SDKs default to `production` and `@sentry/nextjs`
 * to NODE_ENV, but a tunnel or `beforeSend` may remove it. Web vitals are not checked: SDKs 8 to 10 send them without one.
 */
export const environmentRule: Rule = {
  id: 'environment',
  title: 'Every event and segment names an environment',
  why: 'Without an environment, production data and data of developers’ machines are mixed.',
  setting: 'environment',
  judgedFrom: ['telemetry'],
  severity: 'off',
  contractSeverity: 'error',
  fix: `Set environment in every Sentry.init, such as '${DEFAULT_ENVIRONMENT}', or SENTRY_ENVIRONMENT on a server. For OpenTelemetry set OTEL_RESOURCE_ATTRIBUTES=deployment.environment.name=${DEFAULT_ENVIRONMENT}.`,
  judge: ({ evidence }) => {
    const events = evidence.events.filter(({ copy }) => !copy)
    const segments = evidence.segments.filter((segment) => !segment.copy && !isWebVital(segment))
    const findings: readonly Finding[] = [
      ...events
        .filter(({ environment }) => environment === null)
        .map((event) => ({
          about: event.title,
          at: atEvent(event),
          path: 'environment',
          ...NONE,
        })),
      ...segments
        .filter(({ environment }) => environment === null)
        .map((segment) => ({
          about: spanLabel(segment),
          at: atSegment(segment),
          path: pathIn(segment, 'environment'),
          ...NONE,
        })),
    ]
    return verdictOf(events.length + segments.length, findings, 'No error event or segment was recorded.')
  },
}

const NONE = { actual: 'nothing', expected: `an environment, such as ${DEFAULT_ENVIRONMENT}` } as const
