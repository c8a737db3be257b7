'use client'

import { useSyncExternalStore } from 'react'
import { CollectorError } from '../../lib/wire/errors'
import { type Failure, failureOf } from './client'
import { browserTimers, coalesce, onChange } from './live-stream'

/** Live facts can arrive a thousand times a second; an answer is read at most once per gap. */
const GAP_MS = 1000

interface Polled<Answer> {
  /** The last answer; `null` before the first. It stays when a read fails. */
  readonly answer: Answer | null
  /** Why the last read failed; `null` if it succeeded. */
  readonly failure: Failure | null
}

/**
 * Makes a hook that reads an answer at an interval, and after facts that a board received or actions on this page. All
 * users of the hook share one poll. Polls, because every page uses it: a stream would take one of the six connections a
 * browser opens per origin. A hidden tab reads nothing.
 * @param read gets the last answer; `null` for the first user of the hook
 * @param gapMs facts cause at most one read in this time
 */
export function polled<Answer>(
  read: (signal: AbortSignal, before: Answer | null) => Promise<Answer>,
  everyMs: number,
  gapMs = GAP_MS,
): () => Polled<Answer> {
  const nothing: Polled<Answer> = { answer: null, failure: null }
  const users = new Set<() => void>()
  let current = nothing
  let stop = (): void => undefined

  const publish = (next: Polled<Answer>): void => {
    current = next
    for (const user of users) user()
  }
  const start = (): void => {
    const aborter = new AbortController()
    const reading = coalesce(
      async () => {
        if (document.hidden) return
        try {
          const answer = await read(aborter.signal, current.answer)
          if (!aborter.signal.aborted) publish({ answer, failure: null })
        } catch (error) {
          const failure = failureOf(error)
          if (failure !== null && !aborter.signal.aborted) publish({ answer: current.answer, failure })
          // Signed out: every further read would be refused.
          if (error instanceof CollectorError && error.status === 401) end()
        }
      },
      browserTimers,
      gapMs,
    )
    const { request, requestNow } = reading
    const unheard = onChange((change) => (change === 'local' ? requestNow() : request()))
    const timer = window.setInterval(request, everyMs)
    const end = (): void => {
      unheard()
      reading.stop()
      window.clearInterval(timer)
      document.removeEventListener('visibilitychange', request)
    }
    document.addEventListener('visibilitychange', request)
    request()
    stop = () => {
      end()
      aborter.abort()
      current = nothing
    }
  }
  const follow = (user: () => void): (() => void) => {
    users.add(user)
    if (users.size === 1) start()
    return () => {
      users.delete(user)
      if (users.size === 0) stop()
    }
  }
  return () =>
    useSyncExternalStore(
      follow,
      () => current,
      () => nothing,
    )
}
