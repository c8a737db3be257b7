import { COLLECTOR_PATH, isTunnelPath, TRACE_HEADER_TARGETS, TRACES_BELOW, TUNNEL_PATH } from '../../contract/values'
import { hostName, isLoopbackName, PAGE_HEADER } from '../../protocol/request'
import type { Case, SeenRequest } from './rule'

/** @returns `null` if it is no URL: spans contain any text that the application passed to `fetch`. */
export function urlOf(text: string, base?: string): URL | null {
  try {
    return new URL(text, base)
  } catch {
    return null
  }
}

/** The path of a URL; a text that is none stays as it is. */
export const pathOf = (url: string): string => (URL.canParse(url) ? new URL(url).pathname : url)

/** The URL without query and fragment, which may contain secrets. */
export const bareUrl = (text: string): string => text.replace(/[?#].*$/, '')

/** Requests of the app itself, without those of frames of other origins. */
export const appRequests = (requests: readonly SeenRequest[]): readonly SeenRequest[] =>
  requests.filter(({ isEmbedded }) => !isEmbedded)

export function isOwnOrigin({ url, pageUrl }: SeenRequest): boolean {
  const target = urlOf(url)
  return target !== null && target.origin === urlOf(pageUrl)?.origin
}

/** Is it the collector? `localhost`, `127.0.0.1` and `::1` with the same port are equal. */
export function isCollector(url: URL, collectorUrl: Case['collectorUrl']): boolean {
  return [collectorUrl ?? []].flat().some((one) => {
    const collector = urlOf(one)
    if (collector === null) return false
    if (url.origin === collector.origin) return true
    const areLoopback = isLoopbackName(hostName(url.host)) && isLoopbackName(hostName(collector.host))
    return areLoopback && url.port === collector.port
  })
}

/** Paths of the tunnel and of the forwarded collector on the page's own origin. */
export const isWaystationPath = (path: string): boolean =>
  isTunnelPath(path.replace(TRACES_END, '')) ||
  [TUNNEL_PATH, COLLECTOR_PATH].some((own) => path === own || path.startsWith(`${own}/`))

const TRACES_END = new RegExp(`${TRACES_BELOW}$`)

/** Is it telemetry sent through a tunnel on the page's own origin? A tunnel at another path is recognised by the page header. */
export function isTunnelled(request: SeenRequest): boolean {
  if (request.method !== 'POST' || !isOwnOrigin(request)) return false
  return request.headers[PAGE_HEADER] !== undefined || isTunnelPath(urlOf(request.url)?.pathname ?? '')
}

export const BROWSER_TESTS_ONLY =
  ' can only be checked by toKeepTheContract() in a browser test: see docs/ci.md, “The contract”.'

export const browserTestsOnly = (subject: string): string => `${subject}${BROWSER_TESTS_ONLY}`

export const NOT_WATCHED_REASON = browserTestsOnly('Browser requests')

/** The reason for `incomplete` if the browser made requests, but sent no telemetry. */
export const NOTHING_SENT = `The browser sent no telemetry: no POST to ${TUNNEL_PATH}, to another path of the page’s origin with the header ${PAGE_HEADER}, or to an ingest host.`

/** Is it telemetry posted to the ingest address of a DSN? Other APIs may have such paths, but not with a DSN's key. */
export function isIngest({ method, url, headers }: SeenRequest): boolean {
  const target = method === 'POST' ? urlOf(url) : null
  if (target === null) return false
  if (/(?:^|\.)ingest(?:\.[a-z]+)?\.sentry\.io$/.test(target.hostname)) return true
  const hasKey = target.searchParams.has('sentry_key') || headers['x-sentry-auth'] !== undefined
  return hasKey && /\/api\/\d+\/(?:envelope|store|security|minidump)\/?$/.test(target.pathname)
}

/**
 * Should a request to this address carry trace headers? Compares as the SDK does: the whole address, or on the page's own
 * origin the path alone.
 * @param origin the page's origin; `null` if unknown.
 */
export const carriesTrace = (url: URL, origin: string | null): boolean =>
  TRACE_HEADER_TARGETS.some((target) => target.test(url.href) || (url.origin === origin && target.test(url.pathname)))

/** A request of the Next.js router for page data (RSC). */
export interface RouterRequest {
  readonly request: SeenRequest
  /** The page's URL, without the parameter `_rsc`. */
  readonly target: string
  readonly isPrefetch: boolean
  /** Requested again on purpose, for example by `router.refresh`. */
  readonly isRefresh: boolean
}

export function routerRequests(requests: readonly SeenRequest[]): readonly RouterRequest[] {
  return appRequests(requests).flatMap((request) => {
    const { headers } = request
    const url = urlOf(request.url)
    if (url === null || request.method !== 'GET' || headers.rsc !== '1') return []
    url.searchParams.delete('_rsc')
    const target = `${url.origin}${url.pathname}${url.search}`
    const isPrefetch = headers['next-router-prefetch'] !== undefined || headers.purpose === 'prefetch'
    return [{ request, target, isPrefetch, isRefresh: isRefresh(headers['next-router-state-tree'] ?? '') }]
  })
}

/** Does the router state tree mark a part for refetching? */
const isRefresh = (tree: string): boolean =>
  /(?:%22|")(?:refetch|refresh|inside-shared-layout|metadata-only)(?:%22|")/.test(tree)

/** Is it a server action? It may change any page, so page data fetched before it is stale. */
export const isAction = ({ method, headers }: SeenRequest): boolean =>
  method === 'POST' && headers['next-action'] !== undefined

interface Concurrency {
  readonly most: number
  /** The request that reached the maximum; `null` without requests. */
  readonly at: SeenRequest | null
}

/** The largest number of requests open at the same time. A request that ends when another begins does not overlap it. */
export function maxConcurrent(requests: readonly SeenRequest[]): Concurrency {
  const changes = requests
    .flatMap((request) => [
      { at: request.startedAt, by: 1, request },
      { at: request.endedAt ?? Number.POSITIVE_INFINITY, by: -1, request },
    ])
    .sort((one, other) => (one.at === other.at ? one.by - other.by : one.at - other.at))
  let open = 0
  let found: Concurrency = { most: 0, at: null }
  for (const { by, request } of changes) {
    open += by
    if (open > found.most) found = { most: open, at: request }
  }
  return found
}
