import type { SeenEvent } from '../../verdict/evidence/evidence'
import { judgeAnyTrace } from '../../verdict/expectations/any-trace'
import { paragraphs } from '../../verdict/expectations/explain'
import type { Trace } from '../../verdict/expectations/trace'
import type { Case } from '../../verdict/rules/rule'
import type { ExpectationResult } from '../../verdict/verdict'
import { CollectorError } from '../../wire/errors'
import { pause } from '../clock'
import { appendHint } from '../item-context'
import type { Recording } from '../recording'
import type { SettleOptions } from '../wait-until-settled'

const INCOMPLETE = 'incomplete: '
const POLL_INTERVAL_MS = 25

export interface MatcherState {
  readonly isNot?: boolean
}

/** The result for the runner: with `.not` it fails if `pass` is true. */
export interface MatcherResult {
  readonly pass: boolean
  readonly message: () => string
}

/** Converts an answer for the runner. `incomplete` fails also with `.not`. */
export function resultOf(
  { verdict, message, negatedMessage }: ExpectationResult,
  { isNot = false }: MatcherState,
): MatcherResult {
  if (verdict.verdict === 'incomplete') return { pass: isNot, message: () => message }
  const pass = verdict.verdict === 'pass'
  return { pass, message: () => (pass ? negatedMessage : message) }
}

/**
 * Checks that something is present: retries until it passes or the wait time is over, because pages send telemetry only
 * when they are idle. With `.not` it waits until telemetry settles instead.
 */
export function judgeFound(
  recording: Recording,
  { isNot = false }: MatcherState,
  judge: () => ExpectationResult | Promise<ExpectationResult>,
): Promise<ExpectationResult> {
  return isNot ? judgeSettled(recording, 'pass', judge) : recording.trackExpectation(judgeInTime(recording, judge))
}

async function judgeInTime(
  recording: Recording,
  judge: () => ExpectationResult | Promise<ExpectationResult>,
): Promise<ExpectationResult> {
  const { clock, evidence, waitMs, endReason } = recording
  const until = clock.now() + waitMs
  let read = evidence()
  let answer = await judgedBy(judge)
  while (answer.verdict.verdict !== 'pass' && clock.now() < until && endReason() === null) {
    await pause(clock, POLL_INTERVAL_MS)
    if (evidence() === read) continue
    read = evidence()
    answer = await judgedBy(judge)
  }
  // The time is over: read what is recorded now, without waiting for more.
  return answer.verdict.verdict === 'pass'
    ? answer
    : judgeAfterSettling(recording, 'pass', judge, { keepPages: true, idle: 0 })
}

/**
 * Checks a recording at once, and again when telemetry has settled. If it does not settle, or not everything could be read,
 * the answer is incomplete.
 * @param certain the verdict that later telemetry cannot change, which is returned at once; `null` if it can change each
 * @param settling by default the test's pages are closed first, because they send telemetry while they close
 */
export function judgeSettled(
  recording: Recording,
  certain: 'pass' | 'fail' | null,
  judge: () => ExpectationResult | Promise<ExpectationResult>,
  settling: SettleOptions = { keepPages: false },
): Promise<ExpectationResult> {
  return recording.trackExpectation(judgeAfterSettling(recording, certain, judge, settling))
}

async function judgeAfterSettling(
  recording: Recording,
  certain: 'pass' | 'fail' | null,
  judge: () => ExpectationResult | Promise<ExpectationResult>,
  settling: SettleOptions,
): Promise<ExpectationResult> {
  const atOnce = await judgedBy(judge)
  if (atOnce.verdict.verdict === certain) return atOnce
  const { settled, message: sentence } = await recording.settle(settling)
  // A collector that failed twice is not queried again.
  const answer = !settled && atOnce.message.startsWith(INCOMPLETE) ? atOnce : await judgedBy(judge)
  const doubts = [...new Set([...(settled ? [] : [sentence]), ...recording.gaps()])]
  if (doubts.length === 0 || answer.verdict.verdict === certain)
    return recording.evidence().envelopes.length > 0 ? answer : appendHint(answer, recording.emptyHint)
  const why = doubts.join('; ')
  // The failure is printed too, unless it is the same problem.
  const says = answer.verdict.verdict !== 'pass' && !answer.message.startsWith(INCOMPLETE)
  const also = says ? answer.message.split('\n') : []
  return {
    verdict: { verdict: 'incomplete', why },
    message: paragraphs([[`${INCOMPLETE}${why}`], also]),
    negatedMessage: '',
  }
}

async function judgedBy(judge: () => ExpectationResult | Promise<ExpectationResult>): Promise<ExpectationResult> {
  try {
    return await judge()
  } catch (error) {
    if (!(error instanceof CollectorError)) throw error
    const why = error.message
    return { verdict: { verdict: 'incomplete', why }, message: `${INCOMPLETE}${why}`, negatedMessage: '' }
  }
}

/** @param explain creates the message if none passes */
export function inAnyTrace<One extends ExpectationResult>(
  recording: Recording,
  judge: (trace: Trace) => One,
  explain: (answers: readonly [One, ...One[]]) => string,
): ExpectationResult {
  const evidence = recording.evidence()
  const answer = judgeAnyTrace(evidence, judge, explain)
  const isHinted = answer.verdict.verdict !== 'pass' && evidence.spans.length === 0
  return isHinted ? appendHint(answer, recording.emptyHint) : answer
}

export type WithRecording = Recording | { readonly recording: Recording }

type Fields = Readonly<Record<string, unknown>>
const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null

export const isTrace = (received: unknown): received is Trace =>
  isFields(received) &&
  typeof received.traceId === 'string' &&
  Array.isArray(received.spans) &&
  Array.isArray(received.roots)

export const isEvent = (received: unknown): received is SeenEvent =>
  isFields(received) && typeof received.eventId === 'string' && Array.isArray(received.breadcrumbs)

// Checked by its methods, because each entry of the package has its own copy of this code.
const isRecording = (received: unknown): received is Recording =>
  isFields(received) && typeof received.settle === 'function' && typeof received.evidence === 'function'

export function recordingOf(matcher: string, received: unknown, expected = 'a recording (telemetry)'): Recording {
  if (isRecording(received)) return received
  if (isFields(received) && isRecording(received.recording)) return received.recording
  throw new TypeError(`${matcher}: expect() must receive ${expected}, got ${described(received)}`)
}

/** @throws TypeError for anything but a trace */
export function traceFrom(matcher: string, received: unknown): Trace {
  if (isTrace(received)) return received
  const got = isRecording(received) ? 'a recording; one of its traces is compared' : described(received)
  throw new TypeError(`${matcher}: expect() must receive a trace (await telemetry.trace(…)), got ${got}`)
}

function described(received: unknown): string {
  if (isFields(received) && typeof received.then === 'function') return 'a promise (await it first)'
  if (received === null || received === undefined) return String(received)
  if (Array.isArray(received)) return 'a list'
  return typeof received === 'object' ? 'a different object' : `a ${typeof received}`
}

/** The current input for verdicts on a recording. @throws CollectorError if the collector does not answer */
export async function caseOf(recording: Recording): Promise<Case> {
  const { pages, unnamed } = await recording.limits()
  return {
    evidence: recording.evidence(),
    missing: recording.missingRanges(),
    ...recording.watched(),
    pageLimits: { pages, unnamed },
    collectorUrl: recording.collectorUrl,
  }
}
