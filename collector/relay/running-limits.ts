import type { Spool } from '../spool/spool'
import { type CorrectedLimit, MAX_LIMITS_PER_PROJECT, type StoredLimit } from '../spool/spool'
import { formatLimitsHeader, limitsForSdks } from './limit-headers'

/** A difference above this means that the clock was set, not that it is slow. */
const SET_MS = 1000
/** Two clocks that are read one after the other differ by up to this much. */
const JITTER_MS = 10
const CORRECTION_INTERVAL_MS = 10_000
/** Limits of all stamps together. */
const MAX_STAMPED_LIMITS = 1000

interface RunningLimit {
  readonly limit: StoredLimit
  readonly endsAt: number
}

const NONE: readonly StoredLimit[] = []

/**
 * Per key and project; of several limits of one category the longest wins. A limit runs by the monotonic clock: setting
 * the system clock back by a day must not prolong it.
 */
export class RateLimits {
  readonly #now: () => number
  readonly #monotonic: () => number
  readonly #running = new Map<string, RunningLimit>()
  /** Ended, but still stored: if the clock were set back, a restart would restore them. */
  readonly #ended = new Map<string, StoredLimit>()

  constructor(stored: readonly StoredLimit[], clock: { readonly now: () => number; readonly monotonic: () => number }) {
    this.#now = clock.now
    this.#monotonic = clock.monotonic
    this.add(stored)
  }

  add(rateLimits: readonly StoredLimit[]): void {
    for (const limit of rateLimits) {
      const left = Math.min(limit.until - this.#now(), limit.until - limit.receivedAt)
      const running = { limit, endsAt: this.#monotonic() + left }
      const name = nameOf(limit)
      const known = this.#running.get(name)
      this.#ended.delete(name)
      if (known === undefined ? this.#hasSpaceFor(limit) : running.endsAt > known.endsAt)
        this.#running.set(name, running)
    }
  }

  /** Limits that are in force. `until` follows the monotonic clock where the system clock was set. */
  active(): readonly StoredLimit[] {
    const [now, monotonic] = [this.#now(), this.#monotonic()]
    for (const [name, { limit, endsAt }] of this.#running) {
      if (endsAt > monotonic) continue
      this.#running.delete(name)
      if (limit.stamp === undefined) this.#ended.set(name, limit)
    }
    return [...this.#running.values()].map(({ limit, endsAt }) => {
      const until = Math.round(now + endsAt - monotonic)
      return Math.abs(until - limit.until) <= JITTER_MS ? limit : { ...limit, until }
    })
  }

  /**
   * Limits in force for one key and project. Called for each post, and almost always empty.
   * @param stamp includes the limits of this stamp
   */
  activeFor(publicKey: string, project: string, stamp: string | null = null): readonly StoredLimit[] {
    if (this.#running.size === 0) return NONE
    return this.active().filter(
      (limit) =>
        limit.publicKey === publicKey &&
        limit.project === project &&
        (limit.stamp === undefined || limit.stamp === stamp),
    )
  }

  /**
   * Limits whose stored rows must be corrected, so that a restart restores the same state: their end moved because the
   * clock was set, or they ended (`until` 0). Each correction is returned once.
   */
  corrected(): readonly CorrectedLimit[] {
    const moved = this.active().flatMap((limit) => {
      const name = nameOf(limit)
      const known = this.#running.get(name)
      if (known === undefined) return []
      const by = limit.until - known.limit.until
      if (Math.abs(by) <= SET_MS || limit.stamp !== undefined) return []
      const corrected = { ...limit, receivedAt: limit.receivedAt + by }
      this.#running.set(name, { ...known, limit: corrected })
      return { ...corrected, by }
    })
    const ended = [...this.#ended.values()].map((limit) => ({ ...limit, until: 0, by: 0 }))
    this.#ended.clear()
    return [...moved, ...ended]
  }

  /**
   * The limits that SDKs of this project receive.
   * @param holdErrors errors are deferred here, so SDKs must send them. @param stamp of the request
   */
  reportedLimits(
    publicKey: string,
    project: string,
    holdErrors = false,
    stamp: string | null = null,
  ): readonly StoredLimit[] {
    return limitsForSdks(this.activeFor(publicKey, project, stamp), holdErrors)
  }

  /** The same limits as the value of `X-Sentry-Rate-Limits`; `null` when there are none. */
  headerFor(publicKey: string, project: string, holdErrors = false, stamp: string | null = null): string | null {
    return formatLimitsHeader(this.reportedLimits(publicKey, project, holdErrors, stamp), this.#now())
  }

  /** The limits of stamps are counted together, so that they leave the others their space. */
  #hasSpaceFor({ publicKey, project, stamp }: StoredLimit): boolean {
    let count = 0
    for (const { limit } of this.#running.values()) {
      const isOfStamp = limit.stamp !== undefined
      if (isOfStamp !== (stamp !== undefined)) continue
      if (isOfStamp || (limit.publicKey === publicKey && limit.project === project)) count += 1
    }
    return count < (stamp === undefined ? MAX_LIMITS_PER_PROJECT : MAX_STAMPED_LIMITS)
  }
}

const nameOf = ({ publicKey, project, category, stamp = '' }: StoredLimit): string =>
  [publicKey, project, category, stamp].join(' ')

/**
 * Stores corrected limits every 10 s: a stored limit ends at a time of day, a running one by the monotonic clock, and
 * the clock may be set. @returns stops that, after a last correction.
 */
export function keepLimitsStored(parts: {
  readonly rateLimits: Pick<RateLimits, 'corrected'>
  readonly store: Spool['correctLimits']
  readonly repeat: (work: () => void, ms: number) => () => void
  readonly log: (line: string) => void
}): () => Promise<void> {
  const correct = async (): Promise<void> => {
    const corrected = parts.rateLimits.corrected()
    if (corrected.length === 0) return
    await parts
      .store(corrected)
      .catch((error: Error) => parts.log(`corrected rate limits could not be stored: ${error.message}`))
  }
  const stop = parts.repeat(correct, CORRECTION_INTERVAL_MS)
  return () => {
    stop()
    return correct()
  }
}
