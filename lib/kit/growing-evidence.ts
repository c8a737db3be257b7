import type { Evidence } from '../verdict/evidence/evidence'
import { inOrder } from '../verdict/evidence/in-order'

export interface GrowingEvidence {
  /** @param instead what was added before of the same submission goes, for this has it, too */
  readonly add: (part: Evidence, instead?: boolean) => void
  /** In the order in which it came to the collector, also what was added late. The same object until more is added. */
  readonly all: () => Evidence
}

/** Evidence that is read bit by bit. */
export function growingEvidence(): GrowingEvidence {
  let all = inOrder([])
  let added: Evidence[] = []
  let gone = new Set<number>()
  const merge = (): void => {
    if (added.length > 0) all = inOrder([gone.size === 0 ? all : without(all, gone), ...added])
    added = []
    gone = new Set()
  }
  return {
    add: (part, instead = false) => {
      if (instead) {
        merge()
        for (const { seq } of part.envelopes) gone.add(seq)
      }
      added.push(part)
    },
    all: () => {
      merge()
      return all
    },
  }
}

function without(evidence: Evidence, gone: ReadonlySet<number>): Evidence {
  const rest = <One extends { readonly seq: number }>(all: readonly One[]): readonly One[] =>
    all.filter(({ seq }) => !gone.has(seq))
  return {
    envelopes: rest(evidence.envelopes),
    items: rest(evidence.items),
    events: rest(evidence.events),
    segments: rest(evidence.segments),
    spans: rest(evidence.spans),
    breadcrumbs: rest(evidence.breadcrumbs),
    signals: rest(evidence.signals),
  }
}
