import type { Dsn } from '../../lib/protocol/dsn'
import { ALL, isKnownLimit, type RateLimit } from '../../lib/protocol/upstream-answer'
import { type CorrectedLimit, MOST_LIMITS, type StoredLimit } from '../spool/submission'
import { formatLimitsHeader, limitsForSdks } from './limits-header'

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
export class RateLimits {
  readonly #now: () => number
  readonly #monotonic: () => number
  readonly #running = new Map<string, Running>()
  /** Over, and stored still: a clock that is set back would bring them back at the next start. */
  readonly #over = new Map<string, StoredLimit>()

  /** @param clock ms since the epoch, and ms that only ever grow. */
  constructor(stored: readonly StoredLimit[], clock: { readonly now: () => number; readonly monotonic: () => number }) {
    this.#now = clock.now
    this.#monotonic = clock.monotonic
    this.add(stored)
  }

  add(limits: readonly StoredLimit[]): void {
    for (const limit of limits) {
      const left = Math.min(limit.until - this.#now(), limit.until - limit.receivedAt)
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
  activeFor(publicKey: string, project: string): readonly StoredLimit[] {
    if (this.#running.size === 0) return NONE
    return this.active().filter((limit) => limit.publicKey === publicKey && limit.project === project)
  }

  /**
   * What has to be stored anew, so that a restart finds it as it is: those that end at another time of day than was stored,
   * for the clock was set since, and those that are over (`until` 0). What was corrected once is not told again.
   */
  corrected(): readonly CorrectedLimit[] {
    const moved = this.active().flatMap((limit) => {
      const name = nameOf(limit)
      const known = this.#running.get(name)
      if (known === undefined) return []
      const by = limit.until - known.limit.until
      if (Math.abs(by) <= SET_MS) return []
      const anew = { ...limit, receivedAt: limit.receivedAt + by }
      this.#running.set(name, { ...known, limit: anew })
      return { ...anew, by }
    })
    const over = [...this.#over.values()].map((limit) => ({ ...limit, until: 0, by: 0 }))
    this.#over.clear()
    return [...moved, ...over]
  }

  /** What an SDK of this project is told of those in force. @param holdErrors errors are to come, and wait here. */
  reportedLimits(publicKey: string, project: string, holdErrors = false): readonly StoredLimit[] {
    return limitsForSdks(this.activeFor(publicKey, project), holdErrors)
  }

  /** The same as the `X-Sentry-Rate-Limits` of a 200; `null` when there is nothing to tell. */
  headerFor(publicKey: string, project: string, holdErrors = false): string | null {
    return formatLimitsHeader(this.reportedLimits(publicKey, project, holdErrors), this.#now())
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
 * What an answer told as stored, one per category with the longest: those that take what we know first, and of them all
 * no more than are remembered.
 * @param sourceSeq the envelope whose answer it was; `null` where it was told of a report of our own.
 */
export function storedLimits(
  told: readonly RateLimit[],
  upstream: Pick<Dsn, 'publicKey' | 'projectId'>,
  sourceSeq: number | null,
  now: number,
): readonly StoredLimit[] {
  const longest = new Map<string, RateLimit>()
  for (const limit of told)
    for (const named of limit.categories.length === 0 ? [ALL] : limit.categories) {
      const category = named.slice(0, 64)
      if (limit.seconds > (longest.get(category)?.seconds ?? Number.NEGATIVE_INFINITY)) longest.set(category, limit)
    }
  const names = [...longest.keys()]
  const kept = [...names.filter(isKnownLimit), ...names.filter((name) => !isKnownLimit(name))].slice(0, MOST_LIMITS)
  return kept.flatMap((category) => {
    const limit = longest.get(category)
    if (limit === undefined) return []
    const { seconds, reason, scope } = limit
    const { publicKey, projectId: project } = upstream
    return {
      publicKey,
      project,
      category,
      until: Math.round(now + seconds * 1000),
      receivedAt: now,
      reason,
      scope,
      sourceSeq,
    }
  })
}
