import type { Evidence } from '../evidence/evidence'

const NOTHING: Evidence = {
  envelopes: [],
  items: [],
  events: [],
  segments: [],
  spans: [],
  breadcrumbs: [],
  signals: [],
}

export interface GrowingEvidence {
  readonly add: (part: Evidence) => void
  /** In the order in which it came to the collector, also what was added late. The same object until more is added. */
  readonly all: () => Evidence
}

/** Evidence that is read bit by bit. */
export function growingEvidence(): GrowingEvidence {
  let all = NOTHING
  let added: Evidence[] = []
  return {
    add: (part) => {
      added.push(part)
    },
    all: () => {
      if (added.length > 0) all = inOrder([all, ...added])
      added = []
      return all
    },
  }
}

function inOrder(parts: readonly Evidence[]): Evidence {
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
