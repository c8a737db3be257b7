import type { Overview } from '../lib/wire/overview'
import type { Digester } from './digest/digester'
import type { LiveHub } from './live/hub'
import type { LimitBook } from './relay/limits'
import type { Relay } from './relay/relay'
import type { Readiness } from './routes/health'
import type { Reader } from './store/reader'

/** What happens right now, from the rows, the relay and the limits. */
export function createOverview(parts: {
  readonly reader: Pick<Reader, 'totals'>
  readonly relay: Relay
  readonly limits: LimitBook
  readonly startedAt: number
  readonly now: () => number
  readonly folder: string
  readonly localDsn: () => string
  readonly labRelay: () => boolean
}): () => Promise<Overview> {
  return async () => {
    const now = parts.now()
    const [totals, upstreams] = await Promise.all([parts.reader.totals(), parts.relay.states()])
    return {
      ...totals,
      now,
      startedAt: parts.startedAt,
      localDsn: parts.localDsn(),
      dataFolder: parts.folder,
      localOnly: upstreams.length === 0,
      upstreams,
      limits: parts.limits.active(now).map((limit) => ({
        upstream:
          parts.relay.upstreamFor({ publicKey: limit.publicKey, projectId: limit.project })?.label ?? limit.project,
        category: limit.category,
        until: limit.until,
        toldAt: limit.toldAt,
        reason: limit.reason,
      })),
      labRelay: parts.labRelay(),
    }
  }
}

/** A health check that takes longer says so itself. */
const HEALTH_BUDGET_MS = 900

/** Ready means: the record can be read, and every upstream takes what it is sent. */
export function createReadiness(parts: {
  readonly reader: Pick<Reader, 'journal'>
  readonly relay: Relay
  readonly digester: Digester
  readonly hub: LiveHub
}): () => Promise<Readiness> {
  return async () => {
    const notReady: string[] = []
    const states = await within(HEALTH_BUDGET_MS, parts.relay.states())
    if (states === null) notReady.push(`the store did not answer within ${HEALTH_BUDGET_MS} ms`)
    const stuck = parts.digester.stuck()
    if (stuck !== null)
      notReady.push(`the digest cannot write its rows: ${stuck}; what is received is on disk all the same`)
    for (const state of states ?? []) {
      if (state.state !== 'backing_off') continue
      const why = state.last?.error ?? `it answered ${state.last?.status}`
      notReady.push(`${state.label} does not take envelopes: ${why}; ${state.owed} wait`)
    }
    return { ready: notReady.length === 0, notReady }
  }
}

async function within<Value>(ms: number, work: Promise<Value>): Promise<Value | null> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(() => resolve(null), ms)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}
