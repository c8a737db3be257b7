import type { StampedEnvelope, StampedItem } from './stamped-sdk'

/** So many traces are remembered, the last that were stamped. */
export const REMEMBERED_TRACES = 2000

export interface StampedTraces {
  /** A request of this trace was stamped so. */
  readonly learn: (traceId: string, stamp: string) => void
  /** The one stamp of all traces that an envelope tells of; `null` where one of them has none, or another. */
  readonly stampOf: (envelope: StampedEnvelope) => string | null
}

/** Remembers which trace was stamped with what. One that two stamped differently belongs to neither. */
export function stampedTraces(): StampedTraces {
  const stamps = new Map<string, string | null>()
  return {
    learn: (traceId, stamp) => {
      const known = stamps.get(traceId)
      // Set anew, so that the oldest is the one that was stamped longest ago.
      stamps.delete(traceId)
      stamps.set(traceId, known === undefined || known === stamp ? stamp : null)
      const oldest = stamps.keys().next()
      if (stamps.size > REMEMBERED_TRACES && !oldest.done) stamps.delete(oldest.value)
    },
    stampOf: (envelope) => {
      if (stamps.size === 0) return null
      const traces = tracesOf(envelope)
      const [first, ...others] = new Set([...traces].map((traceId) => stamps.get(traceId) ?? null))
      return others.length === 0 ? (first ?? null) : null
    },
  }
}

/** Of the items, not of the header: an envelope of logs has those of many traces, and its header names none. */
const tracesOf = ([, items]: StampedEnvelope): ReadonlySet<string> => new Set(items.flatMap(tracesOfItem))

function tracesOfItem(item: StampedItem): readonly string[] {
  const payload: unknown = item[1]
  if (!isObject(payload)) return []
  if (Array.isArray(payload.items)) return payload.items.flatMap((one: unknown) => idOf(one))
  const contexts = isObject(payload.contexts) ? payload.contexts : {}
  return [...idOf(contexts.trace), ...idOf(payload)]
}

const idOf = (told: unknown): readonly string[] =>
  isObject(told) && typeof told.trace_id === 'string' ? [told.trace_id] : []

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null
