import { DATA_CATEGORIES } from '../../lib/protocol/data-category'
import { ALL, formatRateLimits, namesForSdks, type RateLimit, takes } from '../../lib/protocol/upstream-answer'
import type { StoredLimit } from '../spool/submission'

/** An SDK on Node takes headers of 16 KiB altogether. Upstream's words are not ours to bound. */
const LONGEST_HEADER = 8 * 1024

/** What can be limited beside errors, by name. */
const BUT_ERRORS = [...DATA_CATEGORIES, 'default'].filter((category) => !takes('error', category))

/**
 * Those of the limits that run which SDKs are told. Where errors are held for the end of a limit they have to come: none
 * is told that takes an error, and of everything each other category is told by its name instead.
 */
export function limitsForSdks(limits: readonly StoredLimit[], holdErrors: boolean): readonly StoredLimit[] {
  if (!holdErrors) return limits
  return limits.flatMap((limit) => {
    if (limit.category === ALL) return BUT_ERRORS.map((category) => ({ ...limit, category }))
    return takes(limit.category, 'error') ? [] : [limit]
  })
}

/**
 * What an SDK is told of the limits that run: each category by every name that it is known by, with *remaining* seconds,
 * for an SDK restarts its clock at each header. The last one of a category counts there, so each is named once, with the
 * longest.
 * @param limits those that run, of one key and project. @param now ms since the epoch.
 * @returns the value of `X-Sentry-Rate-Limits`, or `null` where nothing is limited.
 */
export function formatLimitsHeader(limits: readonly StoredLimit[], now: number): string | null {
  const longest = new Map<string, StoredLimit>()
  for (const limit of limits)
    for (const name of [...namesForSdks(limit.category), ...(limit.category === ALL ? [ALL] : [])])
      if (limit.until > (longest.get(name)?.until ?? Number.NEGATIVE_INFINITY)) longest.set(name, limit)
  let header: string | null = null
  for (const entry of entriesOf(longest, now)) {
    const longer: string = header === null ? entry : `${header}, ${entry}`
    if (longer.length > LONGEST_HEADER) break
    header = longer
  }
  return header
}

/** What ends together, of one scope and for one reason, is told together; `all` by itself, for it has no name. */
function entriesOf(longest: ReadonlyMap<string, StoredLimit>, now: number): readonly string[] {
  const groups = new Map<string, RateLimit & { readonly categories: string[] }>()
  for (const [name, { until, scope, reason }] of longest) {
    const seconds = Math.ceil((until - now) / 1000)
    const group = [seconds, scope, reason, name === ALL].join(':')
    const limit = groups.get(group) ?? { seconds, categories: [], scope, reason }
    groups.set(group, limit)
    if (name !== ALL) limit.categories.push(name)
  }
  // What is of everything first: it is the last that may be missing.
  return [...groups.values()]
    .sort((a, b) => Number(a.categories.length > 0) - Number(b.categories.length > 0))
    .map((limit) => formatRateLimits([limit]))
}
