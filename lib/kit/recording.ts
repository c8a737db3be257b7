import { createHash } from 'node:crypto'
import type { StoredSubmission } from '../protocol/submission'
import { createAttribution } from '../verdict/evidence/attribution'
import type { Evidence } from '../verdict/evidence/evidence'
import { accumulateEvidence, decodeSubmission } from '../verdict/evidence/read-evidence'
import { missingRanges } from '../verdict/expectations/gaps'
import { writeTestLimit } from '../verdict/expectations/limited-tests'
import { writeTestAllows } from '../verdict/expectations/test-allows'
import { type Trace, traceOf } from '../verdict/expectations/trace'
import { type AllowedError, checkAllowed } from '../verdict/expectations/unexpected-errors'
import type { SeenRequest, TimeRange } from '../verdict/rules/rule'
import type { Boards, Verdict } from '../verdict/verdict'
import type { CollectorClient } from '../wire/collector-client'
import { CollectorError } from '../wire/errors'
import type { RecordedPage } from '../wire/journal'
import type { LimitsNow } from '../wire/limits'
import type { Losses } from '../wire/losses'
import { type Clock, errorMessage, SYSTEM_CLOCK } from './clock'
import { follow, RETRY_MS, type Upstream, upstreamOf, withAnswerTimeout } from './collector'
import { errorHints } from './error-hints'
import { attachBoards, attachDoubts, attachHint } from './item-context'
import type { RunEntry } from './run-file'
import { type ReadSource, sourceReader } from './source-frame'
import { type RequestHeaders, randomTraceId, requestHeaders, requireStamp } from './stamp-headers'
import {
  createWaitUntilSettled,
  type ExpectationTracker,
  IDLE_MS,
  type Settled,
  type SettleOptions,
  trackExpectations,
} from './wait-until-settled'
import { createWaits, WAIT_MS, type WaitFor } from './waits'

/** The telemetry of one stamp, read as it arrives. Each test has its own and does not see others. */
export interface Recording {
  readonly stamp: string
  /**
   * Headers for a request, which assign the server's errors and spans to this recording:
   * `fetch(url, { headers: recording.headers })`. Each access starts a new trace. A server that does not continue traces
   * needs `waystation/server`.
   */
  readonly headers: RequestHeaders
  /**
   * Waits for the first matching item of a kind since the test began. Call it before the action that causes the item, and
   * await it afterwards.
   */
  readonly waitFor: WaitFor
  /** The telemetry that arrived so far. */
  readonly evidence: () => Evidence
  /**
   * The received submissions, byte for byte, in order of arrival. An unstamped one may contain entries of other tests,
   * which `evidence` leaves out.
   */
  readonly submissions: () => readonly StoredSubmission[]
  /**
   * Returns a trace after telemetry has settled.
   * @param of its id, or any item with its id
   * @throws Error if nothing was recorded of it
   */
  readonly trace: (of: string | { readonly traceId: string | null }) => Promise<Trace>
  /** Waits until telemetry settles. Ends after a time-out at the latest; throws only for invalid arguments. */
  readonly settle: (options?: SettleOptions) => Promise<Settled>
  /** The losses of submissions with the stamp. Unstamped ones count only in the totals of the whole record. */
  readonly losses: () => Promise<Losses>
  /** Rate limits of upstreams and of this recording, and whether its pages obeyed. `unnamed` covers all recordings. */
  readonly limits: () => Promise<LimitsNow>
  /** Scripts the stand-in upstream: limits and answers. */
  readonly upstream: Upstream
  /** Reasons why telemetry may be missing; empty without any. */
  readonly gaps: () => readonly string[]
  /** Time ranges of submissions that could not be read. */
  readonly missingRanges: () => readonly TimeRange[]
  /** Browser requests and error fallbacks that the test runner observed. */
  readonly watched: () => Watched
  /** Allows an error that the test causes on purpose. `waystation run` does not judge it either. */
  readonly allow: (error: AllowedError['error']) => void
  readonly allowed: () => readonly AllowedError[]
  /** Reports errors to `waystation run` that a matcher allowed, and allows nothing else. */
  readonly reportAllowed: (entries: readonly AllowedError[]) => void
  /** For each unexpected error of a verdict: the line of the user's code, and a call that allows the error. */
  readonly errorHints: (verdict: Verdict) => Promise<readonly string[]>
  readonly boards: Boards
  /** Address of the collector; `null` if unknown. */
  readonly collectorUrl: string | null
  readonly clock: Clock
  /** Default time-out of waits and of expectations that retry, in ms. */
  readonly waitMs: number
  /** Why no more telemetry will arrive; `null` while it may. */
  readonly endReason: () => string | null
  /** A hint to print if nothing arrived. */
  readonly emptyHint: string | null
  /** Assigns an envelope that a page posted, also if it arrives without the stamp, as at another origin. */
  readonly addPost: (body: Uint8Array) => void
  /** Registers a running expectation: `close` waits for it, so that a missing `await` is reported within the test. */
  readonly trackExpectation: ExpectationTracker['keep']
  /** Ends every wait. @returns the messages of failed waits that were never awaited */
  readonly close: () => Promise<readonly string[]>
}

export type RecordingClient = Pick<
  CollectorClient,
  'recorded' | 'losses' | 'limits' | 'standIn' | 'play' | 'flushServices'
>

export interface RecordingPlan {
  readonly client: RecordingClient
  /** Its format is in `lib/protocol/request.ts`. */
  readonly stamp: string
  /** Journal number after which it starts; by default the current head. */
  readonly after?: number
  readonly collectorUrl?: string
  readonly appUrl?: string | null
  /** Default time-out of waits in ms; 10,000 by default. */
  readonly waitMs?: number
  /** ms without new telemetry after which it counts as settled; 300 by default. */
  readonly idleMs?: number
  /** How long to retry requests to the collector, in ms; 3,000 by default. */
  readonly retryMs?: number
  readonly watched?: () => Watched
  /** When the running test began, in ms since the epoch; `null` outside a test, and by default. Waits match from then on. */
  readonly startedAt?: () => number | null
  readonly emptyHint?: string
  /** Errors that are allowed from the start. */
  readonly allow?: readonly AllowedError[]
  /** The name of the recording in examples of failures: `telemetry`, or by default `recording`. */
  readonly variable?: string
  /** Reads scripts and source maps; by default files only. */
  readonly readSource?: ReadSource
  /** Appends an entry to the file of `waystation run`. @see appendToRunFile */
  readonly report?: (entry: RunEntry) => void
  /** Aborts when the collector process has ended, with the message as its reason. */
  readonly gone?: AbortSignal
  readonly clock?: Clock
}

const CLOSED = 'the recording was closed with its test before this was checked; write `await` before expect(…)'

const NOT_ALL_READ = 'the collector did not return all recorded telemetry in time'

const NOT_WATCHED: Watched = { requests: null, fallbacks: null }

/** Opens a recording. @throws TypeError for an invalid stamp; CollectorError if the collector does not answer */
export async function openRecording(plan: RecordingPlan): Promise<Recording> {
  const { client, clock = SYSTEM_CLOCK, waitMs = WAIT_MS, emptyHint = null } = plan
  const stamp = requireStamp(plan.stamp)
  const boards: Boards = { appUrl: plan.appUrl ?? null }
  const after =
    plan.after ?? (await withAnswerTimeout(clock, (signal) => client.recorded({ limit: 0, signal }))).journal
  const attribution = createAttribution(stamp, undefined, digestOf)
  const evidence = accumulateEvidence()
  const submissions: StoredSubmission[] = []
  const unreadable = new Map<number, string>()
  let lastCame: number | null = null
  let isAllRead = true
  let isClosed = false
  let isReported = false
  const expectations = trackExpectations()
  const allowed: AllowedError[] = [...(plan.allow ?? [])]
  const allowedByMatchers: AllowedError[] = []
  const ownTraces: string[] = []

  const take = ({ recorded, damaged }: Pick<RecordedPage, 'recorded' | 'damaged'>): void => {
    for (const seq of damaged) unreadable.set(seq, `envelope ${seq} cannot be read: its bytes on disk are damaged`)
    for (const one of recorded) takeParts(read(decodeSubmission(one)))
  }
  const takeParts = (belonging: ReturnType<typeof attribution.add>): void => {
    if (belonging.length > 0) lastCame = clock.now()
    for (const part of belonging) {
      if (!part.replaces) submissions.push(part.submission)
      evidence.add(part.evidence, part.replaces)
      waits.notify(part.added)
    }
  }
  const read = (submission: StoredSubmission): ReturnType<typeof attribution.add> => {
    try {
      return attribution.add(submission)
    } catch (error) {
      unreadable.set(submission.seq, `envelope ${submission.seq} cannot be read: ${errorMessage(error)}`)
      return []
    }
  }
  const waits = createWaits({
    clock,
    defaultMs: waitMs,
    evidence: evidence.all,
    startedAt: plan.startedAt ?? (() => null),
    boards,
    emptyHint,
    emptyCollector: after === 0 ? (plan.collectorUrl ?? null) : null,
  })
  const follower = follow({
    client,
    stamp,
    after,
    clock,
    retryMs: plan.retryMs ?? RETRY_MS,
    take,
    onLost: (why) => waits.endAll(`reading from the collector failed: ${why}`),
    gone: plan.gone,
  })
  const endReason = (): string | null => {
    const lost = follower.lost()
    if (lost !== null) return `reading from the collector failed: ${lost}`
    return isClosed ? CLOSED : null
  }
  const gaps = (): readonly string[] => {
    const lost = follower.lost()
    const dropped = attribution.dropped()
    return [
      ...(lost === null ? [] : [`reading from the collector failed: ${lost}`]),
      ...(lost === null && !isAllRead ? [NOT_ALL_READ] : []),
      ...unreadable.values(),
      ...(dropped === 0 ? [] : [`${dropped} unstamped submissions were dropped before their traces could be assigned`]),
    ]
  }
  const waitUntilSettled = createWaitUntilSettled({
    follower,
    flush: async (until) => {
      try {
        await client.flushServices(until)
      } catch (error) {
        // The next read reports a collector that does not answer.
        if (!(error instanceof CollectorError) && !until.aborted) throw error
      }
    },
    endReason,
    clock,
    lastCame: () => lastCame,
    defaultIdle: plan.idleMs ?? IDLE_MS,
    onRead: (isAll) => {
      isAllRead = isAll
    },
  })

  return {
    stamp,
    get headers() {
      const traceId = randomTraceId()
      ownTraces.push(traceId)
      attribution.addTrace(traceId)
      return requestHeaders(stamp, traceId)
    },
    waitFor: waits.waitFor,
    evidence: evidence.all,
    submissions: () => [...submissions].sort((one, other) => one.journal - other.journal),
    trace: async (of) => {
      const traceId = traceIdOf(of)
      const { settled, message } = await waitUntilSettled()
      const trace = traceOf(evidence.all(), traceId)
      const hint = emptyHint === null ? '' : `\n${emptyHint}`
      if (trace === null) throw new Error(`trace ${traceId} was not recorded with stamp ${stamp} (${message})${hint}`)
      attachDoubts(trace, [...(settled ? [] : [message]), ...gaps()])
      return attachHint(attachBoards(trace, boards), emptyHint)
    },
    settle: waitUntilSettled,
    losses: () => withAnswerTimeout(clock, (signal) => client.losses({ stamp, signal })),
    limits: async () => {
      const now = await withAnswerTimeout(clock, client.limits)
      const own = new Set(evidence.all().envelopes.map(({ page }) => page))
      const limits = now.limits.filter((limit) => limit.stamp === undefined || limit.stamp === stamp)
      return { ...now, limits, pages: now.pages.filter(({ page }) => own.has(page)) }
    },
    upstream: upstreamOf(client, { clock, stamp, onLimit: () => plan.report?.(writeTestLimit(stamp)) }),
    gaps,
    missingRanges: () => missingRanges(evidence.all(), { olderUntil: null, damaged: [...unreadable.keys()] }),
    watched: plan.watched ?? (() => NOT_WATCHED),
    allow: (error) => {
      checkAllowed({ error })
      allowed.push({ error })
    },
    allowed: () => allowed,
    reportAllowed: (entries) => {
      allowedByMatchers.push(...entries)
    },
    errorHints: (verdict) =>
      errorHints(verdict, {
        events: evidence.all().events,
        readSource: plan.readSource ?? sourceReader([], fetch),
        variable: plan.variable ?? 'recording',
      }),
    boards,
    collectorUrl: plan.collectorUrl ?? null,
    clock,
    waitMs,
    endReason,
    emptyHint,
    addPost: (body) => {
      if (!isClosed) takeParts(attribution.addPost(digestOf(body)))
    },
    trackExpectation: expectations.keep,
    close: async () => {
      isClosed = true
      waits.endAll('the recording was closed before a match arrived')
      await follower.close()
      await expectations.none()
      const allow = [...allowed, ...allowedByMatchers]
      if (allow.length > 0 && !isReported)
        plan.report?.(writeTestAllows({ stamp, traces: [...attribution.postedTraces(), ...ownTraces], allow }))
      isReported = true
      return waits.unawaited()
    },
  }
}

const digestOf = (body: Uint8Array): string => createHash('sha256').update(body).digest('base64')

function traceIdOf(of: unknown): string {
  const valid = "a trace id or an item with one, such as await telemetry.waitFor.transaction({ name: '/cart' })"
  if (typeof of === 'string') return of
  if (typeof of !== 'object' || of === null || !('traceId' in of))
    throw new TypeError(
      `trace: the argument must be ${valid}, got ${of instanceof Object ? 'an object without traceId' : of}`,
    )
  if (typeof of.traceId === 'string') return of.traceId
  throw new TypeError(`trace: the argument must be ${valid}, got an item with traceId ${of.traceId}`)
}

interface Watched {
  readonly requests: readonly SeenRequest[] | null
  readonly fallbacks: readonly { readonly pageUrl: string; readonly text: string }[] | null
}
