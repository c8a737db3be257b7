import { isMissingPage } from '../../contract/missing-page'
import { verdictOf } from '../verdict'
import { javaScriptSender } from './coverage'
import { atSegment, spanWords } from './describe'
import { childrenBySegment, eachOnce, segmentKey } from './group-spans'
import type { Rule } from './rule'

const OPS: ReadonlySet<string | null> = new Set(['pageload', 'navigation', 'http.server'])

/**
 * Judged from each pageload, navigation and answered request of the JavaScript family: by the same predicate that filters
 * what goes out. A pageload does not know its own status, so one whose page did not mark itself passes, as all of SDK 7.80
 * do: it filters what is named `/404`, and a missing page has its path for a name. Error events are never judged: an error
 * on a missing page is an error.
 */
export const notFoundRule: Rule = {
  id: 'not-found',
  title: 'No segment of a missing page arrives',
  why: 'Whoever asks for pages that are not there fills the traces with them, and no page is slower or faster for it.',
  setting: 'not-found',
  judgedFrom: ['transport'],
  sentBy: 'JavaScript SDKs',
  severity: 'error',
  fix: 'Mark the segment in not-found.tsx, and filter what is marked, /404 and /_not-found round the SDK’s transport in browser and server.',
  judge: ({ evidence }) => {
    const children = childrenBySegment(evidence)
    const isJavaScript = javaScriptSender(evidence)
    const segments = eachOnce(
      evidence.segments.filter((segment) => !segment.copy && OPS.has(segment.op) && isJavaScript(segment)),
    )
    const findings = segments
      .filter((segment) =>
        isMissingPage({
          name: segment.name,
          // The static lifecycle tells the op beside the attributes.
          attributes: { 'sentry.op': segment.op, ...segment.attributes },
          children: (children.get(segmentKey(segment)) ?? []).map((child) => child.attributes),
        }),
      )
      .map((segment) => ({
        about: spanWords(segment),
        at: atSegment(segment),
        path: '',
        actual: 'a segment of a page that is missing',
        expected: 'none: it is filtered before it is sent, and a client report counts it as ignored',
      }))
    return verdictOf(segments.length, findings, 'No pageload, navigation or request of a server was recorded.')
  },
}
