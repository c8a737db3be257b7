import type { DeliveryStatus } from '../../lib/wire/delivery-status'
import type { TraceDetail } from '../../lib/wire/trace'

/** An item that brought a part of the trace. */
export interface Carrier {
  readonly kind: 'segment' | 'error'
  readonly name: string
  readonly seq: number
  readonly item: number
  readonly deliveryStatus: DeliveryStatus
  readonly receivedAt: number
  /** When it was relayed; `true` when it was and the trace does not tell when; `null` when it was not. */
  readonly relayed: number | true | null
}

/** In the order they came. */
export function carriers({ segments, errors }: Pick<TraceDetail, 'segments' | 'errors'>): readonly Carrier[] {
  const sent = new Map(segments.map((segment) => [segment.seq, segment.relayedAt]))
  const all: Carrier[] = [
    ...segments.map((segment) => ({
      kind: 'segment' as const,
      ...segment,
      relayed: segment.relayedAt,
    })),
    ...errors.map((error) => ({
      kind: 'error' as const,
      ...error,
      name: error.title,
      // Upstream answered the whole envelope at once; what only upstream can decide says that it was there.
      relayed: sent.get(error.seq) ?? (error.deliveryStatus.name === 'accepted' ? (true as const) : null),
    })),
  ]
  return all.sort((a, b) => a.seq - b.seq || a.item - b.item)
}
