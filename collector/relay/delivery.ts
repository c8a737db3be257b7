import { performance } from 'node:perf_hooks'
import { startTimer } from '../../lib/time'
import type { ReadUptime } from '../../lib/tunnel/uptime'
import type { IntakeLoad } from '../runtime/intake-load'
import { repeat } from '../runtime/timers'
import type { DeliveryRecord, LaneResults } from '../spool/spool'
import { createSend, withoutAddress } from './http-sender'
import { OPEN_POSTS } from './open-posts'
import { PatientReader } from './patient-reader'
import type { Scrub } from './prepare'
import { Relay } from './relay'
import type { ConfiguredUpstream } from './relayed-upstream'
import { Reporter } from './reporter'
import { keepLimitsStored, type RateLimits } from './running-limits'

/** How long open posts may continue at a stop. */
const GRACE_MS = 3000
/** How long upstreams have to accept the last client report. */
const REPORT_GRACE_MS = 1000
/** How often a collector looks for cuts of others that share its record. */
const WAKE_REPORTER_MS = 60_000

interface Delivery {
  readonly relay: Relay
  readonly start: () => void
  readonly close: () => Promise<void>
}

export function createDelivery(parts: {
  readonly upstreams: readonly ConfiguredUpstream[]
  readonly rateLimits: RateLimits
  readonly holdErrors: boolean
  readonly scrub: Scrub | null
  readonly passAddress: boolean
  readonly spool: DeliveryRecord
  readonly intake: Pick<IntakeLoad, 'isBusy' | 'onIdle'>
  readonly log: (line: string) => void
  readonly uptime: ReadUptime
  readonly onDeath: (error: Error) => void
}): Delivery {
  const { upstreams, rateLimits, spool, log } = parts
  const lanes = spool.shared
  const sharedReader =
    lanes === null ? null : new PatientReader({ ...lanes, pending: spool.pending, record: spool.record }, startTimer)
  const monotonic = (): number => performance.now()
  /** Lets cut items be reported upstream soon after their outcome is written. */
  const wakingReporter = (results: LaneResults): LaneResults => ({
    recordAttempt: async (attempt) => {
      await results.recordAttempt(attempt)
      if (attempt.toReport.length > 0) reporter.wake()
    },
    decideWithoutAttempt: async (seq, decision, toReport) => {
      await results.decideWithoutAttempt(seq, decision, toReport)
      if (toReport.length > 0) reporter.wake()
    },
  })
  const relay = new Relay(
    upstreams,
    spool,
    {
      spool: { ...wakingReporter(spool), storeLimits: spool.storeLimits },
      reader: sharedReader ?? spool,
      rateLimits,
      holdErrors: parts.holdErrors,
      scrub: parts.scrub,
      isIntakeBusy: parts.intake.isBusy,
      log,
      now: Date.now,
      uptime: parts.uptime,
      random: Math.random,
      later: startTimer,
      onDeath: parts.onDeath,
    },
    () => (parts.passAddress ? createSend(OPEN_POSTS) : withoutAddress(createSend(OPEN_POSTS))),
    lanes === null || sharedReader === null
      ? null
      : {
          lanes: { ...lanes, pendingIn: sharedReader.pendingIn },
          resultsOf: (lane) => wakingReporter(lanes.resultsOf(lane)),
          monotonic,
          onGain: () => reporter.wake(),
        },
  )
  // The relay looks at intake when a post ends. Posts without an answer would keep the window narrow.
  parts.intake.onIdle(() => relay.resume())
  const reporter = new Reporter(
    upstreams.map(({ upstream }) => upstream),
    {
      reader: spool,
      spool,
      rateLimits,
      isRelayed: (upstream) => relay.upstreamFor(upstream)?.isReported ?? false,
      isHealthy: (upstream) => relay.upstreamFor(upstream)?.isHealthy ?? false,
      send: createSend(Math.max(1, upstreams.length)),
      now: Date.now,
      monotonic,
      later: startTimer,
      log,
    },
  )
  // Owners of other lanes cut items, too.
  const stopWaking = lanes === null ? () => undefined : repeat(() => reporter.wake(), WAKE_REPORTER_MS)
  const stopLimits = keepLimitsStored({ rateLimits, store: spool.correctLimits, repeat, log })
  return {
    relay,
    start: () => {
      relay.start()
      reporter.wake()
    },
    close: async () => {
      stopWaking()
      sharedReader?.end()
      await relay.close(GRACE_MS)
      await reporter.close(REPORT_GRACE_MS)
      // After the last client report: the next owner would report the same sums.
      await relay.releaseLanes()
      await stopLimits()
    },
  }
}
