import type { JournalFact } from '../../lib/wire/journal'

/** So many facts are remembered for those who reconnect; who was away for longer starts afresh. */
const REMEMBERED_FACTS = 2000

/** Streams and waits that are open at once. */
export const MOST_LISTENERS = 256

const TAKE_AWAY: ReadonlySet<JournalFact['kind']> = new Set(['evicted', 'cleared'])

export type Listener = (facts: readonly JournalFact[]) => void

/** Tells whoever listens what happened, in order, once it is durable. */
export class LiveHub {
  readonly #listeners = new Set<Listener>()
  /** The newest ones, and up to as many older ones: they are cut off together, for each cut copies. */
  readonly #facts: JournalFact[] = []
  #head: number
  #wentAt: number

  /** @param head number of the newest fact at start. */
  constructor(head: number) {
    this.#head = head
    this.#wentAt = head
  }

  get head(): number {
    return this.#head
  }

  /** Number of the last fact by which something went from the record. */
  get wentAt(): number {
    return this.#wentAt
  }

  /** Nobody more may listen just now. */
  get isFull(): boolean {
    return this.#listeners.size >= MOST_LISTENERS
  }

  publish(facts: readonly JournalFact[]): void {
    const last = facts.at(-1)
    if (last === undefined) return
    this.#head = last.n
    for (const fact of facts) {
      this.#facts.push(fact)
      if (TAKE_AWAY.has(fact.kind)) this.#wentAt = fact.n
    }
    if (this.#facts.length >= 2 * REMEMBERED_FACTS) this.#facts.splice(0, this.#facts.length - REMEMBERED_FACTS)
    for (const listener of this.#listeners) listener(facts)
  }

  /** @returns how to stop listening. */
  listen(listener: Listener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** The facts after a number, or `null` when some of them are no longer remembered. */
  since(n: number): readonly JournalFact[] | null {
    if (n >= this.#head) return []
    const first = this.#facts[0]
    if (first === undefined || first.n > n + 1) return null
    return this.#facts.filter((fact) => fact.n > n)
  }

  /** Resolves true when the journal has passed a number, false when the time is over or the asker has gone. */
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
