import { DEFAULT_ENVIRONMENT } from '../values'
import type { Finding } from '../verdict'
import { verdictOf } from '../verdict'
import { javaScriptSender } from './javascript-sdk'
import { atSegment, called, isWebVital } from './page-segments'
import type { Rule } from './rule'

/**
 * Judged from each error event and each segment of an SDK of the JavaScript family. Its core falls back to `production`
 * by itself, but `@sentry/nextjs` takes NODE_ENV before that, and a tunnel or `beforeSend` may take it out again. Any
 * name will do. The interactions that SDK 8 to 10 send as spans of their own name none, and are not judged.
 */
export const environmentRule: Rule = {
  id: 'environment',
  title: 'Every event names an environment',
  why: 'Without one, what happens in production cannot be told from what happens on a developer’s machine.',
  setting: 'environment',
  judgedFrom: ['telemetry'],
  severity: 'error',
  mend: `Set environment in every Sentry.init: process.env.SENTRY_ENVIRONMENT ?? '${DEFAULT_ENVIRONMENT}'.`,
  judge: ({ evidence }) => {
    const isJavaScript = javaScriptSender(evidence)
    const events = evidence.events.filter((event) => !event.copy && isJavaScript(event))
    const segments = evidence.segments.filter(
      (segment) => !segment.copy && isJavaScript(segment) && !isWebVital(segment),
    )
    const findings: readonly Finding[] = [
      ...events
        .filter(({ environment }) => environment === null)
        .map(({ title, seq, item, traceId, eventId }) => ({
          about: title,
          at: { seq, item, traceId, eventId },
          path: 'environment',
          ...NONE,
        })),
      ...segments
        .filter(({ environment }) => environment === null)
        .map((segment) => ({
          about: called(segment),
          at: atSegment(segment),
          path: segment.lifecycle === 'static' ? 'environment' : 'attributes.sentry.environment',
          ...NONE,
        })),
    ]
    const nothing = 'No error event and no segment of an SDK of the JavaScript family was recorded.'
    return verdictOf(events.length + segments.length, findings, nothing)
  },
}

const NONE = { seen: 'nothing', wanted: `the name of an environment, such as ${DEFAULT_ENVIRONMENT}` } as const
