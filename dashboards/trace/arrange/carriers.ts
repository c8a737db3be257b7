import type { Fate } from '../../../lib/wire/fate'
import type { TraceDetail } from '../../../lib/wire/trace'

/** An item that brought a part of the trace. */
export interface Carrier {
  readonly kind: 'segment' | 'error'
  readonly name: string
  readonly seq: number
  readonly item: number
  readonly fate: Fate
  readonly receivedAt: number
  readonly relayedAt: number | null
}

/** In the order they came. */
export function carriers({ segments, errors }: TraceDetail): readonly Carrier[] {
  const all: Carrier[] = [
    ...segments.map((segment) => ({ kind: 'segment' as const, ...segment })),
    ...errors.map((error) => ({ kind: 'error' as const, ...error, name: error.title, relayedAt: null })),
  ]
  return all.sort((a, b) => a.seq - b.seq || a.item - b.item)
}
