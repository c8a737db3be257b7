/** Starts a timer and returns a function that cancels it. Pass another one where tests control the time. */
export type StartTimer = (work: () => void, ms: number) => () => void

/** Runs `work` once after `ms`. */
export const startTimer: StartTimer = (work, ms) => {
  const timer = setTimeout(work, ms)
  return () => clearTimeout(timer)
}

/** Resolves after `ms`, or earlier when the signal aborts. Never rejects: check the signal afterwards. */
export function sleep(ms: number, signal?: AbortSignal, timer: StartTimer = startTimer): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve()
    let cancel: () => void = () => undefined
    const finish = (): void => {
      cancel()
      signal?.removeEventListener('abort', finish)
      resolve()
    }
    cancel = timer(finish, ms)
    signal?.addEventListener('abort', finish, { once: true })
  })
}

/** Resolves with null as soon as the signal aborts. */
export const whenAborted = (signal: AbortSignal): Promise<null> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve(null)
    else signal.addEventListener('abort', () => resolve(null), { once: true })
  })

/**
 * Resolves with `fallback` when the promise has not settled after `ms`. The work behind the promise continues.
 * To end the work as well, use `runWithTimeout`.
 */
export async function withTimeout<Value, Fallback>(
  promise: Promise<Value>,
  ms: number,
  fallback: Fallback,
  timer: StartTimer = startTimer,
): Promise<Value | Fallback> {
  let cancel: () => void = () => undefined
  const late = new Promise<Fallback>((resolve) => {
    cancel = timer(() => resolve(fallback), ms)
  })
  try {
    return await Promise.race([promise, late])
  } finally {
    cancel()
  }
}

/**
 * Runs work with a signal that aborts after `ms` (reason: a `TimeoutError`), or when `stop` aborts (its reason).
 * The signal also aborts when the work has ended, to stop requests that it left open.
 *
 * It uses a timer instead of `AbortSignal.timeout`: Node 20 garbage-collects such a signal when only `AbortSignal.any`
 * refers to it, and then never aborts.
 */
export async function runWithTimeout<Value>(
  ms: number,
  stop: AbortSignal | null,
  work: (signal: AbortSignal) => Promise<Value>,
): Promise<Value> {
  const ending = new AbortController()
  const cancel = startTimer(
    () => ending.abort(new DOMException(`timed out after ${Math.round(ms) / 1000} s`, 'TimeoutError')),
    ms,
  )
  const onStop = (): void => ending.abort(stop?.reason)
  if (stop?.aborted) onStop()
  stop?.addEventListener('abort', onStop, { once: true })
  try {
    return await work(ending.signal)
  } finally {
    cancel()
    stop?.removeEventListener('abort', onStop)
    ending.abort()
  }
}

/** The message of a `TimeoutError`, which may be a cause of the error; null for every other error. */
export function timeoutMessage(error: unknown): string | null {
  if (!(error instanceof Error)) return null
  return error.name === 'TimeoutError' ? error.message : timeoutMessage(error.cause)
}
