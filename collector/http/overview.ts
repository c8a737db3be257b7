import type { Overview, Status } from '../../lib/wire/overview'
import type { Storage } from '../../lib/wire/storage'
import type { Reader } from '../index/reader'
import type { Relay } from '../relay/relay'
import type { Spool } from '../spool/spool'

interface DeliveryParts {
  readonly relay: Relay
  readonly activeLimits: () => Promise<Overview['limits']>
  readonly now: () => number
  /** What the stand-in plays, in words. */
  readonly script: () => string | null
}

/** Where what is pending is just now. */
const deliveryNow = async (
  parts: DeliveryParts,
): Promise<Pick<Overview, 'upstreams' | 'stranded' | 'script' | 'limits'>> => ({
  upstreams: await parts.relay.states(),
  stranded: await parts.relay.stranded(),
  script: parts.script(),
  limits: await parts.activeLimits(),
})

/** What every page says of room and delivery. */
export function createStatus(
  parts: DeliveryParts & { readonly storage: () => Promise<Storage>; readonly holdErrors: boolean },
): () => Promise<Status> {
  return async () => {
    const [{ state, trouble }, delivery] = await Promise.all([parts.storage(), deliveryNow(parts)])
    return { now: parts.now(), storage: { state, trouble }, holdErrors: parts.holdErrors, ...delivery }
  }
}

/** What happens right now, from the rows, the record, the relay and the limits. */
export function createOverview(
  parts: DeliveryParts & {
    readonly reader: Pick<Reader, 'totals'>
    readonly spool: Pick<Spool, 'usage'>
    readonly startedAt: number
    readonly folder: string
    readonly localDsn: () => string
    readonly labRelay: () => boolean
  },
): () => Promise<Overview> {
  return async () => {
    const now = parts.now()
    const [totals, delivery, { records, copies }] = await Promise.all([
      parts.reader.totals(),
      deliveryNow(parts),
      parts.spool.usage(),
    ])
    return {
      ...totals,
      counts: { ...totals.counts, envelopes: records - copies, copies },
      now,
      startedAt: parts.startedAt,
      localDsn: parts.localDsn(),
      dataFolder: parts.folder,
      localOnly: delivery.upstreams.length === 0,
      ...delivery,
      labRelay: parts.labRelay(),
    }
  }
}
