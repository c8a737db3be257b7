import { client } from '../ui/client'
import { HOUR_MS } from '../ui/plot-time'
import { polled } from '../ui/use-polled'
import { type ReadAttemptPage, readPagesUntil } from './attempt-pages'
import { MOST_ATTEMPTS, type PlottedAttempt, withPage } from './plotted-attempts'

/** Attempts are facts of the stream; this is for a stream that is not open. */
const EVERY_MS = 15_000
/** Attempts of an envelope that expired or was cleared disappear after this time: no page says so before. */
const KEPT_MS = 60_000

interface Attempts {
  /** Newest first. */
  readonly attempts: readonly PlottedAttempt[]
  /** There are older ones within the hour that are not read. */
  readonly isCut: boolean
  /** When all of them were read, not only the newest. */
  readonly wholeAtMs: number
}

/** Reads pages until one reaches what is known, or the last hour ends. @param before the last answer */
export async function readAttempts(
  readPage: ReadAttemptPage,
  before: Attempts | null,
  nowMs: number,
): Promise<Attempts> {
  const since = nowMs - HOUR_MS
  const kept = before !== null && nowMs - before.wholeAtMs < KEPT_MS ? before : null
  const known = kept?.attempts ?? []
  const newest = known[0]?.id ?? 0
  const read = await readPagesUntil(
    ({ attempts, last }) =>
      last === undefined || last.id <= newest || last.startedAt < since || attempts.length >= MOST_ATTEMPTS,
    readPage,
  )
  const attempts = withPage(known, read.attempts, read.next)
  const oldest = attempts.at(-1)
  return {
    attempts,
    wholeAtMs: kept?.wholeAtMs ?? nowMs,
    isCut: attempts.length >= MOST_ATTEMPTS && oldest !== undefined && oldest.startedAt > since,
  }
}

/** The attempts of the last hour, shared by all users of a page. */
export const useAttempts = polled<Attempts>(
  (signal, before) => readAttempts((page) => client.deliveries({ ...page, signal }), before, Date.now()),
  EVERY_MS,
)
