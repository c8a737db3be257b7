import { DATA_CATEGORIES } from './data-category'

/** One limit of an `X-Sentry-Rate-Limits` header. */
export interface RateLimit {
  /** Seconds from the moment it was told, never negative. */
  readonly seconds: number
  /** Kept verbatim, unknown ones too; empty means every category. */
  readonly categories: readonly string[]
  readonly scope: string | null
  readonly reason: string | null
}

/** What a limit means where nobody named a time ("default rate-limit back-off"). */
export const DEFAULT_BACK_OFF_SECONDS = 60
/** A limit longer than a day is a mistake or an attack; it is asked again tomorrow. */
export const MAX_LIMIT_SECONDS = 24 * 60 * 60

/**
 * Reads what an upstream's answer limits: `X-Sentry-Rate-Limits`, else `Retry-After`, else 60 s for a bare 429.
 * @param now ms since the epoch, for a `Retry-After` that is a date.
 */
export function limitsOfAnswer(
  answer: { readonly status: number; readonly rateLimits: string | null; readonly retryAfter: string | null },
  now: number,
): readonly RateLimit[] {
  // A header without a limit in it says nothing: it must not turn a 429 into no limit at all.
  const named = splitLimits(answer.rateLimits ?? '')
  if (named.length > 0) return readLimits(named)
  if (answer.retryAfter?.trim()) return [everything(parseRetryAfter(answer.retryAfter, now))]
  return answer.status === 429 ? [everything(DEFAULT_BACK_OFF_SECONDS)] : []
}

/**
 * `limit = retry_after ":" categories ":" scope [":" reason [":" namespaces]]`, separated by commas (Sentry's "Rate
 * Limiting", "Definition"). What follows the namespaces is ignored. Namespaces narrow `metric_bucket` alone: one that names
 * them without `custom` limits nothing that an SDK sends.
 */
export const parseRateLimits = (header: string): readonly RateLimit[] => readLimits(splitLimits(header))

const splitLimits = (header: string): readonly string[] =>
  header
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')

const readLimits = (parts: readonly string[]): readonly RateLimit[] =>
  parts.flatMap((part) => {
    const [seconds = '', categories = '', scope = '', reason = '', namespaces = ''] = part.split(':', 5)
    const named = namesIn(categories)
    const spaces = namesIn(namespaces)
    const meant = spaces.length > 0 && !spaces.includes(CUSTOM) ? named.filter((name) => name !== METRIC_BUCKET) : named
    if (named.length > 0 && meant.length === 0) return []
    return {
      seconds: clampSeconds(Number.parseFloat(seconds)),
      categories: meant,
      scope: scope.trim().slice(0, LONGEST_WORD) || null,
      reason: reason.trim().slice(0, LONGEST_WORD) || null,
    }
  })

const METRIC_BUCKET = 'metric_bucket'
/** The namespace of metrics that SDKs send; the others are made behind upstream's endpoint. */
const CUSTOM = 'custom'
/** Scope and reason are told on, to each SDK, in a header. */
const LONGEST_WORD = 64

const namesIn = (list: string): readonly string[] =>
  list
    .split(';')
    .map((name) => name.trim())
    .filter((name) => name !== '')

/** Do these limits take items of this data category just now? */
export function limitsTake(limits: readonly RateLimit[], category: string): boolean {
  if (limits.length === 0) return false
  const names = limitsThatTake(category)
  return limits.some(
    ({ seconds, categories }) =>
      seconds > 0 && (categories.length === 0 || categories.some((named) => names.has(named))),
  )
}

/** Whole or broken seconds, or an HTTP date; anything else is the default. */
export function parseRetryAfter(header: string, now: number): number {
  const text = header.trim()
  if (/^-?[\d.]+(e\d+)?$/i.test(text)) return clampSeconds(Number.parseFloat(text))
  const date = Date.parse(text)
  return Number.isNaN(date) ? DEFAULT_BACK_OFF_SECONDS : clampSeconds((date - now) / 1000)
}

/** Writes limits as SDKs read them; seconds are rounded up, for an SDK restarts its clock at each header. */
export function formatRateLimits(limits: readonly RateLimit[]): string {
  return limits
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

/** The category of a limit that speaks of everything. */
export const ALL = 'all'

/**
 * What a limit takes beside the category of its own name. SDKs count metrics as `metric` and every profile as `profile`
 * where Relay says `trace_metric`, `profile_chunk` and `profile_chunk_ui`; Relay counts logs and attachments by bytes,
 * too, and turns away whole items where those are used up. An event is `error` at any level, so a limit of `default`
 * takes none.
 */
const TAKES_TOO: Readonly<Record<string, readonly string[]>> = {
  metric: ['trace_metric'],
  profile: ['profile_chunk'],
  profile_chunk_ui: ['profile_chunk'],
  log_byte: ['log_item'],
  attachment_item: ['attachment'],
}

/** What SDKs call a category, where that is not its own name alone. */
const SDKS_SAY: Readonly<Record<string, readonly string[]>> = {
  trace_metric: ['metric'],
  profile_chunk: ['profile'],
}

/** Does a limit of this name take items of this data category? */
export const takes = (limit: string, category: string): boolean =>
  limit === ALL || limit === category || takesToo(limit).includes(category)

/** All names of limits that take items of this data category. */
const limitsThatTake = (category: string): ReadonlySet<string> =>
  new Set([ALL, category, ...Object.keys(TAKES_TOO).filter((limit) => takes(limit, category))])

const KNOWN: ReadonlySet<string> = new Set([ALL, ...DATA_CATEGORIES, ...Object.keys(TAKES_TOO)])

/** Does a limit of this name take anything that has a category of its own? */
export const isKnownLimit = (limit: string): boolean => KNOWN.has(limit)

/**
 * All names by which SDKs have to be told of a limit, so that each stops what the limit takes. Of `all` every category
 * that is known by name: an SDK looks for the category first, and one whose time is over hides an `all` that runs.
 */
export function namesForSdks(limit: string): readonly string[] {
  const taken = limit === ALL ? [...DATA_CATEGORIES, 'default'] : [limit, ...takesToo(limit)]
  return [...new Set(taken.flatMap((name) => [name, ...ofName(SDKS_SAY, name)]))]
}

const takesToo = (limit: string): readonly string[] => ofName(TAKES_TOO, limit)

/** The name is upstream's word: `constructor` is nobody's category. */
const ofName = (table: Readonly<Record<string, readonly string[]>>, name: string): readonly string[] =>
  (Object.hasOwn(table, name) ? table[name] : undefined) ?? []

/**
 * Statuses behind which the same envelope may be taken later: those that say so, and those by which a proxy or a CDN says
 * that whoever is behind it is away or overloaded (520 to 527, 529, 530, 598, 599).
 */
const PASSING: ReadonlySet<number> = new Set([
  408, 502, 503, 504, 520, 521, 522, 523, 524, 525, 526, 527, 529, 530, 598, 599,
])
/** A mistyped DSN must not kill a backlog. */
const OF_THE_DSN: ReadonlySet<number> = new Set([401, 403, 404])

/** Does an upstream that answers this say: later? */
export const isPassing = (status: number): boolean => PASSING.has(status)

/** These speak of the one envelope alone: sent again as it is, it would be refused again, until something else changes. */
const OF_THE_ENVELOPE: ReadonlySet<number> = new Set([400, 413])

/**
 * Does an upstream that answers this make a dead letter of the envelope? Also by a fault of its own that it does not
 * call passing: nobody promises that it is over when we try again.
 */
export const isOfTheEnvelope = (status: number): boolean =>
  OF_THE_ENVELOPE.has(status) || (status >= 500 && !isPassing(status))

/** Does it speak of the DSN or the address, and of no envelope? A redirect is never followed, so the address is wrong. */
export const isOfTheDsn = (status: number): boolean => OF_THE_DSN.has(status) || (status >= 300 && status < 400)
