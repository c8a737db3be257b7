/** A trace of a browser, as its visit is resolved. */
export interface LinkedTrace {
  /** `page:ID`, `session:ID` or `replay:ID`; `null` without one. */
  readonly key: string | null
  /** The trace of the page before, as the SDK links it. */
  readonly previous: string | null
  readonly startUs: number
}

/** Links that are followed back, and the time that they cover. */
export const MOST_LINKS = 50
export const LONGEST_LINKS_US = 3_600_000_000

interface Root {
  readonly id: string
  /** Links from the root. */
  readonly depth: number
  readonly startUs: number
}

/**
 * Resolves traces of browsers to visits: a trace with a key belongs to the visit of that key; one without follows its
 * link back, at most 50 links and one hour from the first trace; the first trace names the visit. A trace without a link
 * is a visit of its own.
 */
export class VisitRoots {
  readonly #read: (traceId: string) => LinkedTrace | null
  readonly #roots = new Map<string, Root>()

  /** @param read a trace of a browser; `null` for an unknown one */
  constructor(read: (traceId: string) => LinkedTrace | null) {
    this.#read = read
  }

  /** @returns the id of the visit, as `page:ID` or `trace:ID`; `null` for an unknown trace */
  visitOf(traceId: string): string | null {
    const chain: { readonly traceId: string; readonly trace: LinkedTrace }[] = []
    const seen = new Set<string>()
    let next: string | null = traceId
    while (next !== null && !this.#roots.has(next) && !seen.has(next) && chain.length <= MOST_LINKS) {
      const trace = this.#read(next)
      if (trace === null || (chain[0] !== undefined && chain[0].trace.startUs - trace.startUs > LONGEST_LINKS_US)) break
      seen.add(next)
      chain.push({ traceId: next, trace })
      next = trace.key === null ? trace.previous : null
    }
    // From the first trace to the given one, so that all of them agree on their visit.
    for (const { traceId: id, trace } of chain.reverse()) {
      const before = trace.key !== null || trace.previous === null ? undefined : this.#roots.get(trace.previous)
      this.#roots.set(id, rootOf(id, trace, before))
    }
    return this.#roots.get(traceId)?.id ?? null
  }
}

function rootOf(traceId: string, { key, startUs }: LinkedTrace, before: Root | undefined): Root {
  if (key !== null) return { id: key, depth: 0, startUs }
  const isTooFar = before === undefined || before.depth >= MOST_LINKS || startUs - before.startUs > LONGEST_LINKS_US
  return isTooFar ? { id: `trace:${traceId}`, depth: 0, startUs } : { ...before, depth: before.depth + 1 }
}
