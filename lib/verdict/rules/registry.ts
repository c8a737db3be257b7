import { PREFETCH_DYNAMIC_S, PREFETCH_QUEUE, ROUTE_LOAD_TIMEOUT_MS } from '../../contract/values'
import { breadcrumbsRule } from './breadcrumbs'
import { mostOpen, routerRequests, UNSEEN } from './browser-requests'
import { cacheDurationRule } from './cache-duration'
import { clockSkewRule } from './clock-skew'
import { toldDuration } from './describe'
import { duplicateIdsRule } from './duplicate-ids'
import { environmentRule } from './environment'
import { errorFallbackRule } from './error-fallback'
import { eventBufferRule } from './event-buffer'
import { finalTimeoutRule } from './final-timeout'
import { pageSegments } from './group-spans'
import { heartbeatRule } from './heartbeat'
import { idleTimeoutRule } from './idle-timeout'
import { missingReleaseRule } from './missing-release'
import { nPlusOneRule } from './n-plus-one'
import { namesRule } from './names'
import { notFoundRule } from './not-found'
import { orphansRule } from './orphans'
import { oversizedRule } from './oversized'
import { prefetchFreshnessRule } from './prefetch-freshness'
import { privacyRule } from './privacy'
import { rateLimitBackOffRule } from './rate-limit-back-off'
import type { Case, Rule } from './rule'
import { spanRecorderRule } from './span-recorder'
import { traceHeadersRule } from './trace-headers'
import { traceHeadersProbeRule } from './trace-headers-probe'
import { tunnelRule } from './tunnel'
import { unhandledErrorsRule } from './unhandled-errors'

/** Every rule: those of the settings in the order of the settings, then those that come from none. */
export const RULES: readonly Rule[] = [
  eventBufferRule,
  breadcrumbsRule,
  spanRecorderRule,
  rateLimitBackOffRule,
  idleTimeoutRule,
  finalTimeoutRule,
  heartbeatRule,
  environmentRule,
  prefetchFreshnessRule,
  cacheDurationRule,
  namesRule,
  notFoundRule,
  traceHeadersRule,
  traceHeadersProbeRule,
  tunnelRule,
  errorFallbackRule,
  unhandledErrorsRule,
  privacyRule,
  duplicateIdsRule,
  oversizedRule,
  nPlusOneRule,
  orphansRule,
  missingReleaseRule,
  clockSkewRule,
]

/**
 * What was seen beside each setting that is only stated: Next fixes them, so nothing that is seen is a failure. By the
 * setting's id.
 */
export const STATED: Readonly<Record<string, (given: Case) => string>> = {
  'prefetch-queue': ({ requests }) => {
    if (requests === null) return UNSEEN
    const prefetches = routerRequests(requests).filter(({ isPrefetch }) => isPrefetch)
    if (prefetches.length === 0) return 'No prefetch was seen.'
    const { most } = mostOpen(prefetches.map(({ request }) => request))
    return `${counted(prefetches.length, 'prefetch', 'prefetches')}, at most ${most} open at once (${PREFETCH_QUEUE} are stated).`
  },
  'prefetch-freshness': ({ requests }) => {
    if (requests === null) return UNSEEN
    const visits = routerRequests(requests).filter(
      ({ isPrefetch, request }) => !isPrefetch && request.document !== null,
    )
    if (visits.length === 0) return 'No page was asked for by the router.'
    const before = new Map<string, number>()
    const ages: number[] = []
    for (const { request, target } of visits) {
      const key = `${request.document} ${target}`
      const known = before.get(key)
      if (known !== undefined) ages.push(request.startedAt - known)
      before.set(key, request.startedAt)
    }
    const asked = `${counted(visits.length, 'page', 'pages')} asked for by the router`
    if (ages.length === 0) return `${asked}, none of them again.`
    const soonest = toldDuration(ages.reduce((least, age) => Math.min(least, age)) * 1000)
    return `${asked}, ${ages.length} of them again: the soonest after ${soonest} (fresh for ${PREFETCH_DYNAMIC_S} s).`
  },
  'route-load-timeout': ({ evidence }) => {
    const lasted = pageSegments(evidence)
      .filter(({ segment }) => segment.op === 'navigation')
      .map(({ segment }) => segment.endUs - segment.startUs)
    if (lasted.length === 0) return 'No navigation was recorded.'
    const longest = toldDuration(lasted.reduce((most, one) => Math.max(most, one)))
    const longer = lasted.filter((us) => us > ROUTE_LOAD_TIMEOUT_MS * 1000).length
    const limit = toldDuration(ROUTE_LOAD_TIMEOUT_MS * 1000)
    return `${counted(lasted.length, 'navigation', 'navigations')}, the longest ${longest}; ${longer === 0 ? 'none' : longer} took longer than ${limit}.`
  },
}

const counted = (count: number, one: string, many: string): string => `${count} ${count === 1 ? one : many}`
