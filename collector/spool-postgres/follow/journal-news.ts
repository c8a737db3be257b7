import { type StartTimer, sleep } from '../../../lib/time'
import type { JournalFact } from '../../../lib/wire/journal'
import type { SpoolNews } from '../../spool/journal'
import type { PostgresStore } from '../store'
import { StoreAwayError } from '../store-away'

/** Facts of one read. */
const MOST_FACTS = 2000
/** Between two reads, while there is nothing new. */
const POLL_MS = 100
const AWAY_MS = 500

interface NewsTools {
  readonly publish: (news: SpoolNews) => void
  readonly later: StartTimer
  /** Ms since the epoch. */
  readonly now: () => number
}

/**
 * Publishes the facts that any collector adds from now on, for the deliveries of a collector without a mirror. After a lost
 * connection the record may have gone back, so deliveries then read everything pending again.
 * @returns ends it
 */
export async function publishNews(
  store: Pick<PostgresStore, 'facts' | 'head'>,
  { publish, later, now }: NewsTools,
): Promise<{ readonly stop: () => Promise<void> }> {
  const head = await store.head().catch((error: unknown) => {
    if (error instanceof StoreAwayError) return null
    throw error
  })
  let cursor = head ?? 0
  let wasAway = head === null
  const stopping = new AbortController()
  const pause = (ms: number): Promise<void> => sleep(ms, stopping.signal, later)
  const send = (facts: readonly JournalFact[]): void => publish({ facts, totals: [], used: 0 })

  const next = async (): Promise<void> => {
    if (wasAway) {
      cursor = await store.head()
      wasAway = false
      send([{ n: cursor, at: now(), kind: 'pending', seq: 1 }])
    }
    const facts = await store.facts(cursor, MOST_FACTS)
    cursor = facts.at(-1)?.n ?? cursor
    if (facts.length > 0) send(facts)
    if (facts.length < MOST_FACTS) await pause(POLL_MS)
  }
  const follow = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      try {
        await next()
      } catch (error) {
        if (!(error instanceof StoreAwayError)) throw error
        wasAway = true
        await pause(AWAY_MS)
      }
    }
  }
  const following = follow()
  return {
    stop: async () => {
      stopping.abort()
      await following
    },
  }
}
