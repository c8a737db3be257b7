import { formatRateLimits, type RateLimit } from '../../lib/protocol/rate-limits'
import type { StoredLimit } from '../spool/submission'

/** Limits that upstream told, per key and project, for the answers to SDKs: longest wins, expired ones are nothing. */
export class LimitBook {
  readonly #limits = new Map<string, StoredLimit>()

  constructor(stored: readonly StoredLimit[]) {
    this.tell(stored)
  }

  tell(limits: readonly StoredLimit[]): void {
    for (const limit of limits) {
      const name = [limit.publicKey, limit.project, limit.category].join(' ')
      const known = this.#limits.get(name)
      if (known === undefined || limit.until > known.until) this.#limits.set(name, limit)
    }
  }

  active(now: number): readonly StoredLimit[] {
    for (const [name, limit] of this.#limits) if (limit.until <= now) this.#limits.delete(name)
    return [...this.#limits.values()]
  }

  /**
   * The `X-Sentry-Rate-Limits` for a 200 to an SDK of this project, with *remaining* seconds: an SDK restarts its clock
   * at each header. `null` when nothing is limited.
   */
  headerFor(publicKey: string, project: string, now: number): string | null {
    const limits = this.active(now)
      .filter((limit) => limit.publicKey === publicKey && limit.project === project)
      .map(
        (limit): RateLimit => ({
          seconds: (limit.until - now) / 1000,
          categories: limit.category === ALL ? [] : [limit.category],
          scope: 'organization',
          reason: limit.reason,
        }),
      )
    return limits.length === 0 ? null : formatRateLimits(limits)
  }
}

/** The category of a limit that speaks of everything. */
export const ALL = 'all'

/** A told limit as stored, one per category. */
export function storedLimits(
  told: readonly RateLimit[],
  upstream: { readonly publicKey: string; readonly projectId: string },
  now: number,
): readonly StoredLimit[] {
  return told.flatMap((limit) =>
    (limit.categories.length === 0 ? [ALL] : limit.categories).map((category) => ({
      publicKey: upstream.publicKey,
      project: upstream.projectId,
      category: category.slice(0, 64),
      until: Math.round(now + limit.seconds * 1000),
      toldAt: now,
      reason: limit.reason,
    })),
  )
}
