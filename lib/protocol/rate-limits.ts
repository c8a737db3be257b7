import { DATA_CATEGORIES } from './data-category'

export interface RateLimit {
  /** Seconds from the time it was received; never negative. */
  readonly seconds: number
  /** As received, unknown categories too; empty means every category. */
  readonly categories: readonly string[]
  readonly scope: string | null
  readonly reason: string | null
}

/** The duration of a limit that names no time (the contract's "default rate-limit back-off"). */
export const DEFAULT_BACK_OFF_SECONDS = 60
/** A longer limit is a mistake or an attack: after a day upstream is tried again. */
export const MAX_LIMIT_SECONDS = 24 * 60 * 60

/**
 * The rate limits of an answer: `X-Sentry-Rate-Limits`, else `Retry-After`, else 60 s for a bare 429.
 * @param now ms since the epoch, for a `Retry-After` that is a date.
 */
export function limitsOfAnswer(
  answer: { readonly status: number; readonly rateLimits: string | null; readonly retryAfter: string | null },
  now: number,
): readonly RateLimit[] {
  // A header without any limit is ignored: otherwise a 429 with an empty header would limit nothing.
  const named = splitLimits(answer.rateLimits ?? '')
  if (named.length > 0) return rateLimitsIn(named)
  if (answer.retryAfter?.trim()) return [everything(parseRetryAfter(answer.retryAfter, now))]
  return answer.status === 429 ? [everything(DEFAULT_BACK_OFF_SECONDS)] : []
}

/**
 * `retry_after ":" categories ":" scope [":" reason [":" namespaces]]`, separated by commas (Sentry's "Rate Limiting",
 * "Definition"). Namespaces apply only to `metric_bucket`: without `custom` the limit affects nothing that SDKs send.
 */
export const parseRateLimits = (header: string): readonly RateLimit[] => rateLimitsIn(splitLimits(header))

const splitLimits = (header: string): readonly string[] =>
  header
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')

const rateLimitsIn = (parts: readonly string[]): readonly RateLimit[] =>
  parts.flatMap((part) => {
    const [seconds = '', categories = '', scope = '', reason = '', namespaces = ''] = part.split(':', 5)
    const named = namesIn(categories)
    const spaces = namesIn(namespaces)
    const affected =
      spaces.length > 0 && !spaces.includes(CUSTOM) ? named.filter((name) => name !== METRIC_BUCKET) : named
    if (named.length > 0 && affected.length === 0) return []
    return {
      seconds: clampSeconds(Number.parseFloat(seconds)),
      categories: affected,
      scope: scope.trim().slice(0, LONGEST_WORD) || null,
      reason: reason.trim().slice(0, LONGEST_WORD) || null,
    }
  })

const METRIC_BUCKET = 'metric_bucket'
/** The namespace of metrics that SDKs send; upstream itself creates metrics in other namespaces. */
const CUSTOM = 'custom'
/** Scope and reason are passed on to SDKs in a header, so their length is limited. */
const LONGEST_WORD = 64

const namesIn = (list: string): readonly string[] =>
  list
    .split(';')
    .map((name) => name.trim())
    .filter((name) => name !== '')

/** Returns true when one of these limits currently applies to a data category. */
export function isLimited(rateLimits: readonly RateLimit[], category: string): boolean {
  if (rateLimits.length === 0) return false
  const names = limitsOnCategory(category)
  return rateLimits.some(
    ({ seconds, categories }) =>
      seconds > 0 && (categories.length === 0 || categories.some((named) => names.has(named))),
  )
}

/** Parses seconds, whole or fractional, or an HTTP date; returns the default for anything else. */
export function parseRetryAfter(header: string, now: number): number {
  const text = header.trim()
  if (/^-?[\d.]+(e\d+)?$/i.test(text)) return clampSeconds(Number.parseFloat(text))
  const date = Date.parse(text)
  return Number.isNaN(date) ? DEFAULT_BACK_OFF_SECONDS : clampSeconds((date - now) / 1000)
}

/** Writes limits as SDKs read them. Seconds are rounded up, because an SDK restarts the limit with each header. */
export function formatRateLimits(rateLimits: readonly RateLimit[]): string {
  return rateLimits
    .map((limit) => {
      const fields = [Math.ceil(limit.seconds), limit.categories.join(';'), limit.scope ?? 'organization']
      return [...fields, ...(limit.reason === null ? [] : [limit.reason])].join(':')
    })
    .join(', ')
}

const everything = (seconds: number): RateLimit => ({ seconds, categories: [], scope: null, reason: null })

function clampSeconds(seconds: number): number {
  if (Number.isNaN(seconds)) return DEFAULT_BACK_OFF_SECONDS
  return Math.min(Math.max(seconds, 0), MAX_LIMIT_SECONDS)
}

export const ALL = 'all'

/**
 * SDKs count metrics as `metric`; Relay counts `trace_metric`, and logs and attachments also by bytes. Every event counts
 * as `error`, so a limit of `default` applies to none.
 */
const FURTHER_CATEGORIES: Readonly<Record<string, readonly string[]>> = {
  metric: ['trace_metric'],
  log_byte: ['log_item'],
  attachment_item: ['attachment'],
}

/** SDKs know no other name for metrics and for chunks of profiles, so a limit of chunks stops their profiles, too. */
const SDK_NAMES: Readonly<Record<string, readonly string[]>> = {
  trace_metric: ['metric'],
  profile_chunk: ['profile'],
  profile_chunk_ui: ['profile'],
}

/** Returns true when a limit of this name applies to items of this data category. */
export const limitAppliesTo = (limit: string, category: string): boolean =>
  limit === ALL || limit === category || furtherCategories(limit).includes(category)

/** Returns the names of all limits that apply to items of this data category. */
const limitsOnCategory = (category: string): ReadonlySet<string> =>
  new Set([ALL, category, ...Object.keys(FURTHER_CATEGORIES).filter((limit) => limitAppliesTo(limit, category))])

const KNOWN: ReadonlySet<string> = new Set([ALL, ...DATA_CATEGORIES, ...Object.keys(FURTHER_CATEGORIES)])

export const isKnownLimit = (limit: string): boolean => KNOWN.has(limit)

/**
 * Names to send to SDKs, so that every SDK stops sending. For `all` these are all known categories: SDKs check the
 * category first, and an expired limit of a category hides a running `all`.
 */
export function namesForSdks(limit: string): readonly string[] {
  const taken = limit === ALL ? [...DATA_CATEGORIES, 'default'] : [limit, ...furtherCategories(limit)]
  return [...new Set(taken.flatMap((name) => [name, ...entryOf(SDK_NAMES, name)]))]
}

const furtherCategories = (limit: string): readonly string[] => entryOf(FURTHER_CATEGORIES, limit)

/** `hasOwn`, because upstream chooses the name and may write `constructor`. */
const entryOf = (table: Readonly<Record<string, readonly string[]>>, name: string): readonly string[] =>
  (Object.hasOwn(table, name) ? table[name] : undefined) ?? []
