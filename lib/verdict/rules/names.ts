import type { SeenSegment } from '../evidence/evidence'
import { type Finding, verdictOf } from '../verdict'
import { fromJavaScriptSdk } from './coverage'
import { atSegment, methodIn, spanLabel } from './describe'
import { isPage } from './group-spans'
import type { Rule } from './rule'

/**
 * Checks the name of each pageload and navigation of a browser, and of each request that a JavaScript server answered.
 * - Browser: the name equals `url.path` or is a route that matches it, or is any path if the SDK sends no such attribute
 *   (7.80). In the streamed lifecycle SDK 11 names a navigation `Navigation`, which no option changes, so that name passes
 *   with a `url.path`. It also names a pageload `Pageload` unless `beforeStartSpan` sets a name, which fails.
 * - Server: the name starts with the method and contains the route, if one is known; parameters may be written in any
 *   style. Next 15 ends the route of a route handler with `/route`, which SDKs leave out; SDK 7 names a page of the Pages
 *   Router by its route, without a method.
 */
export const namesRule: Rule = {
  id: 'names',
  title: 'A pageload or navigation is named by its path or route',
  why: 'People search for a page by the path in the address bar, or by its route.',
  setting: 'names',
  judgedFrom: ['telemetry'],
  sentBy: 'JavaScript SDKs',
  severity: 'off',
  contractSeverity: 'error',
  fix: 'With streamed spans, set the name of a pageload to location.pathname in beforeStartSpan of browserTracingIntegration. Do not rename segments of a server.',
  judge: ({ evidence }) => {
    const isJavaScript = fromJavaScriptSdk(evidence)
    const segments = evidence.segments.filter(
      (segment) => !segment.copy && (isPage(segment) || isRequest(segment)) && isJavaScript(segment),
    )
    const findings = segments.flatMap((segment) => (isPage(segment) ? pageFinding(segment) : requestFinding(segment)))
    return verdictOf(segments.length, findings, 'No pageload, navigation or server request was recorded.')
  },
}

/** Middleware is left out: it runs as a separate request without a route. */
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
  const isNamed = path === '' ? name.startsWith('/') : plain(name) === plain(path) || isRouteOf(name, plain(path))
  return isNamed ? [] : [findingOf(segment, name, path === '' ? 'the path of the page' : path)]
}

function requestFinding(segment: SeenSegment): readonly Finding[] {
  const { name, attributes } = segment
  const route = textOf(attributes['http.route']).replace(/(?<=.)\/route$/, '')
  const expected = `method and route, such as GET ${route.startsWith('/') ? route : '/checkout'}`
  const hasMethodAttribute = methodIn(attributes) !== null
  const hasMethod = /^(?:RSC )?[A-Z]+(?: |$)/.test(name) || (!hasMethodAttribute && name.startsWith('/'))
  return hasMethod && (!route.startsWith('/') || unnamed(name).includes(unnamed(route)))
    ? []
    : [findingOf(segment, name, expected)]
}

const findingOf = (segment: SeenSegment, name: string, expected: string): Finding => ({
  about: spanLabel(segment),
  at: atSegment(segment),
  path: segment.lifecycle === 'static' ? 'transaction' : 'name',
  actual: name,
  expected,
})

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

/** `:id`, `[id]`, `[...path]`, `{id}`, `<int:id>`, `$id`, `*`, or the optional `:path?` and `[[...path]]`. */
const PARAMETER = /^(?::.+|\[.+\]|\{.+\}|<.+>|\$.+|\*+)$/
/** Parameters that match any number of path segments. */
const CATCH_ALL = /^(?:\[+\.\.\..+|:.+[*+?]|\{.+\*\}|<path:.+>|\*+)$/

/** Is the name a parameterised route, as Sentry advises, that matches the path? `/product/:id` matches `/product/42`. */
function isRouteOf(name: string, path: string): boolean {
  const route = plain(name).split('/')
  const segments = path.split('/')
  for (const [index, segment] of route.entries()) {
    if (CATCH_ALL.test(segment)) return true
    const isThere = index < segments.length
    if (!isThere || (PARAMETER.test(segment) ? segments[index] === '' : segments[index] !== segment)) return false
  }
  return route.length === segments.length
}

/** The name with each parameter as `*`, because SDKs and frameworks write them in different styles. */
const unnamed = (name: string): string =>
  name
    .split('/')
    .map((segment) => (PARAMETER.test(segment) ? '*' : segment))
    .join('/')

/** Normalises a path: `/a%20b/` equals `/a b`. */
function plain(path: string): string {
  const bare = path.length > 1 ? path.replace(/\/$/, '') : path
  try {
    return decodeURI(bare)
  } catch {
    return bare
  }
}
