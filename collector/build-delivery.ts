import { performance } from 'node:perf_hooks'
import { STAND_IN } from '../lib/config/environment'
import { sameProject } from '../lib/protocol/dsn'
import { addressOf, KEYLESS } from '../lib/protocol/upstream-address'
import { startTimer } from '../lib/time'
import { createUptime } from '../lib/tunnel/uptime'
import type { AppDeps } from './app'
import type { BuiltRecord } from './build-storage'
import { type Config, isOnLoopback, upstreamsOf } from './config'
import { orderDeadLetters } from './relay/dead-letters'
import { createDelivery } from './relay/delivery'
import type { Relay } from './relay/relay'
import { RateLimits } from './relay/running-limits'
import { repeat } from './runtime/timers'
import { createScrubber } from './scrubber'
import type { StoredLimit } from './spool/spool'
import { type StandIn, startStandIn } from './stand-in/stand-in'

export interface BuiltDelivery {
  readonly relay: Relay
  readonly rateLimits: RateLimits
  readonly standIn: StandIn | null
  readonly labRelay: () => boolean
  readonly deps: Pick<
    AppDeps,
    | 'rateLimits'
    | 'scrubStored'
    | 'upstream'
    | 'uptime'
    | 'initialStatus'
    | 'tryNow'
    | 'setLabRelay'
    | 'orderDeadLetters'
  >
  readonly start: () => void
  /** Waits briefly for open posts. */
  readonly stopPosting: () => Promise<void>
  readonly close: () => Promise<void>
}

/** Upstreams, their rate limits and the relay. */
export async function buildDelivery(
  config: Config,
  { spool, news, load }: BuiltRecord,
  onDeath: (error: Error) => void,
): Promise<BuiltDelivery> {
  const { environment } = config
  const monotonic = (): number => performance.now()
  const noteChanged = (): void => {
    spool.noteChanged().catch((error: Error) => console.error(`live boards miss a change: ${error.message}`))
  }
  const standIn = environment.upstream === STAND_IN ? await startStandIn({ onChange: noteChanged }) : null
  const [stored, lab] = await Promise.all([spool.limits(), spool.setting('lab_relay')])
  const rateLimits = new RateLimits(stored, { now: Date.now, monotonic })
  const scrubber = createScrubber(environment, startTimer)
  const uptime = createUptime()
  const delivery = createDelivery({
    upstreams: upstreamsOf(config, standIn?.dsn),
    rateLimits,
    holdErrors: environment.holdErrors,
    scrub: scrubber.scrub,
    passAddress: environment.scrub !== 'on',
    spool,
    intake: load,
    log: console.error,
    uptime,
    onDeath,
  })
  const { relay } = delivery
  news.subscribe(({ facts }) => relay.onJournal(facts))
  let labRelay = lab === 'on'
  const stopPolling =
    spool.shared === null
      ? () => undefined
      : pollShared(spool, (limits, isLabRelayed) => {
          rateLimits.add(limits)
          labRelay = isLabRelayed
        })
  return {
    relay,
    rateLimits,
    standIn,
    labRelay: () => labRelay,
    deps: {
      rateLimits,
      uptime,
      scrubStored: scrubber.scrubStored,
      upstream: standIn && {
        standIn,
        play: (next) => {
          standIn.play(next)
          // Answers from before say nothing about the new script: end the relay's wait.
          relay.tryNow(true)
        },
      },
      initialStatus: ({ publicKey, project }, endpoint, from) => {
        const upstream = relay.upstreamFor({ publicKey, projectId: project })
        if (upstream === undefined) {
          const isKeyless = sameProject(KEYLESS, { publicKey, projectId: project })
          return { outcome: 'kept', reason: isKeyless ? 'several_upstreams' : 'no_upstream' }
        }
        if (endpoint === 'otlp_metrics' && !upstream.takesMetrics) return { outcome: 'kept', reason: 'no_endpoint' }
        if (from.consent === 'kept') return { outcome: 'kept', reason: 'consent' }
        if (from.lab && !labRelay && !isOnLoopback(addressOf(upstream.upstream)))
          return { outcome: 'kept', reason: 'lab' }
        // The lab exists to be relayed, and has its own switch.
        if (from.own === true && !from.lab && !environment.relayOwn) return { outcome: 'kept', reason: 'own_app' }
        return 'pending'
      },
      tryNow: () => relay.tryNow(),
      setLabRelay: async (relayed) => {
        await spool.saveSetting('lab_relay', relayed ? 'on' : 'off')
        labRelay = relayed
      },
      orderDeadLetters: (order) => orderDeadLetters({ spool, rateLimits, now: Date.now }, order),
    },
    // Without the role it owns no lane, so it posts nothing and knows the state of each upstream by its owner.
    start: environment.roles.includes('relay') && !config.isShown ? delivery.start : () => undefined,
    stopPosting: async () => {
      // Otherwise posts to the stand-in would wait for answers that its script holds.
      standIn?.resetUnanswered()
      scrubber.beginStop()
      stopPolling()
      await delivery.close()
    },
    close: async () => {
      await scrubber.close()
      await standIn?.close()
    },
  }
}

/** Limits and settings hold for all collectors of a record within about this time. */
const POLL_MS = 1000

/** Reads what other collectors have changed. A poll that fails is one that the next one repeats. @returns ends it */
function pollShared(
  spool: Pick<BuiltRecord['spool'], 'limits' | 'setting'>,
  note: (limits: readonly StoredLimit[], isLabRelayed: boolean) => void,
): () => void {
  const poll = async (): Promise<void> => {
    const [limits, lab] = await Promise.all([spool.limits(), spool.setting('lab_relay')])
    note(limits, lab === 'on')
  }
  return repeat(() => void poll().catch(() => undefined), POLL_MS)
}
