import { ALL } from '../../lib/protocol/limited'
import { formatRateLimits, type RateLimit } from '../../lib/protocol/rate-limits'
import type { StoredLimit } from '../spool/submission'

/** Categories that are remembered of one project: an answer can name as many as it likes. */
const MOST_LIMITS = 100

interface Running {
  readonly limit: StoredLimit
  /** Of the clock that is never set. */
  readonly endsAt: number
}

/**
 * Limits that upstream told, per key and project, for the answers to SDKs: longest wins, expired ones are nothing. A
 * limit runs for as long as it was told, by a clock that nobody sets: one that jumps a day back must not prolong it.
 */
export class LimitBook {
  readonly #now: () => number
  readonly #monotonic: () => number
  readonly #running = new Map<string, Running>()

  /** @param clock ms since the epoch, and ms that only ever grow. */
  constructor(stored: readonly StoredLimit[], clock: { readonly now: () => number; readonly monotonic: () => number }) {
    this.#now = clock.now
    this.#monotonic = clock.monotonic
    this.tell(stored)
  }

  tell(limits: readonly StoredLimit[]): void {
    for (const limit of limits) {
      const left = Math.min(limit.until - this.#now(), limit.until - limit.toldAt)
      const running = { limit, endsAt: this.#monotonic() + left }
      const name = [limit.publicKey, limit.project, limit.category].join(' ')
      const known = this.#running.get(name)
      if (known === undefined ? this.#mayRemember(limit) : running.endsAt > known.endsAt)
        this.#running.set(name, running)
    }
  }

  /** What is in force, each with the time of day at which it will end as far as the clock can be trusted. */
  active(): readonly StoredLimit[] {
    const [now, monotonic] = [this.#now(), this.#monotonic()]
    for (const [name, { endsAt }] of this.#running) if (endsAt <= monotonic) this.#running.delete(name)
    return [...this.#running.values()].map(({ limit, endsAt }) => ({
      ...limit,
      until: Math.round(now + endsAt - monotonic),
    }))
  }

  /** What is in force for one key and project. It is asked for each post, and is almost always nothing. */
  running(publicKey: string, project: string): readonly StoredLimit[] {
    if (this.#running.size === 0) return NONE
    return this.active().filter((limit) => limit.publicKey === publicKey && limit.project === project)
  }

  /**
   * The `X-Sentry-Rate-Limits` for a 200 to an SDK of this project, with *remaining* seconds: an SDK restarts its clock
   * at each header. `null` when nothing is limited.
   */
  headerFor(publicKey: string, project: string): string | null {
    const now = this.#now()
    const limits = this.active()
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

  #mayRemember({ publicKey, project }: StoredLimit): boolean {
    let many = 0
    for (const { limit } of this.#running.values())
      if (limit.publicKey === publicKey && limit.project === project) many += 1
    return many < MOST_LIMITS
  }
}

const NONE: readonly StoredLimit[] = []

/** A told limit as stored, one per category. */
export function storedLimits(
  told: readonly RateLimit[],
  upstream: { readonly publicKey: string; readonly projectId: string },
  toldBy: number,
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
      scope: limit.scope,
      toldBy,
    })),
  )
}
