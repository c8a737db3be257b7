/** Messages within `WINDOW_MS`, of one client and of all. */
export const MOST_OF_CLIENT = 5
export const MOST_OF_ALL = 60
const WINDOW_MS = 60_000

export interface FeedbackLimiter {
  /**
   * Counts a message, unless a limit is reached.
   * @param client the address of the sender
   * @returns 0 when the message may be sent, else milliseconds until the next one may be
   */
  readonly admit: (client: string) => number
}

/**
 * Limits how many messages a process passes on: 5 a minute from one address, and 60 a minute in all, because a client can
 * forge its address.
 * @param monotonic milliseconds that never go back
 */
export function createFeedbackLimiter(monotonic: () => number): FeedbackLimiter {
  let admitted: readonly { readonly at: number; readonly client: string }[] = []

  return {
    admit(client) {
      const now = monotonic()
      admitted = admitted.filter(({ at }) => now - at < WINDOW_MS)
      const ofClient = admitted.filter((one) => one.client === client)
      // The oldest one that counts leaves the window first.
      const oldest =
        admitted.length >= MOST_OF_ALL ? admitted[0] : ofClient.length >= MOST_OF_CLIENT ? ofClient[0] : undefined
      if (oldest !== undefined) return Math.ceil(oldest.at + WINDOW_MS - now)
      admitted = [...admitted, { at: now, client }]
      return 0
    },
  }
}
