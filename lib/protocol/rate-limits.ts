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
  // A blank header says nothing, to an SDK neither: it must not turn a 429 into no limit at all.
  if (answer.rateLimits?.trim()) return parseRateLimits(answer.rateLimits)
  if (answer.retryAfter?.trim()) return [everything(parseRetryAfter(answer.retryAfter, now))]
  return answer.status === 429 ? [everything(DEFAULT_BACK_OFF_SECONDS)] : []
}

/** `limit = retry_after ":" categories ":" scope [":" reason [":" namespaces]]`, separated by commas. */
export function parseRateLimits(header: string): readonly RateLimit[] {
  return header
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .map((part) => {
      const [seconds = '', categories = '', scope = '', reason = ''] = part.split(':', 4)
      return {
        seconds: clampSeconds(Number.parseFloat(seconds)),
        categories: categories
          .split(';')
          .map((name) => name.trim())
          .filter((name) => name !== ''),
        scope: scope.trim() || null,
        reason: reason.trim() || null,
      }
    })
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
