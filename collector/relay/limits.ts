import type { Dsn } from '../../lib/protocol/dsn'
import { ALL, isKnownLimit } from '../../lib/protocol/limited'
import type { RateLimit } from '../../lib/protocol/rate-limits'
import type { StoredLimit } from '../spool/submission'
import { headerOf } from './limits-header'

/** Categories that are remembered of one project: an answer can name as many as it likes. */
const MOST_LIMITS = 100
/** A clock that is off by more than this was set, and is not only slow. */
const SET_MS = 1000
/** Two clocks that are read one after the other differ by this much without meaning it. */
const JITTER_MS = 10

interface Running {
  readonly limit: StoredLimit
  /** Of the clock that is never set. */
  readonly endsAt: number
}

/**
 * Limits that upstream told, per key and project: longest wins, expired ones are nothing. A limit runs for as long as it
 * was told, by a clock that nobody sets: one that jumps a day back must not prolong it.
 */
export class LimitBook {
  readonly #now: () => number
  readonly #monotonic: () => number
  readonly #running = new Map<string, Running>()
  /** Over, and stored still: a clock that is set back would bring them back at the next start. */
  readonly #over = new Map<string, StoredLimit>()

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
      const name = nameOf(limit)
      const known = this.#running.get(name)
      this.#over.delete(name)
      if (known === undefined ? this.#mayRemember(limit) : running.endsAt > known.endsAt)
        this.#running.set(name, running)
    }
  }

  /** What is in force, each with the time of day at which it will end as far as the clock can be trusted. */
  active(): readonly StoredLimit[] {
    const [now, monotonic] = [this.#now(), this.#monotonic()]
    for (const [name, { limit, endsAt }] of this.#running) {
      if (endsAt > monotonic) continue
      this.#running.delete(name)
      this.#over.set(name, limit)
    }
    return [...this.#running.values()].map(({ limit, endsAt }) => {
      const until = Math.round(now + endsAt - monotonic)
      return Math.abs(until - limit.until) <= JITTER_MS ? limit : { ...limit, until }
    })
  }

  /** What is in force for one key and project. It is asked for each post, and is almost always nothing. */
  running(publicKey: string, project: string): readonly StoredLimit[] {
    if (this.#running.size === 0) return NONE
    return this.active().filter((limit) => limit.publicKey === publicKey && limit.project === project)
  }

  /**
   * What has to be stored anew, so that a restart finds it as it is: those that end at another time of day than was stored,
   * for the clock was set since, and those that are over (`until` 0). What was corrected once is not told again.
   */
  corrected(): readonly StoredLimit[] {
    const moved = this.active().flatMap((limit) => {
      const name = nameOf(limit)
      const known = this.#running.get(name)
      if (known === undefined) return []
      const by = limit.until - known.limit.until
      if (Math.abs(by) <= SET_MS) return []
      const anew = { ...limit, toldAt: limit.toldAt + by }
      this.#running.set(name, { ...known, limit: anew })
      return anew
    })
    const over = [...this.#over.values()].map((limit) => ({ ...limit, until: 0 }))
    this.#over.clear()
    return [...moved, ...over]
  }

  /** The `X-Sentry-Rate-Limits` for a 200 to an SDK of this project; `null` when nothing is limited. */
  headerFor(publicKey: string, project: string): string | null {
    return headerOf(this.running(publicKey, project), this.#now())
  }

  #mayRemember({ publicKey, project }: StoredLimit): boolean {
    let many = 0
    for (const { limit } of this.#running.values())
      if (limit.publicKey === publicKey && limit.project === project) many += 1
    return many < MOST_LIMITS
  }
}

const NONE: readonly StoredLimit[] = []

const nameOf = ({ publicKey, project, category }: StoredLimit): string => [publicKey, project, category].join(' ')

/**
 * A told limit as stored, one per category: those that take what we know first, for no more than some are remembered.
 * @param toldBy the envelope whose answer it was; `null` where it was told of a report of our own.
 */
export const storedLimits = (
  told: readonly RateLimit[],
  upstream: Pick<Dsn, 'publicKey' | 'projectId'>,
  toldBy: number | null,
  now: number,
): readonly StoredLimit[] =>
  told
    .flatMap((limit) =>
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
    .sort((a, b) => Number(isKnownLimit(b.category)) - Number(isKnownLimit(a.category)))
