import { breadcrumbsRule } from './breadcrumbs'
import { cacheDurationRule } from './cache-duration'
import { clockSkewRule } from './clock-skew'
import { duplicateIdsRule } from './duplicate-ids'
import { environmentRule } from './environment'
import { errorFallbackRule } from './error-fallback'
import { eventBufferRule } from './event-buffer'
import { finalTimeoutRule } from './final-timeout'
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
import type { Rule } from './rule'
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
