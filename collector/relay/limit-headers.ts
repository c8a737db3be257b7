import { DATA_CATEGORIES } from '../../lib/protocol/data-category'
import type { Dsn } from '../../lib/protocol/dsn'
import {
  ALL,
  formatRateLimits,
  isKnownLimit,
  limitAppliesTo,
  namesForSdks,
  type RateLimit,
} from '../../lib/protocol/rate-limits'
import { MAX_LIMITS_PER_PROJECT, type StoredLimit } from '../spool/spool'

/** SDKs on Node accept 16 KiB of headers in all. The number of limits that upstream reports is not ours to bound. */
const LONGEST_HEADER = 8 * 1024
const LONGEST_CATEGORY = 64

/** Every category by name, except errors. */
const ALL_BUT_ERRORS = [...DATA_CATEGORIES, 'default'].filter((category) => !limitAppliesTo('error', category))

/**
 * One limit per category, the longest; at most 100 per project, known categories first.
 * @param sourceSeq the envelope that was answered; `null` for a client report of our own.
 */
export function storedLimits(
  reported: readonly RateLimit[],
  upstream: Pick<Dsn, 'publicKey' | 'projectId'>,
  sourceSeq: number | null,
  now: number,
): readonly StoredLimit[] {
  const longest = new Map<string, RateLimit>()
  for (const limit of reported)
    for (const named of limit.categories.length === 0 ? [ALL] : limit.categories) {
      const category = named.slice(0, LONGEST_CATEGORY)
      if (limit.seconds > (longest.get(category)?.seconds ?? Number.NEGATIVE_INFINITY)) longest.set(category, limit)
    }
  const names = [...longest.keys()]
  const kept = [...names.filter(isKnownLimit), ...names.filter((name) => !isKnownLimit(name))]
  return kept.slice(0, MAX_LIMITS_PER_PROJECT).flatMap((category) => {
    const limit = longest.get(category)
    if (limit === undefined) return []
    const { seconds, reason, scope } = limit
    const { publicKey, projectId: project } = upstream
    const until = Math.round(now + seconds * 1000)
    return { publicKey, project, category, until, receivedAt: now, reason, scope, sourceSeq }
  })
}

/**
 * When errors are deferred here, SDKs must still send them: limits of errors are left out, and a limit of everything
 * becomes a limit of each other category.
 */
export function limitsForSdks(rateLimits: readonly StoredLimit[], holdErrors: boolean): readonly StoredLimit[] {
  if (!holdErrors) return rateLimits
  return rateLimits.flatMap((limit) => {
    if (limit.category === ALL) return ALL_BUT_ERRORS.map((category) => ({ ...limit, category }))
    return limitAppliesTo(limit.category, 'error') ? [] : [limit]
  })
}

/**
 * `X-Sentry-Rate-Limits` with *remaining* seconds, because an SDK restarts its clock at each header. An SDK uses the
 * last entry of a category, so each name appears once, with its longest limit. `null` where nothing is limited.
 */
export function formatLimitsHeader(rateLimits: readonly StoredLimit[], now: number): string | null {
  const longest = new Map<string, StoredLimit>()
  for (const limit of rateLimits)
    for (const name of [...namesForSdks(limit.category), ...(limit.category === ALL ? [ALL] : [])])
      if (limit.until > (longest.get(name)?.until ?? Number.NEGATIVE_INFINITY)) longest.set(name, limit)
  let header: string | null = null
  for (const entry of headerEntries(longest, now)) {
    const longer: string = header === null ? entry : `${header}, ${entry}`
    if (longer.length > LONGEST_HEADER) break
    header = longer
  }
  return header
}

/** One entry for all names with the same end, scope and reason. The limit of everything has no name, so it stands alone. */
function headerEntries(longest: ReadonlyMap<string, StoredLimit>, now: number): readonly string[] {
  const groups = new Map<string, RateLimit & { readonly categories: string[] }>()
  for (const [name, { until, scope, reason }] of longest) {
    const seconds = Math.ceil((until - now) / 1000)
    const group = [seconds, scope, reason, name === ALL].join(':')
    const limit = groups.get(group) ?? { seconds, categories: [], scope, reason }
    groups.set(group, limit)
    if (name !== ALL) limit.categories.push(name)
  }
  // The limit of everything goes first: it must not be cut off.
  return [...groups.values()]
    .sort((a, b) => Number(a.categories.length > 0) - Number(b.categories.length > 0))
    .map((limit) => formatRateLimits([limit]))
}
