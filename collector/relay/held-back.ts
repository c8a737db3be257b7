import type { PendingRecord } from '../index/listed-pending'
import type { BreakerTools } from './condition'

/** Ends that are this near each other are one: an end is told in ms, and 10,000 timers would tell no more than one. */
const GRAIN_MS = 1000

/**
 * Records that wait until a time, for the end of a limit or by themselves: their numbers and sizes alone. How long is
 * reckoned when they are put aside, so that a clock that is set meanwhile neither shortens nor prolongs it.
 */
export class DelayedRecords {
  readonly #tools: Pick<BreakerTools, 'now' | 'later'>
  readonly #onEnd: (freed: readonly PendingRecord[]) => void
  /** Each with the group it is in. */
  readonly #waiting = new Map<number, { readonly bytes: number; readonly end: number }>()
  readonly #groups = new Map<number, { readonly seqs: number[]; readonly cancel: () => void }>()

  /** @param onEnd these may go on: they are not kept here any more. */
  constructor(tools: Pick<BreakerTools, 'now' | 'later'>, onEnd: (freed: readonly PendingRecord[]) => void) {
    this.#tools = tools
    this.#onEnd = onEnd
  }

  get size(): number {
    return this.#waiting.size
  }

  has(seq: number): boolean {
    return this.#waiting.has(seq)
  }

  /** @param until ms since the epoch. */
  add({ seq, bytes }: PendingRecord, until: number): void {
    const end = Math.ceil(until / GRAIN_MS)
    this.#waiting.set(seq, { bytes, end })
    const group = this.#groups.get(end)
    if (group !== undefined) {
      group.seqs.push(seq)
      return
    }
    const wait = Math.max(end * GRAIN_MS - this.#tools.now(), GRAIN_MS)
    this.#groups.set(end, { seqs: [seq], cancel: this.#tools.later(() => this.#free(end), wait) })
  }

  /** Something became of them meanwhile: those of them that waited here do no more. */
  release(seqs: readonly number[]): void {
    const freed = seqs.flatMap((seq) => this.#take(seq))
    if (freed.length > 0) this.#onEnd(freed)
  }

  /** Somebody knows better than their time: all go on. @returns whether anybody waited. */
  releaseAll(): boolean {
    const all = [...this.#waiting.keys()]
    this.release(all)
    return all.length > 0
  }

  /** They stay pending, and nobody waits for them any more. */
  end(): void {
    for (const { cancel } of this.#groups.values()) cancel()
    this.#groups.clear()
    this.#waiting.clear()
  }

  #free(end: number): void {
    const seqs = this.#groups.get(end)?.seqs ?? []
    this.#groups.delete(end)
    // Who was released and put aside again waits in another.
    this.#onEnd(seqs.filter((seq) => this.#waiting.get(seq)?.end === end).flatMap((seq) => this.#take(seq)))
  }

  #take(seq: number): readonly PendingRecord[] {
    const waiting = this.#waiting.get(seq)
    if (waiting === undefined) return []
    this.#waiting.delete(seq)
    return [{ seq, bytes: waiting.bytes }]
  }
}
