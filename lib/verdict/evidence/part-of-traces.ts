import { hex32, isObject } from '../../protocol/json'
import type { Evidence, SeenItem } from './evidence'

/** Every trace that an item tells of; an envelope's header says only by whose decision it was sampled. */
export function tracesTold({ items, spans, events, signals }: Evidence): ReadonlySet<string> {
  const all = [...items, ...spans, ...events, ...signals].map(({ traceId }) => traceId)
  return new Set(all.filter((trace) => trace !== null))
}

/**
 * What one submission tells of some traces. A server sends what several requests caused in one batch: of an item with
 * entries of several traces the others' are taken out of its payload, too. What is of no trace belongs to it where all
 * of its traces are among them.
 */
export function partOfTraces(whole: Evidence, traces: ReadonlySet<string>): Evidence {
  if ([...tracesTold(whole)].every((trace) => traces.has(trace))) return whole
  const isOf = ({ traceId }: { readonly traceId: string | null }): boolean => traceId !== null && traces.has(traceId)
  const events = whole.events.filter(isOf)
  const ofEvents = new Set(events.map(({ item }) => item))
  return {
    envelopes: whole.envelopes,
    items: whole.items.flatMap((item) => partOfItem(item, whole, isOf)),
    events,
    segments: whole.segments.filter(isOf),
    spans: whole.spans.filter(isOf),
    breadcrumbs: whole.breadcrumbs.filter(({ item }) => ofEvents.has(item)),
    signals: whole.signals.filter(isOf),
  }
}

type IsOf = (one: { readonly traceId: string | null }) => boolean

function partOfItem(item: SeenItem, whole: Evidence, isOf: IsOf): readonly SeenItem[] {
  const entries = [...whole.events, ...whole.spans, ...whole.signals].filter((one) => one.item === item.item)
  if (entries.length === 0) return isOf(item) ? [item] : []
  const own = entries.filter(isOf)
  if (own.length === entries.length) return [item]
  const payload = own.length === 0 ? null : cutPayload(item.payload, isOf)
  if (payload === null) return []
  const { header, quantity } = item
  return [
    {
      ...item,
      header: 'item_count' in header ? { ...header, item_count: own.length } : header,
      quantity: quantity === entries.length ? own.length : quantity,
      payload,
      traceId: own[0]?.traceId ?? null,
    },
  ]
}

/** The payload of a container with those of its entries alone; `null` where it is none. */
function cutPayload(payload: Uint8Array, isOf: IsOf): Uint8Array | null {
  const container: unknown = JSON.parse(new TextDecoder().decode(payload))
  if (!isObject(container) || !Array.isArray(container.items)) return null
  const items = container.items.filter((entry) => isObject(entry) && isOf({ traceId: hex32(entry.trace_id) }))
  return new TextEncoder().encode(JSON.stringify({ ...container, items }))
}

/** What is in one part of a submission, and was not in a smaller one of the same. */
export function addedTo(smaller: Evidence, part: Evidence): Evidence {
  const had = new Set<unknown>([
    ...smaller.events,
    ...smaller.segments,
    ...smaller.spans,
    ...smaller.breadcrumbs,
    ...smaller.signals,
  ])
  const items = new Set(smaller.items.map(({ item }) => item))
  const isNew = (one: object): boolean => !had.has(one)
  return {
    envelopes: [],
    items: part.items.filter(({ item }) => !items.has(item)),
    events: part.events.filter(isNew),
    segments: part.segments.filter(isNew),
    spans: part.spans.filter(isNew),
    breadcrumbs: part.breadcrumbs.filter(isNew),
    signals: part.signals.filter(isNew),
  }
}
