import { COUNTED_MINUTES } from '../../lib/wire/figures'

const MINUTE_MS = 60_000

const minuteOf = (ms: number): number => Math.floor(ms / MINUTE_MS)

/** Named counts per minute, for the newest 60 minutes. The caller bounds the number of names. */
export class MinuteCounts {
  readonly #minutes = new Map<number, Map<string, number>>()
  #newest = 0

  /** @param atMs ms since the epoch */
  add(name: string, atMs: number, amount = 1): void {
    const minute = minuteOf(atMs)
    if (amount === 0 || minute <= this.#newest - COUNTED_MINUTES) return
    const counts = this.#minutes.get(minute) ?? new Map<string, number>()
    counts.set(name, (counts.get(name) ?? 0) + amount)
    this.#minutes.set(minute, counts)
    if (minute <= this.#newest) return
    this.#newest = minute
    for (const old of this.#minutes.keys()) if (old <= minute - COUNTED_MINUTES) this.#minutes.delete(old)
  }

  /** The sum over the newest minutes, the current one included. */
  sum(name: string, nowMs: number, minutes: number): number {
    return this.series(name, nowMs, minutes).reduce((all, one) => all + one, 0)
  }

  /** One count per minute, the oldest first. */
  series(name: string, nowMs: number, minutes: number): number[] {
    const first = minuteOf(nowMs) - minutes + 1
    return Array.from({ length: minutes }, (_, index) => this.#minutes.get(first + index)?.get(name) ?? 0)
  }

  /** The rest of each name that begins with a prefix. */
  names(prefix: string): string[] {
    const all = new Set([...this.#minutes.values()].flatMap((counts) => [...counts.keys()]))
    return [...all].flatMap((name) => (name.startsWith(prefix) ? [name.slice(prefix.length)] : []))
  }
}

/** Start of the first of so many minutes, ms since the epoch. */
export const startOfMinutes = (nowMs: number, minutes: number): number => (minuteOf(nowMs) - minutes + 1) * MINUTE_MS
