import type { JournalFact } from '../../lib/wire/journal'

/** Facts kept in memory for clients that reconnect. */
const KEPT_FACTS = 2000

/** Open streams and long polls together. */
export const MAX_LISTENERS = 256

const REMOVALS: ReadonlySet<JournalFact['kind']> = new Set(['evicted', 'cleared'])

type Listener = (facts: readonly JournalFact[]) => void

/**
 * Publishes journal facts to live streams and long polls, in order, once they are durable. A fact of this collector alone
 * repeats the newest number of a shared record, so a waiter counts facts instead of comparing numbers.
 */
export class LiveHub {
  readonly #listeners = new Set<Listener>()
  /** At least the newest `KEPT_FACTS`. Cut only at twice that number, because each cut copies the array. */
  readonly #facts: JournalFact[] = []
  /** Those that repeat a number. */
  readonly #repeats = new WeakSet<JournalFact>()
  #head: number
  #published = 0
  #removals = 0

  /** @param head number of the newest fact at start */
  constructor(head: number) {
    this.#head = head
  }

  get head(): number {
    return this.#head
  }

  /** Facts since the start. */
  get published(): number {
    return this.#published
  }

  /** Facts since the start that removed something from the record. */
  get removals(): number {
    return this.#removals
  }

  get isFull(): boolean {
    return this.#listeners.size >= MAX_LISTENERS
  }

  publish(facts: readonly JournalFact[]): void {
    if (facts.length === 0) return
    for (const fact of facts) {
      // Numbers that begin again are those of another record. A mirror of it begins in its middle.
      if (fact.n < this.#head || fact.n > this.#head + 1) this.#facts.length = 0
      if (fact.n === this.#head) this.#repeats.add(fact)
      this.#head = fact.n
      this.#facts.push(fact)
      if (REMOVALS.has(fact.kind)) this.#removals += 1
    }
    this.#published += facts.length
    if (this.#facts.length >= 2 * KEPT_FACTS) this.#facts.splice(0, this.#facts.length - KEPT_FACTS)
    for (const listener of this.#listeners) listener(facts)
  }

  listen(listener: Listener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /**
   * The facts after a number, and those that repeat it: a client that read the number may have missed them.
   * @returns `null` when some facts after it are no longer in memory
   */
  since(n: number): readonly JournalFact[] | null {
    const first = this.#facts[0]
    if (n < this.#head && (first === undefined || first.n > n + 1)) return null
    return this.#facts.filter((fact) => fact.n > n || (fact.n === n && this.#repeats.has(fact)))
  }

  /** Resolves to true when more facts than these have been published, to false on timeout or abort. */
  async waitForMore(published: number, ms: number, signal: AbortSignal): Promise<boolean> {
    if (this.#published > published) return true
    return new Promise((resolve) => {
      const finish = (passed: boolean): void => {
        clearTimeout(timer)
        stop()
        signal.removeEventListener('abort', onAbort)
        resolve(passed)
      }
      const onAbort = (): void => finish(false)
      const timer = setTimeout(() => finish(false), ms)
      const stop = this.listen(() => finish(true))
      signal.addEventListener('abort', onAbort)
    })
  }
}
