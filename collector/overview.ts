import type { LimitsNow } from '../lib/wire/limits'
import type { Overview } from '../lib/wire/overview'
import type { LimitBook } from './relay/limits'
import type { Relay } from './relay/relay'
import type { Spool } from './spool/spool'
import type { Reader } from './store/reader'

/** What upstreams limit just now, each by its host and project. */
export const limitsNow = (parts: {
  readonly relay: Relay
  readonly limits: LimitBook
  readonly passLimits: boolean
  readonly now: () => number
}): LimitsNow => ({
  limits: parts.limits.active().map(({ publicKey, project, ...limit }) => ({
    upstream: parts.relay.upstreamFor({ publicKey, projectId: project })?.label ?? project,
    ...limit,
    cut: 0,
  })),
  ended: [],
  pages: [],
  unnamed: 0,
  passLimits: parts.passLimits,
  holdErrors: false,
  now: parts.now(),
})

/** What happens right now, from the rows, the record, the relay and the limits. */
export function createOverview(parts: {
  readonly reader: Pick<Reader, 'totals'>
  readonly spool: Pick<Spool, 'usage'>
  readonly relay: Relay
  readonly limits: LimitBook
  readonly passLimits: boolean
  readonly startedAt: number
  readonly now: () => number
  readonly folder: string
  readonly localDsn: () => string
  readonly labRelay: () => boolean
}): () => Promise<Overview> {
  return async () => {
    const now = parts.now()
    const [totals, upstreams, { records, copies }] = await Promise.all([
      parts.reader.totals(),
      parts.relay.states(),
      parts.spool.usage(),
    ])
    return {
      ...totals,
      counts: { ...totals.counts, envelopes: records - copies, copies },
      now,
      startedAt: parts.startedAt,
      localDsn: parts.localDsn(),
      dataFolder: parts.folder,
      localOnly: upstreams.length === 0,
      upstreams,
      stranded: [],
      script: null,
      limits: limitsNow(parts).limits,
      labRelay: parts.labRelay(),
    }
  }
}
