import { isMissingPage } from '../../contract/missing-page'
import { verdictOf } from '../verdict'
import { fromJavaScriptSdk } from './coverage'
import { atSegment, spanLabel } from './describe'
import { childrenBySegment, eachOnce, segmentKey } from './group-spans'
import type { Rule } from './rule'

const OPS: ReadonlySet<string | null> = new Set(['pageload', 'navigation', 'http.server'])

/**
 * Checks each pageload, navigation and server request of JavaScript SDKs with the predicate that the outgoing filter uses.
 * A pageload does not know its HTTP status, so it passes unless the page marked it; with SDK 7.80 every pageload passes,
 * because it only filters the name `/404`. Error events are not checked: an error on a missing page is a real error.
 */
export const notFoundRule: Rule = {
  id: 'not-found',
  title: 'No segments of missing pages are sent',
  why: 'Bots that request missing pages would fill the traces with useless segments.',
  setting: 'not-found',
  judgedFrom: ['transport'],
  sentBy: 'JavaScript SDKs',
  severity: 'off',
  contractSeverity: 'error',
  fix: 'Mark the segment in not-found.tsx, and filter marked segments, /404 and /_not-found in the SDK’s transport, in browser and server.',
  judge: ({ evidence }) => {
    const children = childrenBySegment(evidence)
    const isJavaScript = fromJavaScriptSdk(evidence)
    const segments = eachOnce(
      evidence.segments.filter((segment) => !segment.copy && OPS.has(segment.op) && isJavaScript(segment)),
    )
    const findings = segments
      .filter((segment) =>
        isMissingPage({
          name: segment.name,
          // In the static lifecycle the op is no attribute.
          attributes: { 'sentry.op': segment.op, ...segment.attributes },
          children: (children.get(segmentKey(segment)) ?? []).map((child) => child.attributes),
        }),
      )
      .map((segment) => ({
        about: spanLabel(segment),
        at: atSegment(segment),
        path: '',
        actual: 'a segment of a missing page',
        expected: 'filtered before sending, and counted as ignored in a client report',
      }))
    return verdictOf(segments.length, findings, 'No pageload, navigation or server request was recorded.')
  },
}
