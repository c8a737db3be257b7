import type { Evidence } from './evidence'

/** Parts of what was recorded as one, in the order in which it came to the collector, whichever was read first. */
export function inOrder(parts: readonly Evidence[]): Evidence {
  // The lists are sorted by what they share; the sort is stable, and most often there is nothing to move.
  const merged = <One extends { readonly journal: number }>(
    listOf: (part: Evidence) => readonly One[],
  ): readonly One[] => parts.flatMap(listOf).sort((one, other) => one.journal - other.journal)
  return {
    envelopes: merged(({ envelopes }) => envelopes),
    items: merged(({ items }) => items),
    events: merged(({ events }) => events),
    segments: merged(({ segments }) => segments),
    spans: merged(({ spans }) => spans),
    breadcrumbs: merged(({ breadcrumbs }) => breadcrumbs),
    signals: merged(({ signals }) => signals),
  }
}
