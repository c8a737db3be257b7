/** npm hands a terminal's Ctrl-C on to a child that already got it with its process group: an echo, not a second wish. */
export const ECHO_MS = 300
const PARENT_WATCH_MS = 500
/** Exit code of what Ctrl-C ended, as a shell says it. */
export const INTERRUPTED = 130
const TERMINATED = 143

/**
 * Who asked to stop, from before the first installed package to the last stopped child.
 * @typedef {{
 *   first: AbortSignal,
 *   again: AbortSignal,
 *   close: () => void,
 * }} StopRequests
 * `first` aborts at the first request; its reason is `interrupted`, `terminated` or `orphaned`. `again` aborts at the second one, which forces.
 */

/**
 * As much of a process as is listened to.
 * @typedef {{
 *   readonly ppid: number,
 *   readonly env: Readonly<Record<string, string | undefined>>,
 *   on: (signal: string, listener: () => void) => unknown,
 *   off: (signal: string, listener: () => void) => unknown,
 * }} Listened
 */

/**
 * Listens for Ctrl-C, SIGTERM, a closed terminal and, when npm started us, for npm's death: SIGKILL to npm reaches
 * nobody else, so only a changed parent tells of it.
 * @param {{ process?: Listened, now?: () => number }} [given]
 * @returns {StopRequests}
 */
export function listenForStop({ process: self = process, now = () => performance.now() } = {}) {
  const first = new AbortController()
  const again = new AbortController()
  let askedAt = Number.NaN

  /** @param {'interrupted' | 'terminated' | 'orphaned'} reason */
  const ask = (reason) => {
    if (!first.signal.aborted) {
      askedAt = now()
      first.abort(reason)
      return
    }
    if (reason === 'orphaned' || now() - askedAt < ECHO_MS) return
    again.abort(reason)
  }
  const onInterrupt = () => ask('interrupted')
  const onTerminate = () => ask('terminated')
  self.on('SIGINT', onInterrupt)
  self.on('SIGTERM', onTerminate)
  self.on('SIGHUP', onTerminate)

  const parent = self.ppid
  const watch =
    self.env.npm_lifecycle_event === undefined
      ? undefined
      : setInterval(() => self.ppid !== parent && ask('orphaned'), PARENT_WATCH_MS).unref()

  return {
    first: first.signal,
    again: again.signal,
    close: () => {
      clearInterval(watch)
      self.off('SIGINT', onInterrupt)
      self.off('SIGTERM', onTerminate)
      self.off('SIGHUP', onTerminate)
    },
  }
}

/**
 * @param {AbortSignal} first of the requests: its reason says who asked
 * @returns {number} the exit code of what was stopped
 */
export const stoppedCode = (first) => (first.reason === 'interrupted' ? INTERRUPTED : TERMINATED)
