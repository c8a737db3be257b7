import { client } from '../ui/client'
import { HOUR_MS } from '../ui/plot-time'
import { polled } from '../ui/use-polled'
import { MOST_ATTEMPTS, type PlottedAttempt, withPage } from './plotted-attempts'

/** Attempts are facts of the stream; this is for a stream that is not open. */
const EVERY_MS = 15_000
const PAGE = 200

interface Attempts {
  /** Newest first. */
  readonly attempts: readonly PlottedAttempt[]
  /** There are older ones within the hour that are not read. */
  readonly isCut: boolean
}

let known: readonly PlottedAttempt[] = []

/** Reads pages until one reaches what is known, or the last hour ends. */
async function readAttempts(signal: AbortSignal): Promise<Attempts> {
  const since = Date.now() - HOUR_MS
  const newest = known[0]?.id ?? 0
  let read: readonly PlottedAttempt[] = []
  let next: string | null = null
  do {
    const page = await client.deliveries({ limit: PAGE, signal, ...(next !== null && { cursor: next }) })
    read = [...read, ...page.deliveries]
    next = page.next
    const last = page.deliveries.at(-1)
    if (last === undefined || last.id <= newest || last.startedAt < since) break
  } while (next !== null && read.length < MOST_ATTEMPTS)
  known = withPage(known, read, next)
  const oldest = known.at(-1)
  return { attempts: known, isCut: known.length >= MOST_ATTEMPTS && oldest !== undefined && oldest.startedAt > since }
}

/** The attempts of the last hour, shared by all users of a page. */
export const useAttempts = polled(readAttempts, EVERY_MS)
