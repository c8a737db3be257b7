import { DATA_CATEGORIES } from '../protocol/data-category'
import type { CollectorClient } from '../wire/collector-client'
import { CollectorError } from '../wire/errors'
import type { RecordedPage } from '../wire/journal'
import { limitingAnswer } from '../wire/scripted-answers'
import type { GivenScript, PlayedScript } from '../wire/stand-in'
import { type Clock, errorMessage, pause } from './clock'

/** Duration of one long-poll request; the next one starts at once. */
const POLL_S = 25
/** How long to retry. A collector that its supervisor restarts is back within a second. */
export const RETRY_MS = 3_000
const RETRY_INTERVAL_MS = 100
const PAGE = 500

export interface Follower {
  /**
   * Reads up to the head of the journal. Submissions that the long poll returns meanwhile are not delivered twice.
   * @param until aborts it, because a frozen collector never answers
   * @returns whether the head was reached
   */
  readonly readToHead: (until: AbortSignal) => Promise<boolean>
  /** Why reading ended; `null` while it works. */
  readonly lost: () => string | null
  /** Resolves when no request is open. */
  readonly close: () => Promise<void>
}

export interface FollowPlan {
  readonly client: Pick<CollectorClient, 'recorded'>
  readonly stamp: string
  readonly after: number
  readonly clock: Clock
  readonly retryMs: number
  readonly take: (page: Pick<RecordedPage, 'recorded' | 'damaged'>) => void
  /** Called once if reading ends with an error. */
  readonly onLost: (sentence: string) => void
  /** Aborts when the collector process has ended, with the message as its reason. */
  readonly gone?: AbortSignal | undefined
}

/** Follows stamped and unstamped submissions with one long-poll request. */
export function follow(plan: FollowPlan): Follower {
  const { client, stamp, clock, gone } = plan
  const closing = new AbortController()
  let cursor = plan.after
  let lost: string | null = null

  const lose = (sentence: string): void => {
    if (lost !== null || closing.signal.aborted) return
    lost = sentence
    closing.abort()
    plan.onLost(sentence)
  }
  const onGone = (): void => lose(errorMessage(gone?.reason))
  if (gone?.aborted) onGone()
  gone?.addEventListener('abort', onGone, { once: true })

  const read = async (wait: number, signal: AbortSignal): Promise<RecordedPage> => {
    const query = { after: cursor, wait, limit: PAGE, stamp, unstamped: true, signal }
    const page = await client.recorded(query)
    // Compared with the cursor of this request: another request may have read further since.
    if (page.journal < query.after)
      lose(
        `the collector has a different record than before: its journal ends at ${page.journal}, but ${query.after} was read already`,
      )
    // Two requests may be open; each returns everything after the cursor it was sent with.
    const fresh = page.recorded.filter(({ journal }) => journal > cursor)
    const isBehind = page.next <= cursor
    cursor = Math.max(cursor, page.next)
    if (fresh.length > 0 || (page.damaged.length > 0 && !isBehind))
      plan.take({ recorded: fresh, damaged: isBehind ? [] : page.damaged })
    return page
  }
  /** Retries transient errors. @returns `null` when reading has ended */
  const readWithRetries = async (wait: number, signal: AbortSignal): Promise<RecordedPage | null> => {
    let failingSince: number | null = null
    while (!signal.aborted) {
      try {
        return await read(wait, signal)
      } catch (error) {
        if (signal.aborted) return null
        failingSince ??= clock.now()
        if (!isTransient(error) || clock.now() - failingSince >= plan.retryMs) lose(errorMessage(error))
        else await pause(clock, RETRY_INTERVAL_MS, signal)
      }
    }
    return null
  }
  const following = (async () => {
    while ((await readWithRetries(POLL_S, closing.signal)) !== null);
  })()
  const readToHead = async (signal: AbortSignal): Promise<boolean> => {
    for (;;) {
      const page = await readWithRetries(0, signal)
      if (page === null) return false
      if (page.next >= page.journal) return true
    }
  }

  return {
    readToHead: async (until) => {
      // Linked by hand: Node 20 garbage-collects a signal that only `AbortSignal.any` refers to.
      const over = new AbortController()
      const end = (): void => over.abort()
      const either = [closing.signal, until]
      for (const one of either) {
        if (one.aborted) end()
        one.addEventListener('abort', end, { once: true })
      }
      try {
        return await readToHead(over.signal)
      } finally {
        for (const one of either) one.removeEventListener('abort', end)
      }
    },
    lost: () => lost,
    close: async () => {
      gone?.removeEventListener('abort', onGone)
      closing.abort()
      await following
    },
  }
}

/** No answer, or a 5xx; a 4xx is permanent. */
const isTransient = (error: unknown): boolean => {
  const status = error instanceof Error && 'status' in error ? error.status : undefined
  return status === null || (typeof status === 'number' && status >= 500)
}

/** Time-out of one answer: a busy collector answers late, a frozen one never. */
const ANSWER_MS = 5_000

/** @throws CollectorError with status null after the time-out */
export async function withAnswerTimeout<Answer>(
  clock: Clock,
  ask: (signal: AbortSignal) => Promise<Answer>,
  ms = ANSWER_MS,
): Promise<Answer> {
  const late = new AbortController()
  const cancel = clock.startTimer(() => late.abort(), ms)
  try {
    return await ask(late.signal)
  } catch (cause) {
    if (!late.signal.aborted) throw cause
    throw new CollectorError(null, `the collector did not answer within ${ms / 1000} s`, { cause })
  } finally {
    cancel()
  }
}

/** Scripts the stand-in upstream. */
export interface Upstream {
  /**
   * Refuses the next post of a category with a rate limit. SDKs receive the limit with the answer to their following post.
   * It applies to envelopes with the stamp of this test alone; those without a stamp are not limited.
   * SDK 11 streams spans with the category `span`; with `traceLifecycle: 'static'` it is `transaction`.
   * @example await telemetry.upstream.limit({ category: 'span', seconds: 2 })
   */
  readonly limit: (limit: { readonly category: string; readonly seconds: number }) => Promise<PlayedScript>
  /** Replaces the script for all tests of the collector. The first rule that matches a post answers it. */
  readonly play: (script: GivenScript) => Promise<PlayedScript>
  /** Answers 200 to every post again, except by rules of other tests' `limit`. */
  readonly reset: () => Promise<PlayedScript>
}

const NO_STAND_IN =
  "upstream cannot be scripted, because this collector has a real upstream or none; start it with WAYSTATION_UPSTREAM=stand-in, or startCollector({ upstream: 'stand-in' })"

/** @throws Error if the collector has no stand-in upstream; TypeError for an invalid limit. */
export function upstreamOf(
  client: Pick<CollectorClient, 'standIn' | 'play'>,
  {
    clock,
    stamp,
    onLimit,
  }: {
    readonly clock: Clock
    readonly stamp: string
    /** Called before a limit is set. */
    readonly onLimit: () => void
  },
): Upstream {
  const play = async (script: GivenScript): Promise<PlayedScript> => {
    if ((await withAnswerTimeout(clock, client.standIn)) === null) throw new Error(NO_STAND_IN)
    return withAnswerTimeout(clock, (signal) => client.play(script, signal))
  }
  return {
    limit: async ({ category, seconds }) => {
      if (!DATA_CATEGORIES.has(category))
        throw new TypeError(
          `upstream.limit: category must be one of ${[...DATA_CATEGORIES].join(', ')}, got ${JSON.stringify(category)}`,
        )
      if (!Number.isInteger(seconds) || seconds < 1)
        throw new TypeError(`upstream.limit: seconds must be an integer of at least 1, got ${seconds}`)
      onLimit()
      return play({ stamp, answers: [limitingAnswer([category], seconds)] })
    },
    play,
    reset: async () => {
      await play({ stamp, answers: [] })
      return play({ answers: [] })
    },
  }
}
