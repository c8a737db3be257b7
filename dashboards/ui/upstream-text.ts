import { plural } from '../../lib/format'
import { isPassing } from '../../lib/protocol/upstream-answer'
import type { Limit } from '../../lib/wire/limits'
import { type Overview, strandedSentence, type UpstreamState } from '../../lib/wire/overview'
import { printable } from './printable'
import { formatWhen } from './times'

/** So much of upstream’s words fits into a sentence of ours; the whole is with the attempt. */
const SAID = 200

/** What an answer that pauses an upstream says of the DSN. */
function pauseCause(status: number): string {
  if (status === 404) return 'knows no such project'
  if (status >= 300 && status < 400) return 'redirects elsewhere, which is not followed'
  return 'refuses the key'
}

/** What a paused upstream said, quoted; `null` where it said nothing. */
function saidWords(answer: string | null): string | null {
  const said = printable((answer ?? '').trim())
  if (said === '') return null
  return `“${said.length > SAID ? `${said.slice(0, SAID)}…` : said}”`
}

/** Why an upstream is paused, in its own words, and that nothing is lost of it. */
export function pausedText(upstream: Pick<UpstreamState, 'pending' | 'paused'>): string {
  const { paused, pending } = upstream
  const waits =
    pending === 0
      ? 'Nothing is pending.'
      : `Nothing is lost: ${plural(pending, 'envelope')} ${pending === 1 ? 'waits' : 'wait'}.`
  if (paused === null) return waits
  const said = saidWords(paused.answer)
  return `It ${pauseCause(paused.status)}: answered ${paused.status}${said === null ? '' : `, ${said}`}. ${waits}`
}

/** When a paused upstream is asked again. */
export const probeText = (retryAt: number | null, nowMs: number): string => `Next probe ${formatWhen(retryAt, nowMs)}.`

/** What an upstream is waited for, and that all is kept. */
export const unansweredText = ({ pending, last }: Pick<UpstreamState, 'pending' | 'last'>): string =>
  `${waitedFor(last)}; ${plural(pending, 'envelope')} kept on disk.`

function waitedFor(last: UpstreamState['last']): string {
  if (last === null) return 'It does not answer'
  const { status } = last
  const error = last.error === null ? null : printable(last.error)
  // With an answer only what came of it can have failed, and that is ours.
  if (status !== null && error !== null) return `It answered ${status}, but ${error}`
  if (error !== null) return `${error.charAt(0).toUpperCase()}${error.slice(1)}`
  if (status === null) return 'It does not answer'
  // Others were on their way when one failed, and may have been answered since.
  return isPassing(status) ? `It answered ${status}: not just now` : 'It does not take every post'
}

/** When one that does not answer is tried again. */
export const retryText = (retryAt: number | null, nowMs: number): string => `Next try ${formatWhen(retryAt, nowMs)}.`

export const deadLetterText = (count: number): string =>
  `${plural(count, 'envelope')} ${count === 1 ? 'was' : 'were'} refused for what ${count === 1 ? 'it is and waits' : 'they are and wait'} for you: send again, or drop.`

export const strandedText = (stranded: Overview['stranded'][number]): string =>
  `${printable(strandedSentence(stranded))}.`

export interface UpstreamText {
  /** Two or three words for the state. */
  readonly state: string
  readonly tone: 'good' | 'quiet' | 'warn' | 'bad'
  /** What it means right now, in a sentence or two. */
  readonly detail: string
  /** What waits for something else than its turn, one sentence each, and where to see it. */
  readonly waiting: readonly { readonly says: string; readonly href: string; readonly name: string }[]
}

/** What an upstream is doing, for a person. */
export const upstreamText = (upstream: UpstreamState, nowMs: number): UpstreamText => ({
  ...upstreamStateText(upstream, nowMs),
  waiting: waitingText(upstream),
})

function upstreamStateText(upstream: UpstreamState, nowMs: number): Omit<UpstreamText, 'waiting'> {
  const { state, retryAt } = upstream
  const pending = plural(upstream.pending, 'envelope')
  if (state === 'paused')
    return { state: 'paused', tone: 'bad', detail: `${pausedText(upstream)} ${probeText(retryAt, nowMs)}` }
  if (state === 'backing_off')
    return { state: 'backing off', tone: 'warn', detail: `${unansweredText(upstream)} ${retryText(retryAt, nowMs)}` }
  if (state === 'relaying') {
    return { state: 'relaying', tone: 'good', detail: `${pending} pending, ${upstream.open} on the way.` }
  }
  if (upstream.pending > 0) return { state: 'waiting', tone: 'quiet', detail: `${pending} pending.` }
  return { state: 'up to date', tone: 'good', detail: 'Nothing is pending.' }
}

function waitingText({ deferred, deadLetters }: UpstreamState): UpstreamText['waiting'] {
  const deferredText = `${plural(deferred, 'envelope')} deferred until a limit ends.`
  return [
    ...(deferred === 0 ? [] : [{ says: deferredText, href: '/limits', name: 'Limits' }]),
    ...(deadLetters === 0
      ? []
      : [{ says: deadLetterText(deadLetters), href: '/deliveries?show=dead-letters', name: 'Dead letters' }]),
  ]
}

/** The last answer, or the lack of one. */
export function lastAnswerText(last: UpstreamState['last']): string | null {
  if (last === null) return null
  if (last.status !== null) return `last answer ${last.status}`
  return `last attempt failed: ${last.error ?? 'no answer'}`
}

/** Limits still in force, the longest first. */
export function limitsInForce(limits: readonly Limit[], nowMs: number): readonly Limit[] {
  return limits.filter((limit) => limit.until > nowMs).sort((a, b) => b.until - a.until)
}
