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
