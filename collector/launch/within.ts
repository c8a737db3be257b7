/** For an answer of a collector: one that is busy answers late, and one that is frozen never. In ms. */
export const TIMEOUT_MS = 30_000

/**
 * Does work that ends with its signal: when so many ms are over, or as soon as it is stopped. What is still under way
 * when the work has ended is ended, too.
 *
 * A timer holds the signal: Node 20 collects one of `AbortSignal.timeout` that only `AbortSignal.any` knows, and it never
 * comes.
 * @param stop `null` where nothing but the time ends it
 */
export async function within<Done>(
  ms: number,
  stop: AbortSignal | null,
  work: (signal: AbortSignal) => Promise<Done>,
): Promise<Done> {
  const ending = new AbortController()
  const late = setTimeout(
    () => ending.abort(new DOMException(`not within ${Math.round(ms) / 1000} s`, 'TimeoutError')),
    ms,
  )
  const onStop = (): void => ending.abort(stop?.reason)
  if (stop?.aborted) onStop()
  stop?.addEventListener('abort', onStop, { once: true })
  try {
    return await work(ending.signal)
  } finally {
    clearTimeout(late)
    stop?.removeEventListener('abort', onStop)
    ending.abort()
  }
}

/** The words of a time that was over, wherever in its causes they stand; `null` where it was something else. */
export function tooLate(cause: unknown): string | null {
  if (!(cause instanceof Error)) return null
  return cause.name === 'TimeoutError' ? cause.message : tooLate(cause.cause)
}
