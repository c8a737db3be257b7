import { hex32, isObject } from '../../protocol/json'
import type { Evidence, SeenItem, Submission } from './evidence'
import { readEvidence } from './read-evidence'

/** So much of what nobody stamped is kept until it is known whose it is. */
const HELD_SUBMISSIONS = 2_000
const HELD_BYTES = 64 * 1024 * 1024

/** A submission that belongs to the stamp, as it was read. */
export interface Belonging {
  readonly submission: Submission
  /** All that belongs of it by now. Of what nobody stamped, what is of the stamp's own traces. */
  readonly evidence: Evidence
  /** What did not belong before; the same as `evidence` where nothing did. */
  readonly added: Evidence
  /** Some of it belonged before: `evidence` is instead of what was given then. */
  readonly again: boolean
}

export interface Attribution {
  /** Takes a trace as the stamp's, before anything of it came: somebody was asked to continue it. */
  readonly own: (traceId: string) => void
  /** @returns what belongs now and did not before: of the submission, and of those before it that it speaks for. */
  readonly take: (submission: Submission) => readonly Belonging[]
  /** How many unstamped submissions were let go before somebody spoke for all that is in them. */
  readonly letGo: () => number
}

interface Held {
  /** Traces of it that nobody spoke for. */
  readonly open: Set<string>
  /** Those that somebody spoke for. */
  readonly known: Set<string>
}

/**
 * Decides what belongs to a stamp: what carries it, and of what nobody stamped that which is of a trace that a stamped
 * one told of, or that was given to the stamp beforehand: a server's batch may be of several tests. What a stamp of
 * somebody else's is on never does. An unstamped one speaks for no other: two tests may share a server's trace.
 */
export function attributionTo(stamp: string, most = { submissions: HELD_SUBMISSIONS, bytes: HELD_BYTES }): Attribution {
  const traces = new Set<string>()
  const held = new Map<Submission, Held>()
  const waitingFor = new Map<string, Set<Submission>>()
  let bytes = 0
  let letGo = 0

  const release = (submission: Submission): void => {
    for (const trace of held.get(submission)?.open ?? []) {
      const waiting = waitingFor.get(trace)
      waiting?.delete(submission)
      if (waiting?.size === 0) waitingFor.delete(trace)
    }
    held.delete(submission)
    bytes -= submission.body.length
  }
  const hold = (submission: Submission, one: Held): void => {
    held.set(submission, one)
    bytes += submission.body.length
    for (const trace of one.open) {
      const waiting = waitingFor.get(trace) ?? new Set()
      waitingFor.set(trace, waiting.add(submission))
    }
    for (const oldest of held.keys()) {
      if (held.size <= most.submissions && bytes <= most.bytes) return
      release(oldest)
      letGo += 1
    }
  }
  /** Somebody spoke for these. @returns what was held and is of one of them */
  const adopt = (of: ReadonlySet<string>): readonly Belonging[] => {
    const fresh = [...of].filter((trace) => !traces.has(trace))
    const adopted = new Set<Submission>()
    for (const trace of fresh) {
      traces.add(trace)
      for (const waiting of waitingFor.get(trace) ?? []) adopted.add(waiting)
      waitingFor.delete(trace)
    }
    return [...adopted].flatMap((submission) => {
      const one = held.get(submission)
      return one === undefined ? [] : [spokenFor(submission, one, fresh)]
    })
  }
  const spokenFor = (submission: Submission, { open, known }: Held, fresh: readonly string[]): Belonging => {
    const whole = readEvidence([submission])
    const again = known.size > 0
    const before = again ? partOfTraces(whole, known) : null
    for (const trace of fresh) if (open.delete(trace)) known.add(trace)
    if (open.size === 0) release(submission)
    const evidence = partOfTraces(whole, known)
    return { submission, evidence, added: before === null ? evidence : addedTo(before, evidence), again }
  }

  return {
    own: (traceId) => {
      traces.add(traceId)
    },
    take: (submission) => {
      if (submission.stamp !== null && submission.stamp !== stamp) return []
      const whole = readEvidence([submission])
      const of = tracesTold(whole)
      if (submission.stamp === stamp) return [...adopt(of), { submission, evidence: whole, added: whole, again: false }]
      // What is of no trace can never be spoken for.
      if (of.size === 0) return []
      const open = new Set([...of].filter((trace) => !traces.has(trace)))
      const known = new Set([...of].filter((trace) => traces.has(trace)))
      if (open.size > 0) hold(submission, { open, known })
      if (known.size === 0) return []
      const evidence = partOfTraces(whole, known)
      return [{ submission, evidence, added: evidence, again: false }]
    },
    letGo: () => letGo,
  }
}

/** Every trace that an item tells of; an envelope's header says only by whose decision it was sampled. */
function tracesTold({ items, spans, events, signals }: Evidence): ReadonlySet<string> {
  const all = [...items, ...spans, ...events, ...signals].map(({ traceId }) => traceId)
  return new Set(all.filter((trace) => trace !== null))
}

/**
 * What one submission tells of some traces. A server sends what several requests caused in one batch: of an item with
 * entries of several traces the others' are taken out of its payload, too. What is of no trace belongs to it where all
 * of its traces are among them.
 */
function partOfTraces(whole: Evidence, traces: ReadonlySet<string>): Evidence {
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
function addedTo(smaller: Evidence, part: Evidence): Evidence {
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
