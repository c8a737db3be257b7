import { performance } from 'node:perf_hooks'
import type { IntakeLoad } from '../http/intake-load'
import type { Reader } from '../index/reader'
import { later, repeat } from '../runtime/timers'
import type { RoomKeeper } from '../spool/room-keeper'
import type { Spool } from '../spool/spool'
import { keepLimits } from './keep-limits'
import type { RateLimits } from './limits'
import { OPEN_POSTS } from './open-posts'
import type { Scrub } from './prepare'
import { type ConfiguredUpstream, Relay } from './relay'
import { Reporter } from './reporter'
import { createSend } from './send'
import { withoutAddress } from './without-address'

/** How long open posts may go on after a stop was asked for. */
const GRACE_MS = 3000
/** How long upstreams have to take the last report of what was cut. */
const REPORT_GRACE_MS = 1000

export interface Delivery {
  readonly relay: Relay
  /** Whoever has to answer is there: what was left by an earlier life goes on. */
  readonly start: () => void
  /** Gives open posts a moment, tells what was cut, and keeps the limits as they are. */
  readonly close: () => Promise<void>
}

/** What has to do with upstreams: the relay, the reports of what it cut, and the limits that they told. */
export function createDelivery(parts: {
  readonly upstreams: readonly ConfiguredUpstream[]
  readonly limits: RateLimits
  readonly holdErrors: boolean
  readonly scrub: Scrub | null
  /** May upstream learn the address of who sent it? */
  readonly passAddress: boolean
  readonly spool: Spool
  /** What an upstream answered must be written down, or it gets the same again. */
  readonly write: RoomKeeper['write']
  /** Asked by people. */
  readonly reader: Reader
  /** Asked by the relay alone. */
  readonly relayReader: Reader
  readonly intake: Pick<IntakeLoad, 'isBusy' | 'onEase'>
  readonly log: (sentence: string) => void
  readonly onDeath: (error: Error) => void
}): Delivery {
  const { upstreams, limits, spool, write, relayReader, log: say } = parts
  const relay = new Relay(
    upstreams,
    parts.reader,
    {
      spool: {
        deliver: async (attempt) => {
          await write(() => spool.deliver(attempt))
          if (attempt.toReport.length > 0) reporter.wake()
        },
        limit: (told) => write(() => spool.limit(told)),
        settle: async (seq, decision, toReport) => {
          await write(() => spool.settle(seq, decision, toReport))
          if (toReport.length > 0) reporter.wake()
        },
      },
      reader: relayReader,
      limits,
      holdErrors: parts.holdErrors,
      scrub: parts.scrub,
      isIntakeBusy: parts.intake.isBusy,
      log: say,
      now: Date.now,
      random: Math.random,
      later,
      onDeath: parts.onDeath,
    },
    () => (parts.passAddress ? createSend(OPEN_POSTS) : withoutAddress(createSend(OPEN_POSTS))),
  )
  // Posts that nobody answers would else keep the window as narrow as intake once made it.
  parts.intake.onEase(() => relay.resume())
  const reporter = new Reporter(
    upstreams.map(({ dsn }) => dsn),
    {
      reader: relayReader,
      spool,
      limits,
      isWell: (dsn) => relay.upstreamFor(dsn)?.isWell ?? false,
      send: createSend(Math.max(1, upstreams.length)),
      now: Date.now,
      monotonic: () => performance.now(),
      later,
      log: say,
    },
  )
  const stopLimits = keepLimits({ limits, store: spool.correctLimits, repeat, say })
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
