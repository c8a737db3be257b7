import type { Evidence } from '../evidence/evidence'
import type { Case } from './rule'

/** An SDK sends what has ended every 5 s; a busy page is late, and so is a network. */
const LATE_MS = 15_000

interface Stretch {
  readonly traceId: string
  /** When its first span began and its last was received: ms since the epoch. */
  from: number
  until: number
}

/**
 * Of which streamed traces may a part be among what is not in the evidence? Of those that had begun when that came, and
 * were not over. A transaction of the static lifecycle comes whole, so a trace of such alone is never cut.
 */
export function cutTraces({ evidence, unseen = [] }: Pick<Case, 'evidence' | 'unseen'>): ReadonlySet<string> {
  if (unseen.length === 0) return NONE
  const cut = new Set<string>()
  for (const { traceId, from, until } of streamedTraces(evidence))
    if (unseen.some((gap) => from <= gap.until && until + LATE_MS >= gap.from)) cut.add(traceId)
  return cut
}

const NONE: ReadonlySet<string> = new Set()

function streamedTraces({ items, spans }: Evidence): Iterable<Stretch> {
  const containers = new Set(items.filter(({ type }) => type === 'span').map(({ seq, item }) => `${seq} ${item}`))
  const traces = new Map<string, Stretch>()
  for (const { traceId, seq, item, copy, startUs, receivedAt } of spans) {
    if (copy || !containers.has(`${seq} ${item}`)) continue
    const from = startUs / 1000
    const known = traces.get(traceId)
    if (known === undefined) traces.set(traceId, { traceId, from, until: receivedAt })
    else {
      known.from = Math.min(known.from, from)
      known.until = Math.max(known.until, receivedAt)
    }
  }
  return traces.values()
}

/** Why none is judged, where some were left out. */
export const orCut = (nothing: string, leftOut: number): string =>
  leftOut === 0
    ? nothing
    : `${leftOut === 1 ? 'One was' : `${leftOut} were`} left alone: a part of the trace may be among what is not judged here.`
