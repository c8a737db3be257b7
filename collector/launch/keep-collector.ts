import { describeExit } from './child-process'
import type { StartedCollector } from './start-collector'
import type { CurrentCollector } from './supervisor'

/** How a collector ended without a request to stop. */
export interface UnexpectedEnd {
  readonly at: number
  /** `refused`: it reported why it cannot run. `port taken`: it was not started. */
  readonly cause: 'died' | 'port taken' | 'refused'
}

/** The first restart is immediate: most often the cause was an accident. */
const RESTART_DELAYS_MS = [0, 1_000, 2_000, 4_000]
const WINDOW_MS = 60_000
const MOST_ENDS = 5
/** A test that is about to end may have taken the port. */
const PORT_TRIES = 3

/** Decides what follows the last of these ends, oldest first. @returns ms until the next start */
export function nextRestart(ends: readonly UnexpectedEnd[]): number | 'give up' {
  const last = ends.at(-1)
  if (last === undefined || last.cause === 'refused') return 'give up'
  const tries = ends.slice(-PORT_TRIES)
  if (tries.length === PORT_TRIES && tries.every(({ cause }) => cause === 'port taken')) return 'give up'
  const recent = ends.filter(({ at }) => last.at - at < WINDOW_MS)
  if (recent.length >= MOST_ENDS) return 'give up'
  return RESTART_DELAYS_MS[recent.length - 1] ?? 'give up'
}

interface KeepCollectorInput {
  readonly collector: CurrentCollector
  /** Aborts when the supervisor stops: an end that follows is expected. */
  readonly stopping: AbortSignal
  readonly now: () => number
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>
  readonly log: (line: string) => void
  /** The way of envelopes until the collector is back, as the end of a sentence. */
  readonly meanwhile: string
}

interface End {
  readonly cause: UnexpectedEnd['cause']
  readonly how: string
  readonly message: string
}

/**
 * The app keeps running: the address stays the same, and its tunnel stores what pages send.
 * @returns why it gave up; null after a request to stop
 */
export async function keepCollector({
  collector,
  stopping,
  now,
  sleep,
  log,
  meanwhile,
}: KeepCollectorInput): Promise<string | null> {
  const ends: UnexpectedEnd[] = []
  let end = await endOf(collector.current)
  while (!stopping.aborted) {
    ends.push({ at: now(), cause: end.cause })
    const delayMs = nextRestart(ends)
    if (delayMs === 'give up') return end.message
    if (end.cause === 'died') {
      const when = delayMs === 0 ? '' : ` in ${delayMs / 1000} s`
      log(`The collector ended unexpectedly (${end.how}); restarting it${when}. Until it is back, ${meanwhile}.`)
    }
    await sleep(delayMs, stopping)
    const taken = stopping.aborted ? null : await collector.refusePort()
    if (stopping.aborted) break
    if (taken !== null) {
      end = { cause: 'port taken', how: 'port taken', message: taken }
      continue
    }
    collector.current = collector.start()
    const failed = await startFailure(collector.current)
    if (failed === null && !stopping.aborted) log('The collector is back.')
    end = failed ?? (await endOf(collector.current))
  }
  return null
}

async function startFailure({ ready, child, lines }: StartedCollector): Promise<End | null> {
  const started = await ready
  if (started.ok) {
    lines.passThrough()
    return null
  }
  if (started.error.explained) return { cause: 'refused', how: 'refused', message: started.error.message }
  lines.flush()
  return died(describeExit(await child.exited))
}

const endOf = async ({ child }: StartedCollector): Promise<End> => died(describeExit(await child.exited))

const died = (how: string): End => ({
  cause: 'died',
  how,
  message: `The collector ended unexpectedly ${MOST_ENDS} times within a minute, the last time with ${how}.`,
})
