import { EVENT_BUFFER_ITEMS } from '../../lib/contract/values'

/** "Error-reporting event buffer": this many posts are open at once. The relay waits when its window is full. */
export const OPEN_POSTS = EVENT_BUFFER_ITEMS

interface Window {
  readonly open: number
  readonly inProgress: number
}

export const WINDOWS = {
  /**
   * One window of open posts, and three of answered posts whose outcome is not committed yet. After a kill those are
   * posted again, so upstream may receive them twice. With fewer, each commit would cover fewer posts.
   */
  all: { open: OPEN_POSTS, inProgress: 4 * OPEN_POSTS },
  /** While intake is busy. */
  few: { open: 2, inProgress: 2 },
  /** After an outage. */
  probe: { open: 1, inProgress: 1 },
} as const satisfies Readonly<Record<string, Window>>

/** The posts in progress to one upstream, of all its lanes that this collector delivers. */
export class PostTotals {
  open = 0
  inProgress = 0
  bytes = 0
}

/**
 * Open posts, and answered ones whose result is not written yet. An answered post lets the next one start at once,
 * because a commit takes longer than many posts.
 */
export class OpenPosts {
  readonly #open = new Map<number, number>()
  readonly #answered = new Map<number, number>()
  readonly #maxBytes: number
  readonly #totals: PostTotals
  #waiting: (() => void)[] = []

  /** @param maxBytes no post begins while the posts in progress have this many bytes. @param totals which windows limit */
  constructor(maxBytes: number, totals = new PostTotals()) {
    this.#maxBytes = maxBytes
    this.#totals = totals
  }

  get size(): number {
    return this.#open.size
  }

  has(seq: number): boolean {
    return this.#open.has(seq) || this.#answered.has(seq)
  }

  hasRoom({ open, inProgress }: Window): boolean {
    const totals = this.#totals
    return totals.open < open && totals.inProgress < inProgress && totals.bytes < this.#maxBytes
  }

  begin({ seq, bytes }: { readonly seq: number; readonly bytes: number }): void {
    this.#open.set(seq, bytes)
    this.#totals.open += 1
    this.#totals.inProgress += 1
    this.#totals.bytes += bytes
  }

  answered(seq: number): void {
    const bytes = this.#open.get(seq)
    if (bytes === undefined) return
    this.#open.delete(seq)
    this.#totals.open -= 1
    this.#answered.set(seq, bytes)
  }

  end(seq: number): void {
    const bytes = this.#open.get(seq) ?? this.#answered.get(seq)
    if (this.#open.delete(seq)) this.#totals.open -= 1
    this.#answered.delete(seq)
    if (bytes !== undefined) {
      this.#totals.inProgress -= 1
      this.#totals.bytes -= bytes
    }
    for (const resolve of this.#waiting.splice(0)) resolve()
  }

  async whenNone(): Promise<void> {
    while (this.#inProgress > 0) await this.#nextEnd()
  }

  /** Resolves when none of these is in progress any more, with the number of those that were. */
  async whenEnded(seqs: readonly number[]): Promise<number> {
    const open = seqs.filter((seq) => this.has(seq))
    while (open.some((seq) => this.has(seq))) await this.#nextEnd()
    return open.length
  }

  #nextEnd(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve))
  }

  get #inProgress(): number {
    return this.#open.size + this.#answered.size
  }
}

/** The position of one record in the order of starts. */
export interface Turn {
  readonly ready: Promise<void>
  /** Can be called repeatedly. */
  readonly passed: () => void
}

/** Lets records that become ready in any order start in the order of their turns: a chain of promises. */
export class StartOrder {
  #last: Promise<void> = Promise.resolve()

  next(): Turn {
    const ready = this.#last
    let passed: Turn['passed'] = () => undefined
    this.#last = new Promise((resolve) => {
      // Resolving with `ready` keeps the order where a turn is passed before the earlier ones.
      passed = () => resolve(ready)
    })
    return { ready, passed }
  }
}
