import { DATA_CATEGORIES } from '../protocol/data-category'
import type { CollectorClient } from '../wire/collector-client'
import { CollectorError } from '../wire/errors'
import type { RecordedPage } from '../wire/journal'
import { type GivenScript, limitingAnswer, type PlayedScript } from '../wire/stand-in'
import { type Clock, pause, sentenceOf } from './clock'

/** Seconds for which one request waits. The next one begins at once. */
const POLL_S = 25
/** A collector that a supervisor starts again is back within a second; so long it is asked anew. */
export const RETRY_MS = 3_000
const ASK_AGAIN_MS = 100
/** One request that reads up to the head. */
const PAGE = 500

export interface Follower {
  /**
   * Reads until nothing more is recorded by then. What the open request brings meanwhile counts once.
   * @param until ends it before, for a collector that accepts a request may never answer it
   * @returns whether it got there
   */
  readonly readToHead: (until: AbortSignal) => Promise<boolean>
  /** Why nothing more can be read; `null` while it can. */
  readonly lost: () => string | null
  /** Resolves when no request is open any more. */
  readonly close: () => Promise<void>
}

export interface FollowPlan {
  readonly client: Pick<CollectorClient, 'recorded'>
  readonly stamp: string
  /** Journal number behind which it begins. */
  readonly after: number
  readonly clock: Clock
  readonly retryMs: number
  /** What came and was not taken before. */
  readonly take: (page: Pick<RecordedPage, 'recorded' | 'damaged'>) => void
  /** Is told once. */
  readonly onLost: (sentence: string) => void
  /** Ends it with its reason: whoever started the collector knows first that it has ended. */
  readonly gone?: AbortSignal | undefined
}

/** Follows what is recorded with a stamp or without one, by one request that is open all the time. */
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
  const onGone = (): void => lose(sentenceOf(gone?.reason))
  if (gone?.aborted) onGone()
  gone?.addEventListener('abort', onGone, { once: true })

  const read = async (wait: number, signal: AbortSignal): Promise<RecordedPage> => {
    const asked = { after: cursor, wait, limit: PAGE, stamp, unstamped: true, signal }
    const page = await client.recorded(asked)
    // By what was read when it was asked: another request may have read further since then.
    if (page.journal < asked.after)
      lose(
        `the collector has another record than before: its journal ends at ${page.journal}, and ${asked.after} was read`,
      )
    // Two requests may be under way; each brings all that follows the cursor it was sent with.
    const fresh = page.recorded.filter(({ journal }) => journal > cursor)
    const isBehind = page.next <= cursor
    cursor = Math.max(cursor, page.next)
    if (fresh.length > 0 || (page.damaged.length > 0 && !isBehind))
      plan.take({ recorded: fresh, damaged: isBehind ? [] : page.damaged })
    return page
  }
  /** Tries again while that may help. @returns null where it is over */
  const readPatiently = async (wait: number, signal: AbortSignal): Promise<RecordedPage | null> => {
    let failingSince: number | null = null
    while (!signal.aborted) {
      try {
        return await read(wait, signal)
      } catch (error) {
        if (signal.aborted) return null
        failingSince ??= clock.now()
        if (!mayPass(error) || clock.now() - failingSince >= plan.retryMs) lose(sentenceOf(error))
        else await pause(clock, ASK_AGAIN_MS, signal)
      }
    }
    return null
  }
  const following = (async () => {
    while ((await readPatiently(POLL_S, closing.signal)) !== null);
  })()
  const readToHead = async (signal: AbortSignal): Promise<boolean> => {
    for (;;) {
      const page = await readPatiently(0, signal)
      if (page === null) return false
      if (page.next >= page.journal) return true
    }
  }

  return {
    readToHead: async (until) => {
      // Linked by hand: Node 20 may collect a signal that only `AbortSignal.any` knows.
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

/** Nobody answered, or somebody who is busy or full for now; a refusal stays one. */
const mayPass = (error: unknown): boolean => {
  const status = error instanceof Error && 'status' in error ? error.status : undefined
  return status === null || (typeof status === 'number' && status >= 500)
}

/** A collector that is busy answers late, and one that is frozen never: for so long each answer is waited for. */
const ANSWER_MS = 5_000

/**
 * What a collector answers, as long as it answers in time.
 * @throws CollectorError with status null where it does not
 */
export async function answered<Answer>(
  clock: Clock,
  ask: (signal: AbortSignal) => Promise<Answer>,
  ms = ANSWER_MS,
): Promise<Answer> {
  const late = new AbortController()
  const cancel = clock.later(ms, () => late.abort())
  try {
    return await ask(late.signal)
  } catch (cause) {
    if (!late.signal.aborted) throw cause
    throw new CollectorError(null, `the collector has not answered within ${ms / 1000} s`, { cause })
  } finally {
    cancel()
  }
}

/** What upstream is made to do. The collector has one upstream: what is played there is played to everybody on it. */
export interface Upstream {
  /**
   * The next post of that category is refused with a limit of so many seconds, which SDKs are told by the answer to what
   * they post next. SDK 11 streams spans, whose category is `span`; what has its `traceLifecycle: 'static'` is `transaction`.
   * @example await telemetry.upstream.limit({ category: 'span', seconds: 2 })
   */
  readonly limit: (limit: { readonly category: string; readonly seconds: number }) => Promise<PlayedScript>
  /** Replaces the script: rules in their order, the first that takes a post answers it. */
  readonly play: (script: GivenScript) => Promise<PlayedScript>
  /** Answers 200 to everything again. */
  readonly reset: () => Promise<PlayedScript>
}

const NO_STAND_IN =
  "upstream cannot be played: this collector has a real one or none. Start it with WAYSTATION_UPSTREAM=stand-in, or startCollector({ upstream: 'stand-in' })"

/** @throws Error where the collector does not play its own upstream; TypeError where a limit is none. */
export function upstreamOf(client: Pick<CollectorClient, 'standIn' | 'play'>, clock: Clock): Upstream {
  const play = async (script: GivenScript): Promise<PlayedScript> => {
    if ((await answered(clock, client.standIn)) === null) throw new Error(NO_STAND_IN)
    return answered(clock, (signal) => client.play(script, signal))
  }
  return {
    limit: async ({ category, seconds }) => {
      if (!DATA_CATEGORIES.has(category))
        throw new TypeError(
          `upstream.limit: ${JSON.stringify(category)} is no data category; it is meant as one of ${[...DATA_CATEGORIES].join(', ')}`,
        )
      if (!Number.isInteger(seconds) || seconds < 1)
        throw new TypeError(`upstream.limit: seconds is ${seconds}, and is meant as a whole number, at least 1`)
      return play({ answers: [limitingAnswer([category], seconds)] })
    },
    play,
    reset: () => play({ answers: [] }),
  }
}
