import { DEFAULT_ENVIRONMENT } from '../../contract/values'
import { type Finding, verdictOf } from '../verdict'
import { atEvent, atSegment, spanWords } from './describe'
import { isWebVital } from './group-spans'
import type { Rule } from './rule'

/**
 * Judged from each error event and each segment, of any SDK. Most fall back to `production` by themselves, but
 * `@sentry/nextjs` takes NODE_ENV before that, and a tunnel or `beforeSend` may take it out again. Any name
 * will do. The interactions that SDK 8 to 10 send as spans of their own name none, and are not judged.
 */
export const environmentRule: Rule = {
  id: 'environment',
  title: 'Every event names an environment',
  why: 'Without one, what happens in production cannot be told from what happens on a developer’s machine.',
  setting: 'environment',
  judgedFrom: ['telemetry'],
  severity: 'error',
  fix: `Set environment in every Sentry.init, such as '${DEFAULT_ENVIRONMENT}'; a server takes SENTRY_ENVIRONMENT, too.`,
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
          about: spanWords(segment),
          at: atSegment(segment),
          path: segment.lifecycle === 'static' ? 'environment' : 'attributes.sentry.environment',
          ...NONE,
        })),
    ]
    return verdictOf(events.length + segments.length, findings, 'No error event and no segment was recorded.')
  },
}

const NONE = { actual: 'nothing', expected: `the name of an environment, such as ${DEFAULT_ENVIRONMENT}` } as const
