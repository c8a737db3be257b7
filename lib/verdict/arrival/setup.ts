import { TUNNEL_PATH } from '../../contract/values'
import { isObject } from '../../protocol/json-value'
import { seenIn } from '../compare/causes'
import type { Counts } from '../compare/profile'
import type { Evidence, SeenEvent, SeenSegment } from '../evidence/evidence'
import { reportedDiscard } from '../evidence/reported-discard'
import type { Judged } from '../expectations/report'
import { isOwnOrigin, isTunnelled, isWaystationPath, urlOf } from '../rules/browser-requests'
import { errorEvents } from '../rules/coverage'
import { listFirst, withoutSecrets } from '../text'
import { type Finding, finding, verdictOf } from '../verdict'
import type { ObservedTest } from './observed'

/**
 * Judges settings that a team may have chosen, but that are more often mistakes. They are only warnings: a profile or
 * `expect` can tell one from the other. Pure.
 */
export function judgeSetup(tests: readonly ObservedTest[], evidence: Evidence, counts: Counts): Judged {
  const findings = [
    ...breadcrumbs(evidence),
    ...directPosts(evidence),
    ...personalData(evidence, counts),
    ...differing(evidence, 'release'),
    ...differing(evidence, 'environment'),
    ...propagation(tests),
    ...discards(evidence),
    ...tracedTunnel(tests, evidence),
  ]
  return {
    id: 'setup',
    title: 'No setting looks like a mistake',
    group: 'arrival',
    severity: 'warning',
    why: 'Each of these may be a choice, but is more often a mistake.',
    fix: 'Change it, or acknowledge it in waystation.config.ts: docs/ci.md.',
    verdict: verdictOf(counts.size, findings, 'Nothing was recorded.'),
  }
}

const isBrowser = ({ service, copy }: SeenEvent | SeenSegment): boolean => service === 'browser' && !copy

/** An error at the first click has no breadcrumb yet. */
const LEAST_ERRORS = 3

function breadcrumbs(evidence: Evidence): readonly Finding[] {
  const errors = errorEvents(evidence).filter(isBrowser)
  if (errors.length < LEAST_ERRORS || errors.some((event) => event.breadcrumbs.length > 0)) return []
  const why =
    'without any breadcrumb: is maxBreadcrumbs 0, beforeBreadcrumb null, or the breadcrumbs integration removed?'
  return [finding(`${errors.length} errors of the browser`, why, 'breadcrumbs')]
}

/** Envelopes of pages that did not come through a tunnel. */
function directPosts({ envelopes, events, segments, signals }: Evidence): readonly Finding[] {
  const ofBrowser = new Set([...events, ...segments, ...signals].filter(isOfBrowser).map(({ seq }) => seq))
  const posts = envelopes.filter(({ seq, copy }) => ofBrowser.has(seq) && !copy)
  const direct = posts.filter(({ endpoint }) => endpoint === 'envelope')
  if (direct.length === 0) return []
  const why = 'posted straight to the collector: is the option tunnel set? Ad blockers stop such posts.'
  return [finding(`${direct.length} of ${posts.length} envelopes of the browser`, why, 'posted through the tunnel')]
}

const isOfBrowser = ({ service }: { readonly service: string | null }): boolean => service === 'browser'

/** From this major version on, JavaScript SDKs send addresses and cookies by default. */
const SENDS_BY_DEFAULT = 11
const BY_DEFAULT: ReadonlySet<string> = new Set(['infer_ip: auto', 'client.address', 'user.ip_address'])

function personalData(evidence: Evidence, counts: Counts): readonly Finding[] {
  const all = ['browser', 'server', 'edge'].flatMap((group) => seenIn(counts, group, 'personalData'))
  const isNew = newestMajor(evidence) >= SENDS_BY_DEFAULT
  const seen = [...new Set(all)].filter((name) => !name.includes('cookie') && !(isNew && BY_DEFAULT.has(name)))
  if (seen.length === 0) return []
  const why = `${listFirst(seen)} sent: is ${isNew ? 'setUser' : 'sendDefaultPii or setUser'} used?`
  return [finding('personal data', why, 'none, unless that is intended')]
}

/** The newest major version of the JavaScript SDKs, by the headers of their envelopes; the current one if none names it. */
function newestMajor({ envelopes }: Evidence): number {
  const versions = envelopes.flatMap(({ header: { sdk } }) =>
    isObject(sdk) && JAVASCRIPT.test(String(sdk.name)) ? Number.parseInt(String(sdk.version), 10) || [] : [],
  )
  return versions.length === 0 ? SENDS_BY_DEFAULT : Math.max(...versions)
}

/** A browser and a server that each name one value, and not the same. */
function differing({ events, segments }: Evidence, field: 'release' | 'environment'): readonly Finding[] {
  const valuesOf = (ofBrowser: boolean): readonly string[] => [
    ...new Set(
      [...events, ...segments]
        .filter((one) => !one.copy && JAVASCRIPT.test(one.sdk ?? '') && (one.service === 'browser') === ofBrowser)
        .map((one) => one[field] ?? '(none)'),
    ),
  ]
  const [[page, ...otherPages], [server, ...otherServers]] = [valuesOf(true), valuesOf(false)]
  if (page === undefined || server === undefined || page === server) return []
  if (otherPages.length > 0 || otherServers.length > 0) return []
  const filledIn =
    field === 'environment' && page === 'production' ? ' SDK 11 fills in production when none is set.' : ''
  const actual = withoutSecrets(`the browser names ${page}, the server ${server}.${filledIn}`)
  return [finding(field, actual, `the same ${field} in browser and server`)]
}

const JAVASCRIPT = /^sentry\.javascript\./

/** Requests to the page's own server, of which none has trace headers. */
function propagation(tests: readonly ObservedTest[]): readonly Finding[] {
  const requests = tests
    .flatMap((test) => test.requests)
    .filter(
      (request) =>
        CALLS.has(request.resourceType) &&
        isOwnOrigin(request) &&
        !request.isEmbedded &&
        request.answer !== null &&
        !isTunnelled(request) &&
        !isWaystationPath(urlOf(request.url)?.pathname ?? '') &&
        !tests.some(({ posts }) => posts.some(({ url }) => url === request.url)),
    )
  if (requests.length === 0 || requests.some(({ headers }) => headers['sentry-trace'] !== undefined)) return []
  const why = 'without trace headers: is tracePropagationTargets empty, or browserTracingIntegration missing?'
  return [
    finding(
      `${requests.length} ${requests.length === 1 ? 'request' : 'requests'} of pages to their own server`,
      why,
      'the headers sentry-trace and baggage',
    ),
  ]
}

/** Server segments of the requests with which pages post envelopes. */
function tracedTunnel(tests: readonly ObservedTest[], { segments }: Evidence): readonly Finding[] {
  const paths = tests.flatMap(({ posts }) => posts.map(({ url }) => urlOf(url)?.pathname ?? ''))
  const names = new Set([TUNNEL_PATH, ...paths].map((path) => `POST ${path}`))
  const traced = segments.filter(
    ({ op, name, service, copy }) => op === 'http.server' && service !== 'browser' && !copy && names.has(name),
  )
  const [first] = traced
  if (first === undefined) return []
  const why = 'the server traces its own tunnel, so that each envelope of a page causes another one of the server'
  return [finding(`${traced.length} ${traced.length === 1 ? 'segment' : 'segments'} ${first.name}`, why, 'none')]
}

const CALLS: ReadonlySet<string> = new Set(['fetch', 'xhr'])
const HOOKS: ReadonlySet<string> = new Set(['before_send', 'event_processor', 'ignored'])

/** Data categories of which hooks discarded everything. */
function discards({ signals, items }: Evidence): readonly Finding[] {
  const arrived = new Set(items.filter(({ copy }) => !copy).map(({ category }) => category))
  const lost = new Map<string, number>()
  for (const signal of signals) {
    const discard = reportedDiscard(signal)
    if (discard === null || !HOOKS.has(discard.reason) || arrived.has(discard.category)) continue
    const key = `${discard.category} (${discard.reason})`
    lost.set(key, (lost.get(key) ?? 0) + discard.quantity)
  }
  return [...lost].map(([key, quantity]) =>
    finding(
      key,
      `all ${quantity} discarded by the SDK: does a hook such as beforeSend return null?`,
      'some that arrive',
    ),
  )
}
