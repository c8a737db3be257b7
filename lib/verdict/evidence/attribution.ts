import { selectTraces } from '../../otlp/select-traces'
import { encodingOf, signalOf } from '../../otlp/signals'
import { hex32 } from '../../protocol/ids'
import { isObject } from '../../protocol/json-value'
import { STAMP_ATTRIBUTE } from '../../protocol/request'
import type { StoredSubmission } from '../../protocol/submission'
import type { Evidence, SeenItem } from './evidence'
import { readEvidence } from './read-evidence'

const MAX_WAITING_SUBMISSIONS = 2_000
const MAX_WAITING_BYTES = 64 * 1024 * 1024

interface AttributedSubmission {
  readonly submission: StoredSubmission
  /** The parts that belong to the stamp so far. For an unstamped submission: the entries of the stamp's traces. */
  readonly evidence: Evidence
  /** The parts that were not attributed before; equal to `evidence` the first time. */
  readonly added: Evidence
  /** Some parts were attributed before: `evidence` replaces what was returned then. */
  readonly replaces: boolean
}

interface Attribution {
  /** Assigns a trace to the stamp in advance, because the test sent its id in a request. */
  readonly addTrace: (traceId: string) => void
  /**
   * Assigns an envelope that a page of the test posted, because a page sends the stamp only to its own origin.
   * @param digest of its body
   * @returns the submission, if it arrived before
   */
  readonly addPost: (digest: string) => readonly AttributedSubmission[]
  /** The traces in posts of the test's pages that arrived without the stamp. */
  readonly postedTraces: () => Iterable<string>
  /** @returns the newly attributed submissions: this one, and earlier unstamped ones of its traces. */
  readonly add: (submission: StoredSubmission) => readonly AttributedSubmission[]
  /** Number of unstamped submissions dropped while some of their traces were still unknown. */
  readonly dropped: () => number
}

interface WaitingTraces {
  /** Its traces that belong to no known stamp yet. */
  readonly open: Set<string>
  readonly known: Set<string>
  /** Of a submission that a page may have posted; `null` otherwise. */
  readonly digest: string | null
}

/** Identifies a body by all its bytes. */
type DigestOf = (body: Uint8Array) => string

/**
 * Decides which submissions belong to a stamp:
 * - a submission with this stamp belongs, one with another stamp never does;
 * - an unstamped one that a page of the test posted belongs, recognised by its bytes; if more arrived than the test
 *   posted, another test may have posted the same, and none belongs;
 * - from another unstamped submission, the entries of a trace that a stamped submission names, or that was assigned in
 *   advance. A server's batch may contain entries of several tests, so only those entries belong.
 *
 * An unstamped submission adds no traces, because two tests may share a server's trace; except those of OpenTelemetry
 * spans with the stamp as an attribute.
 */
export function createAttribution(
  stamp: string,
  most = { submissions: MAX_WAITING_SUBMISSIONS, bytes: MAX_WAITING_BYTES },
  digestOf: DigestOf | null = null,
): Attribution {
  /** Posts of the test's pages that match no submission yet, by digest. */
  const posts = new Map<string, number>()
  const postedTraces = new Set<string>()
  const traces = new Set<string>()
  const waitingSubmissions = new Map<StoredSubmission, WaitingTraces>()
  const waitingFor = new Map<string, Set<StoredSubmission>>()
  let bytes = 0
  let droppedCount = 0

  const release = (submission: StoredSubmission): void => {
    for (const trace of waitingSubmissions.get(submission)?.open ?? []) {
      const waiting = waitingFor.get(trace)
      waiting?.delete(submission)
      if (waiting?.size === 0) waitingFor.delete(trace)
    }
    waitingSubmissions.delete(submission)
    bytes -= submission.body.length
  }
  const keepWaiting = (submission: StoredSubmission, one: WaitingTraces): void => {
    waitingSubmissions.set(submission, one)
    bytes += submission.body.length
    for (const trace of one.open) {
      const waiting = waitingFor.get(trace) ?? new Set()
      waitingFor.set(trace, waiting.add(submission))
    }
    for (const oldest of waitingSubmissions.keys()) {
      if (waitingSubmissions.size <= most.submissions && bytes <= most.bytes) return
      release(oldest)
      droppedCount += 1
    }
  }
  /** Adds traces to the stamp. @returns the waiting submissions that have entries of them */
  const claimTraces = (of: ReadonlySet<string>): readonly AttributedSubmission[] => {
    const fresh = [...of].filter((trace) => !traces.has(trace))
    const adopted = new Set<StoredSubmission>()
    for (const trace of fresh) {
      traces.add(trace)
      for (const waiting of waitingFor.get(trace) ?? []) adopted.add(waiting)
      waitingFor.delete(trace)
    }
    return [...adopted].flatMap((submission) => {
      const one = waitingSubmissions.get(submission)
      return one === undefined ? [] : [attribute(submission, one, fresh)]
    })
  }
  const attribute = (
    submission: StoredSubmission,
    { open, known }: Pick<WaitingTraces, 'open' | 'known'>,
    fresh: readonly string[],
  ): AttributedSubmission => {
    const whole = readEvidence([submission])
    const replaces = known.size > 0
    const before = replaces ? filterByTraces(whole, known) : null
    for (const trace of fresh) if (open.delete(trace)) known.add(trace)
    if (open.size === 0) release(submission)
    const evidence = filterByTraces(whole, known)
    return { submission, evidence, added: before === null ? evidence : newEntries(before, evidence), replaces }
  }
  /** Attributes unstamped submissions with a digest to the test if its pages posted as many. */
  const claimPosted = (digest: string, arrived: readonly StoredSubmission[]): readonly AttributedSubmission[] => {
    const left = (posts.get(digest) ?? 0) - arrived.length
    if (arrived.length === 0 || left < 0) return []
    posts.set(digest, left)
    const known = arrived.map((submission) => waitingSubmissions.get(submission)?.known ?? new Set<string>())
    // Before any trace is claimed, which would attribute those of the same trace a second time.
    for (const submission of arrived) if (waitingSubmissions.has(submission)) release(submission)
    return arrived.flatMap((submission, index) => {
      const had = known[index] ?? new Set()
      const whole = readEvidence([submission])
      const replaces = had.size > 0
      const added = replaces ? newEntries(filterByTraces(whole, had), whole) : whole
      const of = traceIdsIn(whole)
      for (const trace of of) postedTraces.add(trace)
      return [...claimTraces(of), { submission, evidence: whole, added, replaces }]
    })
  }
  const waitingWith = (digest: string): readonly StoredSubmission[] =>
    [...waitingSubmissions].flatMap(([submission, one]) => (one.digest === digest ? [submission] : []))

  return {
    addTrace: (traceId) => {
      traces.add(traceId)
    },
    addPost: (digest) => {
      posts.set(digest, (posts.get(digest) ?? 0) + 1)
      return claimPosted(digest, waitingWith(digest))
    },
    postedTraces: () => postedTraces,
    add: (submission) => {
      if (submission.stamp !== null && submission.stamp !== stamp) return []
      const whole = readEvidence([submission])
      const of = traceIdsIn(whole)
      if (submission.stamp === stamp)
        return [...claimTraces(of), { submission, evidence: whole, added: whole, replaces: false }]
      // Only pages send an Origin.
      const digest = digestOf === null || submission.origin === null ? null : digestOf(submission.body)
      const posted = digest === null ? [] : claimPosted(digest, [...waitingWith(digest), submission])
      if (posted.length > 0) return posted
      // Without a trace it can never be attributed otherwise.
      if (of.size === 0 && digest === null) return []
      const earlier = claimTraces(tracesWithAttribute(whole, stamp))
      const open = new Set([...of].filter((trace) => !traces.has(trace)))
      const known = new Set([...of].filter((trace) => traces.has(trace)))
      if (open.size > 0 || of.size === 0) keepWaiting(submission, { open, known, digest })
      if (known.size === 0) return []
      const evidence = filterByTraces(whole, known)
      return [...earlier, { submission, evidence, added: evidence, replaces: false }]
    },
    dropped: () => droppedCount,
  }
}

/** The traces of spans that carry the stamp as an attribute. */
const tracesWithAttribute = ({ spans }: Evidence, stamp: string): ReadonlySet<string> =>
  new Set(spans.filter(({ attributes }) => attributes[STAMP_ATTRIBUTE] === stamp).map(({ traceId }) => traceId))

/** All trace ids in items. The envelope header's trace id is left out: it only names the sampling decision. */
function traceIdsIn({ items, spans, events, signals }: Evidence): ReadonlySet<string> {
  const all = [...items, ...spans, ...events, ...signals].map(({ traceId }) => traceId)
  return new Set(all.filter((trace) => trace !== null))
}

/**
 * The part of one submission that belongs to some traces. A server's batch mixes several requests, so entries of other
 * traces are also removed from the payload of an item. Entries without a trace stay only if all traces of the
 * submission are selected.
 */
function filterByTraces(whole: Evidence, traces: ReadonlySet<string>): Evidence {
  if ([...traceIdsIn(whole)].every((trace) => traces.has(trace))) return whole
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
  const payload = own.length === 0 ? null : cutPayload(item.payload, whole, isOf)
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

/** The payload of a container without the other entries; `null` if it is no container. */
function cutPayload(payload: Uint8Array, { envelopes: [envelope] }: Evidence, isOf: IsOf): Uint8Array | null {
  const signal = envelope === undefined ? null : signalOf(envelope.endpoint)
  if (signal !== null)
    return selectTraces(signal, encodingOf(envelope?.contentType ?? null) ?? 'json', payload, (traceId) =>
      isOf({ traceId }),
    )
  const container: unknown = JSON.parse(new TextDecoder().decode(payload))
  if (!isObject(container) || !Array.isArray(container.items)) return null
  const items = container.items.filter((entry) => isObject(entry) && isOf({ traceId: hex32(entry.trace_id) }))
  return new TextEncoder().encode(JSON.stringify({ ...container, items }))
}

/** The entries of a part that a smaller part of the same submission did not have. */
function newEntries(smaller: Evidence, part: Evidence): Evidence {
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
