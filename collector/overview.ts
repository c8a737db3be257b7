import type { Overview } from '../lib/wire/overview'
import type { LimitBook } from './relay/limits'
import type { Relay } from './relay/relay'
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
      limits: parts.limits.active().map((limit) => ({
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
