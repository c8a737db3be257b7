import type { JournalFact } from '../../lib/wire/journal'

/** Facts kept in memory for clients that reconnect. */
const KEPT_FACTS = 2000

/** Open streams and long polls together. */
export const MAX_LISTENERS = 256

const REMOVALS: ReadonlySet<JournalFact['kind']> = new Set(['evicted', 'cleared'])

type Listener = (facts: readonly JournalFact[]) => void

/** Publishes journal facts to live streams and long polls, in order, once they are durable. */
export class LiveHub {
  readonly #listeners = new Set<Listener>()
  /** At least the newest `KEPT_FACTS`. Cut only at twice that number, because each cut copies the array. */
  readonly #facts: JournalFact[] = []
  #head: number
  #removedAt: number

  /** @param head number of the newest fact at start */
  constructor(head: number) {
    this.#head = head
    this.#removedAt = head
  }

  get head(): number {
    return this.#head
  }

  /** Number of the last fact that removed something from the record. */
  get removedAt(): number {
    return this.#removedAt
  }

  get isFull(): boolean {
    return this.#listeners.size >= MAX_LISTENERS
  }

  publish(facts: readonly JournalFact[]): void {
    const last = facts.at(-1)
    if (last === undefined) return
    this.#head = last.n
    for (const fact of facts) {
      this.#facts.push(fact)
      if (REMOVALS.has(fact.kind)) this.#removedAt = fact.n
    }
    if (this.#facts.length >= 2 * KEPT_FACTS) this.#facts.splice(0, this.#facts.length - KEPT_FACTS)
    for (const listener of this.#listeners) listener(facts)
  }

  listen(listener: Listener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** The facts after a number; `null` when some of them are no longer in memory. */
  since(n: number): readonly JournalFact[] | null {
    if (n >= this.#head) return []
    const first = this.#facts[0]
    if (first === undefined || first.n > n + 1) return null
    return this.#facts.filter((fact) => fact.n > n)
  }

  /** Resolves to true when a fact after `n` is published, to false on timeout or abort. */
  async waitPast(n: number, ms: number, signal: AbortSignal): Promise<boolean> {
    if (this.#head > n) return true
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
