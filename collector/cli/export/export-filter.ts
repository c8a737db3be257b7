import { positionOf, positionsOf } from '../../../lib/ask/items/describe-items'
import type { Evidence } from '../../../lib/verdict/evidence/evidence'

/** Selects items; all given conditions must hold. */
export interface ExportFilter {
  /** Empty for the default of the format. */
  readonly kinds: ReadonlySet<string>
  readonly trace: string | null
  readonly service: string | null
}

/** The rows of one trace, of one service, or both. An item without rows stays if it names the trace. */
export function selectRows(evidence: Evidence, { trace, service }: ExportFilter): Evidence {
  if (trace === null && service === null) return evidence
  const isSelected = (row: { readonly traceId: string | null; readonly service: string | null }): boolean =>
    (trace === null || row.traceId === trace) && (service === null || row.service === service)
  const events = evidence.events.filter(isSelected)
  const ofEvents = new Set(events.map(({ eventId }) => eventId))
  const segments = evidence.segments.filter(isSelected)
  const spans = evidence.spans.filter(isSelected)
  const signals = evidence.signals.filter(isSelected)
  const withRows = positionsOf(evidence.events, evidence.spans, evidence.signals)
  const selected = positionsOf(events, spans, signals)
  return {
    ...{ envelopes: evidence.envelopes, events, segments, spans, signals },
    breadcrumbs: evidence.breadcrumbs.filter(({ eventId }) => ofEvents.has(eventId)),
    items: evidence.items.filter((item) => {
      const position = positionOf(item)
      if (withRows.has(position)) return selected.has(position)
      return service === null && item.traceId === trace
    }),
  }
}
