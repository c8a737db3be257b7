/** So much of what came is remembered, oldest forgotten first. */
const REMEMBERED_POSTS = 5000
export const REMEMBERED_BYTES = 128 * 1024 * 1024

export interface ReceivedPost {
  readonly n: number
  readonly at: number
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
  readonly sha256: string
  /** Data categories of its items, each once; none where the body cannot be framed. */
  readonly categories: readonly string[]
  /** What it was answered; `null` when it was not. */
  readonly status: number | null
}

/** What came, byte for byte, within bounds; numbers go on when it is forgotten. */
export class ReceivedPosts {
  #posts: ReceivedPost[] = []
  #bytes = 0
  #count = 0

  add(post: Omit<ReceivedPost, 'n'>): ReceivedPost {
    this.#count += 1
    const numbered = { n: this.#count, ...post }
    this.#posts.push(numbered)
    this.#bytes += post.body.length
    while (this.#posts.length > REMEMBERED_POSTS || this.#bytes > REMEMBERED_BYTES)
      this.#bytes -= this.#posts.shift()?.body.length ?? this.#bytes
    return numbered
  }

  /** Oldest first. */
  all(): readonly ReceivedPost[] {
    return [...this.#posts]
  }

  forget(): void {
    this.#posts = []
    this.#bytes = 0
  }
}
