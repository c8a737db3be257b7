import type { SeenEvent } from '../../verdict/evidence/evidence'
import { arrivedLines, paragraphs } from '../../verdict/expectations/explain'
import { type Trace, tracesOf, unfinishedReason } from '../../verdict/expectations/trace'
import type { Case } from '../../verdict/rules/rule'
import type { Answer } from '../../verdict/verdict'
import { CollectorError } from '../../wire/errors'
import { pause } from '../clock'
import { saying } from '../item-context'
import type { Recording } from '../recording'
import type { SettleOptions } from '../settle'

const NOT_JUDGED = 'this cannot be judged: '
/** So often it is looked whether anything came. */
const LOOK_AGAIN_MS = 25

/** What a runner says of the expectation that it asks for, as `this`. */
export interface MatcherState {
  readonly isNot?: boolean
}

/** What a runner is answered: with `.not` it fails where `pass` is true. */
export interface MatcherResult {
  readonly pass: boolean
  readonly message: () => string
}

/** An answer as runners take it. What could not be judged fails both ways. */
export function resultOf(
  { verdict, message: told, negatedMessage }: Answer,
  { isNot = false }: MatcherState,
): MatcherResult {
  if (verdict.verdict === 'incomplete') return { pass: isNot, message: () => told }
  const pass = verdict.verdict === 'pass'
  return { pass, message: () => (pass ? negatedMessage : told) }
}

/**
 * Looks for what is to be there, as long as a wait lasts and at once where it is: what a page tells of itself comes when it
 * has been idle. What is to be absent is judged when it is quiet.
 */
export function judgeFound(
  recording: Recording,
  { isNot = false }: MatcherState,
  judge: () => Answer | Promise<Answer>,
): Promise<Answer> {
  return isNot ? judgeSettled(recording, 'pass', judge) : recording.judging(judgeInTime(recording, judge))
}

async function judgeInTime(recording: Recording, judge: () => Answer | Promise<Answer>): Promise<Answer> {
  const { clock, evidence, waitMs, over } = recording
  const until = clock.now() + waitMs
  let read = evidence()
  let answer = await judgedBy(judge)
  while (answer.verdict.verdict !== 'pass' && clock.now() < until && over() === null) {
    await pause(clock, LOOK_AGAIN_MS)
    if (evidence() === read) continue
    read = evidence()
    answer = await judgedBy(judge)
  }
  // Its time is over: what is recorded by now is read, and nothing more is waited for.
  return answer.verdict.verdict === 'pass'
    ? answer
    : judgeQuiet(recording, 'pass', judge, { keepPages: true, quiet: 0 })
}

/**
 * Judges a recording, again and again where that may change the answer: at once, and when it is quiet. What is doubtful
 * because more may come, or because not all could be read, is incomplete.
 * @param certain the verdict that nothing can change that comes later: what was found is there, and what was lost is lost
 * @param settling the test's pages are closed first, for what they send while they close, unless it says otherwise
 */
export function judgeSettled(
  recording: Recording,
  certain: 'pass' | 'fail',
  judge: () => Answer | Promise<Answer>,
  settling: SettleOptions = { keepPages: false },
): Promise<Answer> {
  return recording.judging(judgeQuiet(recording, certain, judge, settling))
}

async function judgeQuiet(
  recording: Recording,
  certain: 'pass' | 'fail',
  judge: () => Answer | Promise<Answer>,
  settling: SettleOptions,
): Promise<Answer> {
  const atOnce = await judgedBy(judge)
  if (atOnce.verdict.verdict === certain) return atOnce
  const { settled, sentence } = await recording.settle(settling)
  // Of a collector that answered neither, a third answer is not waited for.
  const answer = !settled && atOnce.message.startsWith(NOT_JUDGED) ? atOnce : await judgedBy(judge)
  const doubts = [...new Set([...(settled ? [] : [sentence]), ...recording.gaps()])]
  if (doubts.length === 0 || answer.verdict.verdict === certain)
    return recording.evidence().envelopes.length > 0 ? answer : saying(answer, recording.ifNothingCame)
  const why = doubts.join('; ')
  // What it would be without the doubt is told all the same, where that is more than the same mishap.
  const says = answer.verdict.verdict !== 'pass' && !answer.message.startsWith(NOT_JUDGED)
  const also = says ? answer.message.split('\n') : []
  return {
    verdict: { verdict: 'incomplete', why },
    message: paragraphs([[`${NOT_JUDGED}${why}`], also]),
    negatedMessage: '',
  }
}

async function judgedBy(judge: () => Answer | Promise<Answer>): Promise<Answer> {
  try {
    return await judge()
  } catch (error) {
    if (!(error instanceof CollectorError)) throw error
    const why = error.message
    return { verdict: { verdict: 'incomplete', why }, message: `${NOT_JUDGED}${why}`, negatedMessage: '' }
  }
}

/**
 * Judges each trace of a recording, up to the first that has it: what is looked for may be in any of them.
 * @param words are told where none has it, and made once
 */
export function inAnyTrace<Told extends Answer>(
  recording: Recording,
  judge: (trace: Trace) => Told,
  words: (answers: readonly [Told, ...Told[]]) => string,
): Answer {
  const evidence = recording.evidence()
  const traces = tracesOf(evidence)
  const hint = evidence.spans.length > 0 ? null : recording.ifNothingCame
  // One that an error alone tells of makes nothing unsure that others tell of.
  const telling = traces.filter((trace) => trace.spans.length > 0 || unfinishedReason(trace) !== null)
  const answers: Told[] = []
  for (const trace of telling.length > 0 ? telling : traces) {
    const answer = judge(trace)
    if (answer.verdict.verdict === 'pass') return answer
    answers.push(answer)
  }
  const [first, ...rest] = answers
  if (first === undefined) {
    const why = 'no trace was recorded'
    const told = paragraphs([[why], arrivedLines(evidence)])
    return saying({ verdict: { verdict: 'incomplete', why }, message: told, negatedMessage: '' }, hint)
  }
  // One that is not whole may have it still.
  const { verdict } = answers.find((one) => one.verdict.verdict === 'incomplete') ?? first
  return saying({ verdict, message: words([first, ...rest]), negatedMessage: '' }, hint)
}

/** A recording, or something that holds one. */
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

// By what it can do, not by its class: each entry of the package has its own copy of this code.
const isRecording = (received: unknown): received is Recording =>
  isFields(received) && typeof received.settle === 'function' && typeof received.evidence === 'function'

/** @throws TypeError where it is none, with what it is */
export function recordingOf(matcher: string, received: unknown, meant = 'a recording (telemetry)'): Recording {
  if (isRecording(received)) return received
  if (isFields(received) && isRecording(received.recording)) return received.recording
  throw new TypeError(`${matcher}: expect() was given ${described(received)}, and is meant to be given ${meant}`)
}

function described(received: unknown): string {
  if (isFields(received) && typeof received.then === 'function') return 'a promise (await it first)'
  if (received === null || received === undefined) return String(received)
  if (Array.isArray(received)) return 'a list'
  return typeof received === 'object' ? 'an object of another kind' : `a ${typeof received}`
}

/** All that verdicts on a recording may rest on, as it is now. @throws CollectorError where nobody answers */
export async function caseOf(recording: Recording): Promise<Case> {
  const { pages, unnamed } = await recording.limits()
  return {
    evidence: recording.evidence(),
    missing: recording.unseen(),
    ...recording.watched(),
    limits: { pages, unnamed },
    collectorUrl: recording.collectorUrl,
  }
}
