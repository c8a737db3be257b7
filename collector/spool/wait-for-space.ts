/** The tunnel's timeout is 5 s: who waits for room gets an answer before that is over. */
export const TIMEOUT_MS = 4000
export const OUT_OF_TIME = `no room could be made on the disk within ${TIMEOUT_MS / 1000} s`

/**
 * Waits for room that is being made, which goes on however long it takes; who waits for it does not.
 * @param until as `monotonic` tells it. @throws when it is not made by then.
 */
export async function inTime<Value>(
  tools: {
    readonly monotonic: () => number
    readonly later: (work: () => void, ms: number) => () => void
  },
  until: number,
  making: Promise<Value>,
): Promise<Value> {
  let cancel: () => void = () => undefined
  const isOver = new Promise<never>((_, reject) => {
    const look = (): void => {
      const left = until - tools.monotonic()
      if (left <= 0) reject(new Error(OUT_OF_TIME))
      else cancel = tools.later(look, left)
    }
    look()
  })
  return Promise.race([making, isOver]).finally(() => cancel())
}
