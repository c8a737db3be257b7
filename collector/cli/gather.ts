import { plural } from '../../lib/format'
import { runWithTimeout } from '../../lib/time'
import { createAttribution } from '../../lib/verdict/evidence/attribution'
import type { Evidence, Submission } from '../../lib/verdict/evidence/evidence'
import { decodeSubmission, mergeEvidence, readEvidence } from '../../lib/verdict/evidence/read-evidence'
import { gapsOf, missingRanges } from '../../lib/verdict/expectations/gaps'
import { lossesInWindow } from '../../lib/verdict/expectations/losses-of-window'
import type { Case } from '../../lib/verdict/rules/rule'
import type { CollectorClient } from '../../lib/wire/collector-client'
import type { Losses } from '../../lib/wire/losses'
import type { Overview } from '../../lib/wire/overview'
import { ANSWER_TIMEOUT_MS } from './asked-collector'
import { momentOf } from './moment-of'
import { readDeliveryStatuses } from './read-delivery-statuses'
import { whyAllPending } from './why-pending'

/** So much is judged at once, the newest: what is read of it takes several times its bytes. */
const MOST_JUDGED = { submissions: 20_000, bytes: 128 * 1024 * 1024 } as const
const PAGE = 500

/** All that is judged. */
export interface Gathered {
  readonly given: Case
  /** Of the whole record, or of what is judged of it. */
  readonly losses: Losses
  /** Why upstream has not taken what it is pending; `null` where nothing says so. */
  readonly pendingBecause: string | null
  /** The newest fact when reading began: what came later is not judged. */
  readonly journal: number
  /** Why what was recorded is not whole. */
  readonly gaps: readonly string[]
}

export interface GatherPlan {
  readonly client: Pick<
    CollectorClient,
    'recorded' | 'overview' | 'storage' | 'limits' | 'losses' | 'facts' | 'envelopes' | 'envelope'
  >
  readonly collectorUrl: string
  readonly stamp: string | null
  /** Journal number behind which it begins; `null` from the beginning. */
  readonly after: number | null
  readonly stop: AbortSignal
  readonly onProgress: (done: number, of: number) => void
  readonly most?: { readonly submissions: number; readonly bytes: number }
  /** For each answer, in ms. */
  readonly timeoutMs?: number
}

/** Reads what a collector has recorded up to now. @throws what the client throws */
export async function gather(plan: GatherPlan): Promise<Gathered> {
  const { client, collectorUrl, stamp, after } = plan
  const ask = askerOf(plan)
  const read = await readRecord(plan, ask)
  const [overview, storage, limits, books] = await Promise.all([
    ask(client.overview),
    ask(client.storage),
    ask(client.limits),
    after === null ? ask((signal) => client.losses({ signal, ...(stamp === null ? {} : { stamp }) })) : null,
  ])
  const look = { overview, storage }
  const { evidence } = read
  const { losses, withoutStatus } =
    books === null ? await lossesOfPart(evidence, plan, overview, ask) : { losses: books, withoutStatus: 0 }
  // Where the journal no longer tells when that was, it was before the first that is here.
  const since =
    after === null || after === 0
      ? null
      : ((await ask((signal) => momentOf(after, client, signal))) ?? evidence.envelopes[0]?.receivedAt ?? null)
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
      limits: { ...limits, pages: isPart ? limits.pages.filter(({ page }) => pages.has(page)) : limits.pages },
      collectorUrl,
    },
    losses,
    pendingBecause: whyAllPending(overview.upstreams),
    journal: read.journal,
    gaps: [
      // Of a part of the record only the journal knows what happened in it.
      ...gapsOf({ before: after === null ? null : look, after: look, pages: read.pages, skipped: read.leftOut }),
      ...(read.letGo === 0
        ? []
        : [`${plural(read.letGo, 'submission')} without a stamp could not be kept until it was known whose they are`]),
      ...(withoutStatus === 0 ? [] : [`what became of ${plural(withoutStatus, 'envelope')} nobody tells any more`]),
      ...(after === null ? [] : await gapsBehind(after, client, ask)),
    ],
  }
}

/** Books are of the whole record: of a part of it each envelope is asked what became of it. */
async function lossesOfPart(evidence: Evidence, { client, stamp }: GatherPlan, { now, journal }: Overview, ask: Ask) {
  const seqs = evidence.envelopes.map(({ seq }) => seq)
  return lossesInWindow(evidence, await readDeliveryStatuses(seqs, client, ask), { now, journal, stamp })
}

/** Asks one question, and waits so long for its answer. */
type Ask = <Answer>(question: (signal: AbortSignal) => Promise<Answer>) => Promise<Answer>

const askerOf =
  ({ stop, timeoutMs = ANSWER_TIMEOUT_MS }: GatherPlan): Ask =>
  (question) =>
    runWithTimeout(timeoutMs, stop, question)

interface ReadRecord {
  /** In the order in which it came. */
  readonly evidence: Evidence
  readonly pages: readonly { readonly damaged: number[] }[]
  readonly leftOut: number
  /** When the newest of those came, ms since the epoch. */
  readonly leftOutUntil: number | null
  readonly letGo: number
  readonly journal: number
}

async function readRecord(plan: GatherPlan, ask: Ask): Promise<ReadRecord> {
  const { client, stamp, onProgress, most = MOST_JUDGED } = plan
  const mine = stamp === null ? null : createAttribution(stamp)
  const filter = stamp === null ? {} : { stamp, unstamped: true }
  const pages: { readonly damaged: number[] }[] = []
  /** In the order in which they came, with what belongs of each; `null` where all of it does. */
  const kept = new Map<Submission, Evidence | null>()
  let bytes = 0
  let leftOut = 0
  let leftOutUntil: number | null = null
  let head: number | null = null
  for (let after = plan.after ?? 0; head === null || after < head; ) {
    const from = after
    const page = await ask((signal) => client.recorded({ after: from, limit: PAGE, signal, ...filter }))
    // What arrives while it is read is not waited for: a busy collector would be read for ever.
    head ??= page.journal
    pages.push({ damaged: page.damaged })
    for (const recorded of page.recorded) {
      const submission = decodeSubmission(recorded)
      const belonging = mine === null ? [{ submission, evidence: null, again: false }] : mine.add(submission)
      for (const one of belonging) {
        // It was left out already.
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
    mine === null
      ? readEvidence([...kept.keys()])
      : mergeEvidence([...kept.values()].flatMap((evidence) => evidence ?? []))
  return { evidence, pages, leftOut, leftOutUntil, letGo: mine?.dropped() ?? 0, journal: head ?? 0 }
}

const MOST_PAGES_OF_FACTS = 200

/** What the journal tells of a part of the record: sums of the whole record do not say what happened in it. */
async function gapsBehind(
  after: number,
  { facts }: Pick<CollectorClient, 'facts'>,
  ask: Ask,
): Promise<readonly string[]> {
  const seen = { refused: 0, evicted: 0, cleared: 0 }
  let from = after
  for (let pages = 0; pages < MOST_PAGES_OF_FACTS; pages += 1) {
    const behind = from
    const page = await ask((signal) => facts(behind, 0, signal))
    if (pages === 0 && page.oldest > after + 1) return ['the journal no longer tells all that happened since then']
    for (const { kind } of page.facts)
      if (kind === 'refused' || kind === 'evicted' || kind === 'cleared') seen[kind] += 1
    if (page.next <= from) break
    from = page.next
  }
  return [
    ...(seen.refused === 0 ? [] : ['envelopes were refused at the endpoint since then']),
    ...(seen.evicted === 0 ? [] : ['submissions made room for newer ones since then: raise WAYSTATION_MAX_DISK']),
    ...(seen.cleared === 0 ? [] : ['what was recorded was cleared since then']),
  ]
}
