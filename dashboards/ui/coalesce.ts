export interface Timers {
  readonly now: () => number
  readonly set: (run: () => void, ms: number) => number
  readonly clear: (id: number) => void
}

export const browserTimers: Timers = {
  now: () => performance.now(),
  set: (run, ms) => window.setTimeout(run, ms),
  clear: (id) => window.clearTimeout(id),
}

export interface Coalesced {
  /** Asks for one more run, soon. Many asks are one run. */
  readonly ask: () => void
  /** The same without a wait: what is wanted is another thing than what was read so far. */
  readonly askNow: () => void
  readonly stop: () => void
}

/**
 * At most one run in flight and four starts a second. A run that took long makes the next wait longer (three times as
 * long as it took), so that watching a big trace does not load the collector that is being watched.
 * @param run must not reject: what fails is its own to show.
 */
export function coalesce(run: () => Promise<void>, timers: Timers, gapMs = 250): Coalesced {
  let flying = false
  let wanted = false
  let isUrgent = false
  let stopped = false
  let timer: number | null = null
  let notBefore = Number.NEGATIVE_INFINITY

  const start = (): void => {
    timer = null
    wanted = false
    isUrgent = false
    flying = true
    const startedAt = timers.now()
    void run().finally(() => {
      flying = false
      const took = timers.now() - startedAt
      notBefore = startedAt + Math.max(gapMs, took * 4)
      if (wanted) plan()
    })
  }
  const plan = (): void => {
    if (stopped || timer !== null) return
    const wait = isUrgent ? 0 : notBefore - timers.now()
    if (wait <= 0) start()
    else timer = timers.set(start, wait)
  }
  const ask = (): void => {
    wanted = true
    if (!flying) plan()
  }
  return {
    ask,
    askNow: () => {
      if (timer !== null) timers.clear(timer)
      timer = null
      isUrgent = true
      ask()
    },
    stop: () => {
      stopped = true
      wanted = false
      if (timer !== null) timers.clear(timer)
      timer = null
    },
  }
}
