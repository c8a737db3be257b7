import { EVENT_BUFFER_ITEMS } from '../../lib/contract/values'

/** "Error-reporting event buffer": so many posts are open at once; the relay waits when its window is full. */
export const OPEN_POSTS = EVENT_BUFFER_ITEMS

/** How many may be in hand: as open posts, and altogether. */
interface Window {
  readonly open: number
  readonly inHand: number
}

export const WINDOWS = {
  /**
   * Three times as many may be answered and wait for the commit that says so: of those, too, a kill may leave upstream a
   * second copy. With fewer, posts stand still while a commit is made, and each commit has less to cover.
   */
  all: { open: OPEN_POSTS, inHand: 4 * OPEN_POSTS },
  /** While intake goes first: what is pending goes on, and each that ends begins the next. */
  few: { open: 2, inHand: 2 },
  /** After an outage. */
  probe: { open: 1, inHand: 1 },
} as const satisfies Readonly<Record<string, Window>>

/**
 * What is in hand: open posts, and those that were answered and are not written down yet. Who was answered gives its place
 * to the next at once, for a commit takes longer than many a post.
 */
export class OpenPosts {
  readonly #open = new Map<number, number>()
  readonly #answered = new Map<number, number>()
  readonly #mostBytes: number
  #bytes = 0
  #idle: (() => void)[] = []

  /** @param mostBytes from here on nothing more is begun. */
  constructor(mostBytes: number) {
    this.#mostBytes = mostBytes
  }

  /** Posts that are open. */
  get size(): number {
    return this.#open.size
  }

  has(seq: number): boolean {
    return this.#open.has(seq) || this.#answered.has(seq)
  }

  hasRoom({ open, inHand }: Window): boolean {
    return this.#open.size < open && this.#inHand < inHand && this.#bytes < this.#mostBytes
  }

  begin({ seq, bytes }: { readonly seq: number; readonly bytes: number }): void {
    this.#open.set(seq, bytes)
    this.#bytes += bytes
  }

  /** Its post is not open any more; what came of it is to be written down. */
  answered(seq: number): void {
    const bytes = this.#open.get(seq)
    if (bytes === undefined) return
    this.#open.delete(seq)
    this.#answered.set(seq, bytes)
  }

  end(seq: number): void {
    this.#bytes -= this.#open.get(seq) ?? this.#answered.get(seq) ?? 0
    this.#open.delete(seq)
    this.#answered.delete(seq)
    if (this.#inHand === 0) for (const resolve of this.#idle.splice(0)) resolve()
  }

  /** Resolves when nothing is in hand any more. */
  async whenNone(): Promise<void> {
    if (this.#inHand > 0) await new Promise<void>((resolve) => this.#idle.push(resolve))
  }

  get #inHand(): number {
    return this.#open.size + this.#answered.size
  }
}
