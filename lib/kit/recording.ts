import { createAttribution } from '../verdict/evidence/attribution'
import type { Evidence, Submission } from '../verdict/evidence/evidence'
import { accumulateEvidence, decodeSubmission } from '../verdict/evidence/read-evidence'
import { missingRanges } from '../verdict/expectations/gaps'
import { type Trace, traceOf } from '../verdict/expectations/trace'
import type { AllowedError } from '../verdict/expectations/unexpected-errors'
import type { SeenRequest, TimeRange } from '../verdict/rules/rule'
import type { Boards } from '../verdict/verdict'
import type { CollectorClient } from '../wire/collector-client'
import type { RecordedPage } from '../wire/journal'
import type { LimitsNow } from '../wire/limits'
import type { Losses } from '../wire/losses'
import { type Clock, SYSTEM_CLOCK, sentenceOf } from './clock'
import { answered, follow, RETRY_MS, type Upstream, upstreamOf } from './collector'
import { withBoards, withHint } from './item-context'
import { createJudging, createSettle, type Judging, QUIET_MS, type Settled, type SettleOptions } from './settle'
import { checkedStamp, freshHex, type RequestHeaders, requestHeaders } from './stamp-headers'
import { createWaits, WAIT_MS, type WaitFor } from './waits'

/** What is recorded with one stamp, read as it comes. A test has one, and sees nothing of another's. */
export interface Recording {
  readonly stamp: string
  /**
   * Headers that make what a server does in answer to a request the recording's, its errors and spans:
   * `fetch(url, { headers: recording.headers })`. Each time that they are read they begin another trace, so that each
   * request has its own. A server whose SDK continues no trace of others is only known by its stamp (`waystation/server`).
   */
  readonly headers: RequestHeaders
  /** Waits for the first item of a kind that is as wanted: call it before you cause the item, and await it afterwards. */
  readonly waitFor: WaitFor
  /** What came so far. */
  readonly evidence: () => Evidence
  /**
   * The submissions that it was read from, byte for byte, in the order in which they came. One that nobody stamped may
   * have entries of other tests beside this one's: `evidence` is without them.
   */
  readonly submissions: () => readonly Submission[]
  /**
   * A trace, once it is quiet.
   * @param of its id, or any item of it
   * @throws Error where nothing was recorded of it
   */
  readonly trace: (of: string | { readonly traceId: string | null }) => Promise<Trace>
  /**
   * Waits until what was sent has arrived. It always ends, and throws at a wrong argument alone: it says what it waited for.
   */
  readonly settle: (options?: SettleOptions) => Promise<Settled>
  /** What became of what carries the stamp. What only belongs by its trace is in nobody's book but everybody's. */
  readonly losses: () => Promise<Losses>
  /** What upstreams limit, and whether this recording's pages obeyed; `unnamed` is everybody's. */
  readonly limits: () => Promise<LimitsNow>
  /** Upstream, where the collector plays it: limits and answers of the test's choice. */
  readonly upstream: Upstream
  /** Why what was read is not all there was: sentences for a person. Empty where it is. */
  readonly gaps: () => readonly string[]
  /** When what was recorded and could not be read came. */
  readonly unseen: () => readonly TimeRange[]
  /** What was seen beside the record: the browser's own requests, texts on its pages. */
  readonly watched: () => Watched
  /** Errors that are meant to be caused; nobody says so where it is left out. */
  readonly allowed?: () => readonly AllowedError[]
  readonly boards: Boards
  /** Where the collector is; `null` where nobody said. */
  readonly collectorUrl: string | null
  readonly clock: Clock
  /** ms that a wait lasts where it does not say, and for which an expectation looks for what is to be there. */
  readonly waitMs: number
  /** Why nothing more will come; `null` while more may. */
  readonly over: () => string | null
  /** What may be amiss where nothing came: a sentence for a person, `null` where nobody knows. */
  readonly ifNothingCame: string | null
  /** Keeps what judges this, so that closing it waits for that: what nobody awaits is told while its test is there. */
  readonly judging: Judging['keep']
  /** Ends every wait. @returns the words of waits that came to nothing, and that nobody awaited */
  readonly close: () => Promise<readonly string[]>
}

export type RecordingClient = Pick<CollectorClient, 'recorded' | 'losses' | 'limits' | 'standIn' | 'play'>

export interface RecordingPlan {
  readonly client: RecordingClient
  /** @see lib/protocol/stamp */
  readonly stamp: string
  /** Journal number behind which it begins; what is recorded from now on when left out. */
  readonly after?: number
  /** Where the collector is, so that requests to it are known as such. */
  readonly collectorUrl?: string
  /** Where boards are served, for links; nowhere when left out. */
  readonly appUrl?: string | null
  /** ms that a wait lasts where it does not say; 10,000 when left out. */
  readonly waitMs?: number
  /** ms in which nothing may come before it counts as quiet, where nobody says; 300 when left out. */
  readonly quietMs?: number
  /** ms for which a collector that does not answer is asked again; 3,000 when left out. */
  readonly retryMs?: number
  readonly watched?: () => Watched
  readonly ifNothingCame?: string
  /** Aborts, with the sentence as its reason, when it is known that the collector has ended. */
  readonly gone?: AbortSignal
  readonly clock?: Clock
}

const CLOSED =
  'the recording was closed, with its test, before this was judged. Where nobody awaited it, write `await` before expect(…)'

const NOT_ALL_READ = 'the collector did not answer in time what else it has recorded'

const NOT_WATCHED: Watched = { requests: null, fallbacks: null }

/**
 * Opens a recording: from here on it follows the collector by one open request, until it is closed.
 * @throws TypeError where the stamp is none; CollectorError where nobody answers
 */
export async function openRecording(plan: RecordingPlan): Promise<Recording> {
  const { client, clock = SYSTEM_CLOCK, waitMs = WAIT_MS, ifNothingCame = null } = plan
  const stamp = checkedStamp(plan.stamp)
  const boards: Boards = { appUrl: plan.appUrl ?? null }
  const after = plan.after ?? (await answered(clock, (signal) => client.recorded({ limit: 0, signal }))).journal
  const attribution = createAttribution(stamp)
  const evidence = accumulateEvidence()
  const submissions: Submission[] = []
  const unreadable = new Map<number, string>()
  let lastCame: number | null = null
  let isAllRead = true
  let isClosed = false
  const judging = createJudging()

  const take = ({ recorded, damaged }: Pick<RecordedPage, 'recorded' | 'damaged'>): void => {
    for (const seq of damaged) unreadable.set(seq, `the bytes of envelope ${seq} cannot be read any more`)
    for (const one of recorded) {
      const belonging = read(decodeSubmission(one))
      if (belonging.length === 0) continue
      lastCame = clock.now()
      for (const part of belonging) {
        if (!part.replaces) submissions.push(part.submission)
        evidence.add(part.evidence, part.replaces)
        waits.came(part.added)
      }
    }
  }
  const read = (submission: Submission): ReturnType<typeof attribution.add> => {
    try {
      return attribution.add(submission)
    } catch (error) {
      unreadable.set(submission.seq, `envelope ${submission.seq} cannot be read: ${sentenceOf(error)}`)
      return []
    }
  }
  const waits = createWaits({
    clock,
    defaultMs: waitMs,
    evidence: evidence.all,
    boards,
    ifNothingCame,
    emptyCollector: after === 0 ? (plan.collectorUrl ?? null) : null,
  })
  const follower = follow({
    client,
    stamp,
    after,
    clock,
    retryMs: plan.retryMs ?? RETRY_MS,
    take,
    onLost: (why) => waits.endAll(`nothing more can be read: ${why}`),
    gone: plan.gone,
  })
  const over = (): string | null => {
    const lost = follower.lost()
    if (lost !== null) return `nothing more can be read: ${lost}`
    return isClosed ? CLOSED : null
  }
  const settle = createSettle({
    follower,
    over,
    clock,
    lastCame: () => lastCame,
    defaultQuiet: plan.quietMs ?? QUIET_MS,
    onRead: (isAll) => {
      isAllRead = isAll
    },
  })

  return {
    stamp,
    get headers() {
      const traceId = freshHex()
      attribution.addTrace(traceId)
      return requestHeaders(stamp, traceId)
    },
    waitFor: waits.waitFor,
    evidence: evidence.all,
    submissions: () => [...submissions].sort((one, other) => one.journal - other.journal),
    trace: async (of) => {
      const traceId = traceIdOf(of)
      const { sentence } = await settle()
      const trace = traceOf(evidence.all(), traceId)
      const hint = ifNothingCame === null ? '' : `\n${ifNothingCame}`
      if (trace === null)
        throw new Error(`nothing was recorded of trace ${traceId} with stamp ${stamp} (${sentence})${hint}`)
      return withHint(withBoards(trace, boards), ifNothingCame)
    },
    settle,
    losses: () => answered(clock, (signal) => client.losses({ stamp, signal })),
    limits: async () => {
      const now = await answered(clock, client.limits)
      const own = new Set(evidence.all().envelopes.map(({ page }) => page))
      return { ...now, pages: now.pages.filter(({ page }) => own.has(page)) }
    },
    upstream: upstreamOf(client, clock),
    gaps: () => {
      const lost = follower.lost()
      const letGo = attribution.dropped()
      return [
        ...(lost === null ? [] : [`nothing more can be read: ${lost}`]),
        ...(lost === null && !isAllRead ? [NOT_ALL_READ] : []),
        ...unreadable.values(),
        ...(letGo === 0
          ? []
          : [`${letGo} unstamped submissions were let go before a stamped one spoke for all that is in them`]),
      ]
    },
    unseen: () => missingRanges(evidence.all(), { olderUntil: null, damaged: [...unreadable.keys()] }),
    watched: plan.watched ?? (() => NOT_WATCHED),
    boards,
    collectorUrl: plan.collectorUrl ?? null,
    clock,
    waitMs,
    over,
    ifNothingCame,
    judging: judging.keep,
    close: async () => {
      isClosed = true
      waits.endAll('the recording was closed before it came')
      await follower.close()
      await judging.none()
      return waits.unawaited()
    },
  }
}

/** @throws TypeError where it is neither an id nor of a trace */
function traceIdOf(of: unknown): string {
  const meant = "the id of a trace, or an item of one: await telemetry.waitFor.transaction({ name: '/cart' })"
  if (typeof of === 'string') return of
  if (typeof of !== 'object' || of === null || !('traceId' in of))
    throw new TypeError(
      `trace: ${of instanceof Object ? 'an object without traceId' : of} was given, and is meant as ${meant}`,
    )
  if (typeof of.traceId === 'string') return of.traceId
  throw new TypeError(`trace: what was given is of no trace, its traceId is ${of.traceId}; it is meant as ${meant}`)
}

/** What was seen beside the record, by whoever drives a browser. `null` where nobody watched. */
interface Watched {
  readonly requests: readonly SeenRequest[] | null
  /** Text of error fallbacks that stood on pages. */
  readonly fallbacks: readonly { readonly pageUrl: string; readonly text: string }[] | null
}
