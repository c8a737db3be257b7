import { COLLECTOR_PATH, TRACE_HEADER_TARGETS, TUNNEL_PATH } from '../../contract/values'
import { hostName, isLoopbackName, PAGE_HEADER } from '../../protocol/request'
import type { SeenRequest } from './rule'

/** @returns `null` where it is no address: a browser tells of `about:blank`, and a span of what its code was given. */
export function urlOf(text: string, base?: string): URL | null {
  try {
    return new URL(text, base)
  } catch {
    return null
  }
}

/** Without query and fragment, which may hold what nobody is to read. */
export const bareUrl = (text: string): string => text.replace(/[?#].*$/, '')

/** What the app itself asked for: what others do in their own frames is theirs. */
export const ofTheApp = (requests: readonly SeenRequest[]): readonly SeenRequest[] =>
  requests.filter(({ isEmbedded }) => !isEmbedded)

/** Did it stay on the origin of the page that made it? */
export function isOwnOrigin({ url, pageUrl }: SeenRequest): boolean {
  const target = urlOf(url)
  return target !== null && target.origin === urlOf(pageUrl)?.origin
}

/** Is it the collector? `localhost`, `127.0.0.1` and `::1` are one host where the port is one. */
export function isCollector(url: URL, collectorUrl: string | null): boolean {
  const collector = collectorUrl === null ? null : urlOf(collectorUrl)
  if (collector === null) return false
  if (url.origin === collector.origin) return true
  const areLoopback = isLoopbackName(hostName(url.host)) && isLoopbackName(hostName(collector.host))
  return areLoopback && url.port === collector.port
}

/** Tunnel and collector, on the page's own origin: the line itself. */
export const isLinePath = (path: string): boolean =>
  [TUNNEL_PATH, COLLECTOR_PATH].some((own) => path === own || path.startsWith(`${own}/`))

/** Is it telemetry that goes by a tunnel of the page's own origin? One at another path is known by the page that it names. */
export function isTunnelled(request: SeenRequest): boolean {
  if (request.method !== 'POST' || !isOwnOrigin(request)) return false
  return request.headers[PAGE_HEADER] !== undefined || urlOf(request.url)?.pathname === TUNNEL_PATH
}

const inTestsAlone = (what: string): string => `${what} is seen in browser tests alone`
/** How each reason ends by which a rule of what a browser does judges nothing. */
export const IN_TESTS_ALONE =
  ' is seen in browser tests alone, where waystation/playwright judges it: docs/ci.md, “Browser tests”.'

/** Why a rule of what a browser does judges nothing: no fault, for the record does not have it. @param what begins a sentence. */
export const judgedInTests = (what: string): string => `${what}${IN_TESTS_ALONE}`

const ASKED_FOR = 'What a browser asks for'
export const UNWATCHED = judgedInTests(ASKED_FOR)
/** The same of what is stated, and not judged. */
export const UNSEEN = `${inTestsAlone(ASKED_FOR)}.`

/** Why one of what it sent judges nothing. A tunnel of one’s own may be at another path. */
export const NOTHING_SENT = `No telemetry of the browser was actual: nothing went to ${TUNNEL_PATH}, to another path of its page’s origin with the header ${PAGE_HEADER}, or to an ingest host.`

/** Is it telemetry that goes to an ingest address as a DSN names it? Another API has such paths, too, but no DSN's key. */
export function isIngest({ method, url, headers }: SeenRequest): boolean {
  const target = method === 'POST' ? urlOf(url) : null
  if (target === null) return false
  if (/(?:^|\.)ingest(?:\.[a-z]+)?\.sentry\.io$/.test(target.hostname)) return true
  const hasKey = target.searchParams.has('sentry_key') || headers['x-sentry-auth'] !== undefined
  return hasKey && /\/api\/\d+\/(?:envelope|store|security|minidump)\/?$/.test(target.pathname)
}

/**
 * Does a request to this address carry trace headers? As the SDK compares: the whole address, or on the page's own origin
 * the path alone.
 * @param origin of the page; `null` where it is not known.
 */
export const carriesTrace = (url: URL, origin: string | null): boolean =>
  TRACE_HEADER_TARGETS.some((target) => target.test(url.href) || (url.origin === origin && target.test(url.pathname)))

/** What Next's router asks the server for, in place of a document. */
export interface RouterRequest {
  readonly request: SeenRequest
  /** What it asks for: path and query, without the router's own parameter. */
  readonly target: string
  readonly isPrefetch: boolean
  /** `router.refresh` and the like: asked for again on purpose. */
  readonly isRefresh: boolean
}

/** The router's requests for pages, in the order in which they began. */
export function routerRequests(requests: readonly SeenRequest[]): readonly RouterRequest[] {
  return ofTheApp(requests).flatMap((request) => {
    const { headers } = request
    const url = urlOf(request.url)
    if (url === null || request.method !== 'GET' || headers.rsc !== '1') return []
    url.searchParams.delete('_rsc')
    const target = `${url.origin}${url.pathname}${url.search}`
    const isPrefetch = headers['next-router-prefetch'] !== undefined || headers.purpose === 'prefetch'
    return [{ request, target, isPrefetch, isRefresh: isRefresh(headers['next-router-state-tree'] ?? '') }]
  })
}

/** A tree in which a part is marked to be fetched again. */
const isRefresh = (tree: string): boolean =>
  /(?:%22|")(?:refetch|refresh|inside-shared-layout|metadata-only)(?:%22|")/.test(tree)

/** A server action may change any page, so nothing that was fetched before it is fresh. */
export const isAction = ({ method, headers }: SeenRequest): boolean =>
  method === 'POST' && headers['next-action'] !== undefined

export interface OpenAtOnce {
  readonly most: number
  /** The first request at which so many were open; `null` where there is none. */
  readonly at: SeenRequest | null
}

/** How many of these were open at the same time, at most. One that ends as another begins makes room for it. */
export function mostOpen(requests: readonly SeenRequest[]): OpenAtOnce {
  const changes = requests
    .flatMap((request) => [
      { at: request.startedAt, by: 1, request },
      { at: request.endedAt ?? Number.POSITIVE_INFINITY, by: -1, request },
    ])
    .sort((one, other) => (one.at === other.at ? one.by - other.by : one.at - other.at))
  let open = 0
  let found: OpenAtOnce = { most: 0, at: null }
  for (const { by, request } of changes) {
    open += by
    if (open > found.most) found = { most: open, at: request }
  }
  return found
}
