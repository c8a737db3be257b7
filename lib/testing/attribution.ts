import type { Evidence, Submission } from '../evidence/evidence'
import { readEvidence } from '../evidence/read-evidence'

/** So much of what nobody stamped is kept until it is known whose it is. */
export const HELD_SUBMISSIONS = 2_000
export const HELD_BYTES = 64 * 1024 * 1024

/** A submission that belongs to the stamp, as it was read. */
export interface Belonging {
  readonly submission: Submission
  readonly evidence: Evidence
}

export interface Attribution {
  /** @returns what belongs now and did not before: the submission, and those before it that it speaks for. */
  readonly take: (submission: Submission) => readonly Belonging[]
  /** How many unstamped submissions were let go before anybody spoke for them. */
  readonly letGo: () => number
}

/**
 * Decides what belongs to a stamp: what carries it, and what nobody stamped and is of a trace that a stamped one told
 * of. What a stamp of somebody else's is on never does. An unstamped one speaks for no other: two tests may share a
 * server's trace.
 */
export function attributionTo(stamp: string, most = { submissions: HELD_SUBMISSIONS, bytes: HELD_BYTES }): Attribution {
  const traces = new Set<string>()
  const held = new Map<Submission, ReadonlySet<string>>()
  const waitingFor = new Map<string, Set<Submission>>()
  let bytes = 0
  let letGo = 0

  const release = (submission: Submission): void => {
    for (const trace of held.get(submission) ?? []) {
      const waiting = waitingFor.get(trace)
      waiting?.delete(submission)
      if (waiting?.size === 0) waitingFor.delete(trace)
    }
    held.delete(submission)
    bytes -= submission.body.length
  }
  const hold = (submission: Submission, of: ReadonlySet<string>): void => {
    held.set(submission, of)
    bytes += submission.body.length
    for (const trace of of) {
      const waiting = waitingFor.get(trace) ?? new Set()
      waitingFor.set(trace, waiting.add(submission))
    }
    for (const oldest of held.keys()) {
      if (held.size <= most.submissions && bytes <= most.bytes) return
      release(oldest)
      letGo += 1
    }
  }
  const adopt = (of: ReadonlySet<string>): readonly Submission[] => {
    const adopted = new Set<Submission>()
    for (const trace of of) {
      if (traces.has(trace)) continue
      traces.add(trace)
      for (const waiting of waitingFor.get(trace) ?? []) adopted.add(waiting)
    }
    for (const submission of adopted) release(submission)
    return [...adopted]
  }

  return {
    take: (submission) => {
      if (submission.stamp !== null && submission.stamp !== stamp) return []
      const evidence = readEvidence([submission])
      const of = tracesOf(evidence)
      if (submission.stamp === stamp) {
        const adopted = adopt(of).map((one) => ({ submission: one, evidence: readEvidence([one]) }))
        return [...adopted, { submission, evidence }]
      }
      if ([...of].some((trace) => traces.has(trace))) return [{ submission, evidence }]
      // What is of no trace can never be spoken for.
      if (of.size > 0) hold(submission, of)
      return []
    },
    letGo: () => letGo,
  }
}

/** Every trace that an item tells of; an envelope's header says only by whose decision it was sampled. */
function tracesOf({ items, spans, events, signals }: Evidence): ReadonlySet<string> {
  const all = [...items, ...spans, ...events, ...signals].map(({ traceId }) => traceId)
  return new Set(all.filter((trace) => trace !== null))
}
