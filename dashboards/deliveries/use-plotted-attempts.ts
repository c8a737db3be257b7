import { client } from '../ui/client'
import { HOUR_MS } from '../ui/plot-time'
import { useAnswer } from '../ui/use-answer'
import { type ReadAttemptPage, readPagesUntil } from './attempt-pages'
import { MOST_ATTEMPTS, type PlottedAttempt, type PlottedAttempts, withOlder } from './plotted-attempts'
import { useAttempts } from './use-attempts'

/** A page without enough matches ends after 30,000 attempts. */
const MOST_PAGES = 10
/** Older attempts are read again when the newest ones begin this much later. */
const STEP_MS = 15_000

interface Older {
  readonly attempts: readonly PlottedAttempt[]
  /** All attempts from this time on are read. */
  readonly since: number
}

/** Reads the attempts of the hour before `untilMs` that were not answered 200, the newest first. */
export async function readOlder(readPage: ReadAttemptPage, untilMs: number, nowMs: number): Promise<Older> {
  const isWhole = (attempts: Older['attempts']): boolean => (attempts.at(-1)?.startedAt ?? nowMs) < nowMs - HOUR_MS
  const { attempts, next } = await readPagesUntil(
    (read) => read.pages >= MOST_PAGES || read.attempts.length >= MOST_ATTEMPTS || isWhole(read.attempts),
    readPage,
  )
  return { attempts, since: next === null || isWhole(attempts) ? 0 : (attempts.at(-1)?.startedAt ?? untilMs) }
}

/** The newest attempts of the last hour, and those before them that were not accepted; `null` until they are read. */
export function usePlottedAttempts(): PlottedAttempts | null {
  const { answer } = useAttempts()
  const oldest = answer?.isCut === true ? answer.attempts.at(-1) : undefined
  // At a round time, so that it is not read again with each new attempt.
  const untilMs = Math.ceil((oldest?.startedAt ?? 0) / STEP_MS) * STEP_MS
  const filter = { until: new Date(untilMs).toISOString() }
  const older = useAnswer(
    oldest === undefined ? null : 'older',
    (signal) =>
      readOlder((page) => client.deliveries({ ...page, filter, q: '-status:200', signal }), untilMs, Date.now()),
    String(untilMs),
  ).answer
  if (answer === null) return null
  if (oldest === undefined) return { attempts: answer.attempts, since: { accepted: 0, others: 0 } }
  return withOlder(answer.attempts, older?.attempts ?? [], older?.since ?? oldest.startedAt)
}
