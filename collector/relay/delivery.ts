import { performance } from 'node:perf_hooks'
import { startTimer } from '../../lib/time'
import type { ReadUptime } from '../../lib/tunnel/uptime'
import type { IntakeLoad } from '../runtime/intake-load'
import { repeat } from '../runtime/timers'
import type { Spool } from '../spool/spool'
import { createSend, withoutAddress } from './http-sender'
import { OPEN_POSTS } from './open-posts'
import type { Scrub } from './prepare'
import { type ConfiguredUpstream, Relay } from './relay'
import { Reporter } from './reporter'
import { keepLimitsStored, type RateLimits } from './running-limits'

/** How long open posts may continue at a stop. */
const GRACE_MS = 3000
/** How long upstreams have to accept the last client report. */
const REPORT_GRACE_MS = 1000

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
  readonly spool: Spool
  readonly intake: Pick<IntakeLoad, 'isBusy' | 'onIdle'>
  readonly log: (line: string) => void
  readonly uptime: ReadUptime
  readonly onDeath: (error: Error) => void
}): Delivery {
  const { upstreams, rateLimits, spool, log } = parts
  const relay = new Relay(
    upstreams,
    spool,
    {
      spool: {
        recordAttempt: async (attempt) => {
          await spool.recordAttempt(attempt)
          if (attempt.toReport.length > 0) reporter.wake()
        },
        storeLimits: spool.storeLimits,
        decideWithoutAttempt: async (seq, decision, toReport) => {
          await spool.decideWithoutAttempt(seq, decision, toReport)
          if (toReport.length > 0) reporter.wake()
        },
      },
      reader: spool,
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
  )
  // The relay looks at intake when a post ends. Posts without an answer would keep the window narrow.
  parts.intake.onIdle(() => relay.resume())
  const reporter = new Reporter(
    upstreams.map(({ upstream }) => upstream),
    {
      reader: spool,
      spool,
      rateLimits,
      isHealthy: (upstream) => relay.upstreamFor(upstream)?.isHealthy ?? false,
      send: createSend(Math.max(1, upstreams.length)),
      now: Date.now,
      monotonic: () => performance.now(),
      later: startTimer,
      log,
    },
  )
  const stopLimits = keepLimitsStored({ rateLimits, store: spool.correctLimits, repeat, log })
  return {
    relay,
    start: () => {
      relay.wake()
      reporter.wake()
    },
    close: async () => {
      await relay.close(GRACE_MS)
      await reporter.close(REPORT_GRACE_MS)
      await stopLimits()
    },
  }
}
