import { setImmediate } from 'node:timers/promises'
import { plural } from '../../../lib/format'
import type { DeliveryStatusName } from '../../../lib/protocol/outcome'
import type { StoredSubmission } from '../../../lib/protocol/submission'
import { runWithTimeout } from '../../../lib/time'
import { createAttribution } from '../../../lib/verdict/evidence/attribution'
import type { Evidence } from '../../../lib/verdict/evidence/evidence'
import { decodeSubmission, mergeEvidence, readEvidence } from '../../../lib/verdict/evidence/read-evidence'
import { gapsOf, missingRanges } from '../../../lib/verdict/expectations/gaps'
import { type EnvelopeStatus, lossesInWindow } from '../../../lib/verdict/expectations/losses-in-window'
import type { Case } from '../../../lib/verdict/rules/rule'
import type { CollectorClient } from '../../../lib/wire/collector-client'
import type { EnvelopeSummary, EnvelopesPage } from '../../../lib/wire/envelope'
import type { Losses } from '../../../lib/wire/losses'
import type { Overview, UpstreamState } from '../../../lib/wire/overview'
import { reachText } from '../../../lib/wire/reach-text'
import type { Storage } from '../../../lib/wire/storage'
import { ANSWER_TIMEOUT_MS } from '../collector-connection'
import { timeOfFact } from '../since'

/** The newest submissions that are judged: parsed, they take several times their bytes. */
const MOST_JUDGED = { submissions: 20_000, bytes: 128 * 1024 * 1024 } as const
const PAGE = 500

export interface Gathered {
  readonly given: Case
  /** Of the whole recording, or of the selected part. */
  readonly losses: Losses
  /** Of each envelope of a selected part that is not evicted; empty for the whole recording, whose losses are ledger totals. */
  readonly statuses: readonly EnvelopeStatus[]
  /** Why envelopes are still pending; null when that is unknown. */
  readonly pendingBecause: string | null
  /** The newest fact when reading began; later items are not judged. */
  readonly journal: number
  /** Why the recording is incomplete. */
  readonly gaps: readonly string[]
}

interface GatherPlan {
  readonly client: Pick<
    CollectorClient,
    'recorded' | 'overview' | 'storage' | 'limits' | 'losses' | 'facts' | 'envelopes' | 'envelope'
  >
  readonly collectorUrl: string
  readonly stamp: string | null
  /** Journal number before the first item; null: from the beginning. */
  readonly after: number | null
  readonly stop: AbortSignal
  readonly onProgress: (done: number, of: number) => void
  readonly most?: { readonly submissions: number; readonly bytes: number }
  readonly timeoutMs?: number
}

/** Reads the recording of a collector. @throws what the client throws */
export async function gather(plan: GatherPlan): Promise<Gathered> {
  const { client, collectorUrl, stamp, after } = plan
  const request = requestWithin(plan)
  const read = await readRecord(plan, request)
  const [overview, storage, limits, totals] = await Promise.all([
    request(client.overview),
    request(client.storage),
    request(client.limits),
    after === null ? request((signal) => client.losses({ signal, ...(stamp === null ? {} : { stamp }) })) : null,
  ])
  const state = { overview, storage }
  const { evidence } = read
  const { losses, statuses, withoutStatus } =
    totals === null
      ? await lossesOfPart(evidence, plan, overview, request)
      : { losses: totals, statuses: [], withoutStatus: 0 }
  // The journal may no longer contain that fact; then the first envelope is the best estimate.
  const since =
    after === null || after === 0
      ? null
      : ((await request((signal) => timeOfFact(after, client, signal))) ?? evidence.envelopes[0]?.receivedAt ?? null)
  const pages = new Set(evidence.envelopes.map(({ page }) => page))
  const isPart = stamp !== null || after !== null
  return {
    given: {
      evidence,
      missing: missingRanges(evidence, {
        olderUntil: read.leftOutUntil ?? since,
        damaged: read.pages.flatMap(({ damaged }) => damaged),
      }),
      requests: null,
      fallbacks: null,
      pageLimits: { ...limits, pages: isPart ? limits.pages.filter(({ page }) => pages.has(page)) : limits.pages },
      collectorUrl,
    },
    losses,
    statuses,
    pendingBecause: whyAllPending(overview.upstreams),
    journal: read.journal,
    gaps: [
      // The sums of the collector count the whole recording; for a part of it, only the journal has the events.
      ...gapsOf({ before: after === null ? null : state, after: state, pages: read.pages, skipped: read.leftOut }),
      ...(read.dropped === 0
        ? []
        : [`${plural(read.dropped, 'submission')} without a stamp were dropped before their trace was known`]),
      ...(withoutStatus === 0
        ? []
        : [`the delivery status of ${plural(withoutStatus, 'envelope')} is no longer known`]),
      ...reachGaps(storage, after),
      ...(after === null ? [] : await gapsSince(after, client, request)),
    ],
  }
}

/** One of several collectors with one record may have only its newer part. While it fetches the rest, it answers 503. */
const reachGaps = ({ now, reach }: Storage, after: number | null): readonly string[] =>
  reach === undefined || (after ?? 0) >= reach.from - 1 ? [] : [`this collector has ${reachText(reach, now)}`]

/** Ledger totals count the whole recording. For a part of it, the losses follow from the status of each envelope. */
async function lossesOfPart(
  evidence: Evidence,
  { client, stamp }: GatherPlan,
  { now, journal }: Overview,
  request: Request,
) {
  const seqs = evidence.envelopes.map(({ seq }) => seq)
  const statuses = await readDeliveryStatuses(seqs, client, request)
  return { statuses, ...lossesInWindow(evidence, statuses, { now, journal, stamp }) }
}

type Request = <Answer>(send: (signal: AbortSignal) => Promise<Answer>) => Promise<Answer>

const requestWithin =
  ({ stop, timeoutMs = ANSWER_TIMEOUT_MS }: GatherPlan): Request =>
  (send) =>
    runWithTimeout(timeoutMs, stop, send)

interface ReadRecord {
  readonly evidence: Evidence
  readonly pages: readonly { readonly damaged: number[] }[]
  readonly leftOut: number
  /** When the newest of these arrived, in ms since the epoch. */
  readonly leftOutUntil: number | null
  readonly dropped: number
  readonly journal: number
}

async function readRecord(plan: GatherPlan, request: Request): Promise<ReadRecord> {
  const { client, stamp, onProgress, most = MOST_JUDGED } = plan
  const attribution = stamp === null ? null : createAttribution(stamp)
  const filter = stamp === null ? {} : { stamp, unstamped: true }
  const pages: { readonly damaged: number[] }[] = []
  const kept = new Map<StoredSubmission, Evidence | null>()
  let bytes = 0
  let leftOut = 0
  let leftOutUntil: number | null = null
  let head: number | null = null
  for (let after = plan.after ?? 0; head === null || after < head; ) {
    const from = after
    const page = await request((signal) => client.recorded({ after: from, limit: PAGE, signal, ...filter }))
    // Items that arrive meanwhile are left out: otherwise reading a busy collector would not end.
    head ??= page.journal
    pages.push({ damaged: page.damaged })
    for (const recorded of page.recorded) {
      const submission = decodeSubmission(recorded)
      const belonging =
        attribution === null ? [{ submission, evidence: null, replaces: false }] : attribution.add(submission)
      for (const one of belonging) {
        // It has been left out already.
        if (one.replaces && !kept.has(one.submission)) continue
        kept.set(one.submission, one.evidence)
        if (!one.replaces) bytes += one.submission.body.length
      }
    }
    for (const oldest of kept.keys()) {
      if (kept.size <= most.submissions && bytes <= most.bytes) break
      kept.delete(oldest)
      bytes -= oldest.body.length
      leftOutUntil = Math.max(leftOutUntil ?? 0, oldest.receivedAt)
      leftOut += 1
    }
    if (page.next <= after) break
    after = page.next
    onProgress(Math.min(after, head) - (plan.after ?? 0), head - (plan.after ?? 0))
  }
  const evidence =
    attribution === null
      ? readEvidence([...kept.keys()])
      : mergeEvidence([...kept.values()].flatMap((evidence) => evidence ?? []))
  // Parsing may take longer than a connection stays open. A closed one is noticed after two turns of the event loop.
  await setImmediate()
  await setImmediate()
  return { evidence, pages, leftOut, leftOutUntil, dropped: attribution?.dropped() ?? 0, journal: head ?? 0 }
}

const MOST_PAGES_OF_FACTS = 200

async function gapsSince(
  after: number,
  { facts }: Pick<CollectorClient, 'facts'>,
  request: Request,
): Promise<readonly string[]> {
  const seen = { refused: 0, evicted: 0, cleared: 0 }
  let from = after
  for (let pages = 0; pages < MOST_PAGES_OF_FACTS; pages += 1) {
    const position = from
    const page = await request((signal) => facts(position, 0, signal))
    if (pages === 0 && page.oldest > after + 1) return ['the journal no longer contains all events since then']
    for (const { kind } of page.facts)
      if (kind === 'refused' || kind === 'evicted' || kind === 'cleared') seen[kind] += 1
    if (page.next <= from) break
    from = page.next
  }
  return [
    ...(seen.refused === 0 ? [] : ['envelopes were refused at the endpoint since then']),
    ...(seen.evicted === 0 ? [] : ['submissions were evicted since then: raise WAYSTATION_MAX_DISK']),
    ...(seen.cleared === 0 ? [] : ['the recording was cleared since then']),
  ]
}

const STATUS_PAGE = 200
/** Statuses that all items of an envelope share. */
const UNIFORM: ReadonlySet<DeliveryStatusName> = new Set(['accepted', 'kept', 'copy'])

/** Reads the delivery status of envelopes, item by item. Leaves out evicted envelopes. */
export async function readDeliveryStatuses(
  seqs: readonly number[],
  client: Pick<CollectorClient, 'envelopes' | 'envelope'>,
  request: Request,
): Promise<readonly Pick<EnvelopeSummary, 'seq' | 'deliveryStatus' | 'lastDelivery' | 'items'>[]> {
  const selected = new Set(seqs)
  const oldest = seqs.reduce((least, seq) => Math.min(least, seq), Number.POSITIVE_INFINITY)
  const found: Pick<EnvelopeSummary, 'seq' | 'deliveryStatus' | 'lastDelivery' | 'items'>[] = []
  let cursor: string | null = null
  while (found.length < selected.size) {
    const from: string | null = cursor
    const { envelopes, next }: EnvelopesPage = await request((signal) =>
      client.envelopes({ filter: { own: 'show' }, limit: STATUS_PAGE, cursor: from, signal }),
    )
    for (const envelope of envelopes) {
      if (!selected.has(envelope.seq)) continue
      // Before the digest a list lacks the items, and the status of the worst item would count for all.
      const hasItems = envelope.items.length > 0 || UNIFORM.has(envelope.deliveryStatus.name)
      const whole = hasItems ? null : await request((signal) => client.envelope(envelope.seq, signal))
      found.push(whole ?? envelope)
    }
    const last = envelopes.at(-1)
    if (next === null || (last !== undefined && last.seq <= oldest)) break
    cursor = next
  }
  return found
}

const MOST_ANSWER_CHARACTERS = 200

/** Explains why envelopes are pending, for example `it answers 403: …`; null when delivery is simply in progress. */
export function whyPending({ state, paused, last }: UpstreamState): string | null {
  if (state === 'paused' && paused !== null) return `it answers ${paused.status}${oneLine(paused.answer)}`
  // While it backs off, the last answer may be a success for another envelope.
  if (state !== 'backing_off' || last === null) return null
  if (last.error !== null) return last.error
  return last.status !== null && last.status >= 400 ? `it answered ${last.status}` : null
}

function whyAllPending(upstreams: readonly UpstreamState[]): string | null {
  const reasons = upstreams.flatMap((upstream) => {
    const { label, pending, deferred } = upstream
    if (pending === 0) return []
    const why = whyPending(upstream) ?? (deferred > 0 ? 'its rate limit is still active' : null)
    return why === null ? [] : [`${label}: ${why}`]
  })
  return reasons.length === 0 ? null : reasons.join('; ')
}

const oneLine = (answer: string | null): string =>
  answer === null || answer.trim() === ''
    ? ''
    : `: ${answer.trim().replaceAll(/\s+/g, ' ').slice(0, MOST_ANSWER_CHARACTERS)}`
