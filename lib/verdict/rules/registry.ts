import { PREFETCH_DYNAMIC_S, PREFETCH_QUEUE, ROUTE_LOAD_TIMEOUT_MS } from '../../contract/values'
import { plural } from '../../format'
import { durationText } from '../text'
import { breadcrumbsRule } from './breadcrumbs'
import { maxConcurrent, routerRequests } from './browser-requests'
import { cacheDurationRule } from './cache-duration'
import { clockSkewRule } from './clock-skew'
import { conventionsRule } from './conventions'
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
import { traceContextRule } from './trace-context'
import { traceHeadersRule } from './trace-headers'
import { traceHeadersProbeRule } from './trace-headers-probe'
import { tunnelRule } from './tunnel'
import { unhandledErrorsRule } from './unhandled-errors'

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
  traceContextRule,
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
  conventionsRule,
]

const NOT_OBSERVED = 'Browser requests are only observed in browser tests.'

/** Observations for the settings that Next.js fixes, which no telemetry can violate. By the setting's id. */
export const OBSERVATIONS: Readonly<Record<string, (given: Case) => string>> = {
  'prefetch-queue': ({ requests }) => {
    if (requests === null) return NOT_OBSERVED
    const prefetches = routerRequests(requests).filter(({ isPrefetch }) => isPrefetch)
    if (prefetches.length === 0) return 'No prefetch was observed.'
    const { most } = maxConcurrent(prefetches.map(({ request }) => request))
    return `${plural(prefetches.length, 'prefetch', 'prefetches')}, at most ${most} open at once (the setting is ${PREFETCH_QUEUE}).`
  },
  'prefetch-freshness': ({ requests }) => {
    if (requests === null) return NOT_OBSERVED
    const visits = routerRequests(requests).filter(
      ({ isPrefetch, request }) => !isPrefetch && request.document !== null,
    )
    if (visits.length === 0) return 'The router requested no page.'
    const before = new Map<string, number>()
    const ages: number[] = []
    for (const { request, target } of visits) {
      const key = `${request.document} ${target}`
      const known = before.get(key)
      if (known !== undefined) ages.push(request.startedAt - known)
      before.set(key, request.startedAt)
    }
    const requested = `The router requested ${plural(visits.length, 'page')}`
    if (ages.length === 0) return `${requested}, none twice.`
    const soonest = durationText(ages.reduce((least, age) => Math.min(least, age)) * 1000)
    return `${requested}, ${ages.length} of them again, the first repetition after ${soonest} (fresh for ${PREFETCH_DYNAMIC_S} s).`
  },
  'route-load-timeout': ({ evidence }) => {
    const lasted = pageSegments(evidence)
      .filter(({ segment }) => segment.op === 'navigation')
      .map(({ segment }) => segment.endUs - segment.startUs)
    if (lasted.length === 0) return 'No navigation was recorded.'
    const longest = durationText(lasted.reduce((most, one) => Math.max(most, one)))
    const longer = lasted.filter((us) => us > ROUTE_LOAD_TIMEOUT_MS * 1000).length
    const limit = durationText(ROUTE_LOAD_TIMEOUT_MS * 1000)
    return `${plural(lasted.length, 'navigation')}, the longest ${longest}; ${longer === 0 ? 'none' : longer} took longer than ${limit}.`
  },
}
