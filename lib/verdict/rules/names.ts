import type { SeenSegment } from '../evidence/evidence'
import { type Finding, verdictOf } from '../verdict'
import { javaScriptSender } from './coverage'
import { atSegment, spanWords } from './describe'
import { isPage } from './group-spans'
import type { Rule } from './rule'

/**
 * Judged from each pageload and navigation of a browser, and from each request that a server of the JavaScript family
 * answered. A browser's is named by `url.path`, or where the SDK tells none (7.80) by anything that is a path. In the
 * streamed lifecycle SDK 11 calls a navigation `Navigation` and no option changes it: its path is the attribute then. It
 * calls a pageload `Pageload` too where nothing names it, which `beforeStartSpan` does, and with a route manifest it has the
 * route for a name: both break the rule. A server's name begins with the method, and has the route where there is one.
 * Next 15 ends the route of a route handler with `/route`, the name of its file, which SDKs leave out; SDK 7 names a page of
 * the Pages Router by its route alone, and tells its method nowhere.
 */
export const namesRule: Rule = {
  id: 'names',
  title: 'A pageload or navigation is named by its path',
  why: 'A page is looked for by the path that stands in the address bar.',
  setting: 'names',
  judgedFrom: ['telemetry'],
  sentBy: 'JavaScript SDKs',
  severity: 'error',
  fix: 'Where spans are streamed, name a pageload in browserTracingIntegration: beforeStartSpan sets its name to location.pathname. With Next, set routeManifestInjection: false in withSentryConfig. Let a server’s SDK name its own segments.',
  judge: ({ evidence }) => {
    const isJavaScript = javaScriptSender(evidence)
    const segments = evidence.segments.filter(
      (segment) => !segment.copy && (isPage(segment) || isRequest(segment)) && isJavaScript(segment),
    )
    const findings = segments.flatMap((segment) => (isPage(segment) ? pageFinding(segment) : requestFinding(segment)))
    return verdictOf(segments.length, findings, 'No pageload, navigation or request of a server was recorded.')
  },
}

/** Next's proxy runs as a request of its own, which has no route. */
const isRequest = ({ service, op, name, attributes }: SeenSegment): boolean =>
  service === 'server' &&
  op === 'http.server' &&
  !name.startsWith('middleware ') &&
  !textOf(attributes['http.route']).startsWith('middleware ')

function pageFinding(segment: SeenSegment): readonly Finding[] {
  const { attributes, op } = segment
  const path = textOf(attributes['url.path'])
  const name = textOf(attributes['sentry.segment.name']) || segment.name
  if (op === 'navigation' && name === 'Navigation' && path !== '') return []
  const isNamed = path === '' ? name.startsWith('/') : plain(name) === plain(path)
  return isNamed ? [] : [findingOf(segment, name, path === '' ? 'the path of its page' : path)]
}

function requestFinding(segment: SeenSegment): readonly Finding[] {
  const { name, attributes } = segment
  const route = textOf(attributes['http.route']).replace(/(?<=.)\/route$/, '')
  const expected = `method and route, such as GET ${route.startsWith('/') ? route : '/checkout'}`
  const isMethodTold = textOf(attributes['http.request.method']) !== '' || textOf(attributes['http.method']) !== ''
  const hasMethod = /^(?:RSC )?[A-Z]+(?: |$)/.test(name) || (!isMethodTold && name.startsWith('/'))
  return hasMethod && (!route.startsWith('/') || name.includes(route)) ? [] : [findingOf(segment, name, expected)]
}

const findingOf = (segment: SeenSegment, name: string, expected: string): Finding => ({
  about: spanWords(segment),
  at: atSegment(segment),
  path: segment.lifecycle === 'static' ? 'transaction' : 'name',
  actual: name,
  expected,
})

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

/** `/a%20b/` and `/a b` are one path. */
function plain(path: string): string {
  const bare = path.length > 1 ? path.replace(/\/$/, '') : path
  try {
    return decodeURI(bare)
  } catch {
    return bare
  }
}
