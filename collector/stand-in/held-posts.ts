import type { ServerResponse } from 'node:http'

/** So many posts wait for an answer at once; of those beyond it the connection is cut. */
export const MOST_HELD = 200

/** Posts that are not answered at once: each holds a connection and its answer until it ends, and there is an end to that. */
export class HeldPosts {
  readonly #held = new Set<ServerResponse>()
  #mayHold = true

  /** @returns false when it may not be held: its connection is cut. */
  hold(response: ServerResponse): boolean {
    if (this.#held.has(response)) return true
    if (!this.#mayHold || this.#held.size >= MOST_HELD) {
      cut(response)
      return false
    }
    this.#held.add(response)
    response.once('close', () => this.#held.delete(response))
    return true
  }

  /** Cuts all, and from now on each that would be held. */
  end(): void {
    this.#mayHold = false
    for (const response of this.#held) cut(response)
  }
}

/** Ends a connection as a machine that crashes does: with a reset, and without a word. */
export function cut(response: ServerResponse): void {
  response.socket?.resetAndDestroy()
}
