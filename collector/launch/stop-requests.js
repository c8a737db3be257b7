/** npm sends a second SIGINT to a child that the terminal has already signalled: it is not a second request. */
export const ECHO_MS = 300
const PARENT_CHECK_MS = 500
/** Exit code after Ctrl-C, as shells count: 128 + SIGINT. */
export const INTERRUPTED = 130
/** Exit code after SIGTERM. */
export const TERMINATED = 143

/**
 * Requests to stop this process.
 * @typedef {{
 *   first: AbortSignal,
 *   again: AbortSignal,
 *   close: () => void,
 * }} StopRequests
 * `first` aborts at the first request, with the reason `interrupted`, `terminated` or `orphaned`. `again` aborts at the
 * second request, which ends everything by force.
 */

/**
 * The part of a process that this module uses.
 * @typedef {{
 *   readonly ppid: number,
 *   readonly env: Readonly<Record<string, string | undefined>>,
 *   on: (signal: string, listener: () => void) => unknown,
 *   off: (signal: string, listener: () => void) => unknown,
 * }} ListenedProcess
 */

/**
 * Listens for Ctrl-C, SIGTERM and a closed terminal. When npm started this process, it also watches npm: SIGKILL to npm
 * reaches no other process, and only the changed parent pid shows it.
 * @param {{ process?: ListenedProcess, now?: () => number }} [given]
 * @returns {StopRequests}
 */
export function listenForStop({ process: self = process, now = () => performance.now() } = {}) {
  const first = new AbortController()
  const again = new AbortController()
  let firstAt = Number.NaN

  /** @param {'interrupted' | 'terminated' | 'orphaned'} reason */
  const request = (reason) => {
    if (!first.signal.aborted) {
      firstAt = now()
      first.abort(reason)
      return
    }
    if (reason === 'orphaned' || now() - firstAt < ECHO_MS) return
    again.abort(reason)
  }
  const onInterrupt = () => request('interrupted')
  const onTerminate = () => request('terminated')
  self.on('SIGINT', onInterrupt)
  self.on('SIGTERM', onTerminate)
  self.on('SIGHUP', onTerminate)

  const parent = self.ppid
  const checking =
    self.env.npm_lifecycle_event === undefined
      ? undefined
      : setInterval(() => self.ppid !== parent && request('orphaned'), PARENT_CHECK_MS).unref()

  return {
    first: first.signal,
    again: again.signal,
    close: () => {
      clearInterval(checking)
      self.off('SIGINT', onInterrupt)
      self.off('SIGTERM', onTerminate)
      self.off('SIGHUP', onTerminate)
    },
  }
}

/** @param {AbortSignal} first of the requests @returns {number} the exit code of a stopped command */
export const stoppedCode = (first) => (first.reason === 'interrupted' ? INTERRUPTED : TERMINATED)
