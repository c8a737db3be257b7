import { plural } from '../../lib/format'
import { isTemporaryFailure } from '../../lib/protocol/upstream-answer'
import type { Limit } from '../../lib/wire/limits'
import type { Overview, UpstreamState } from '../../lib/wire/overview'
import { strandedSentence } from '../../lib/wire/stranded'
import { printable } from './printable'
import { capitalise } from './status-text'
import { formatWhen } from './times'

/** A longer answer body is cut here; the attempt shows all of it. */
const MOST_CHARACTERS = 200

interface UpstreamText {
  readonly state: string
  readonly tone: 'good' | 'quiet' | 'warn' | 'bad'
  readonly detail: string
  /** Deferred envelopes and dead letters, a sentence each, with the page that lists them. */
  readonly waiting: readonly { readonly text: string; readonly href: string; readonly name: string }[]
}

export const upstreamText = (upstream: UpstreamState, nowMs: number): UpstreamText => ({
  ...stateText(upstream, nowMs),
  waiting: waitingText(upstream),
})

function stateText(upstream: UpstreamState, nowMs: number): Omit<UpstreamText, 'waiting'> {
  const { state, retryAt } = upstream
  const pending = plural(upstream.pending, 'envelope')
  if (state === 'paused')
    return { state: 'paused', tone: 'bad', detail: `${pausedText(upstream)} ${probeText(retryAt, nowMs)}` }
  if (state === 'backing_off')
    return { state: 'backing off', tone: 'warn', detail: `${unansweredText(upstream)} ${retryText(retryAt, nowMs)}` }
  if (state === 'relaying')
    return { state: 'relaying', tone: 'good', detail: `${pending} pending, ${upstream.open} being posted.` }
  if (upstream.pending > 0) return { state: 'waiting', tone: 'quiet', detail: `${pending} pending.` }
  return { state: 'up to date', tone: 'good', detail: 'Nothing is pending.' }
}

function waitingText({ deferred, deadLetters }: UpstreamState): UpstreamText['waiting'] {
  const deferredText = `${plural(deferred, 'envelope')} deferred until a limit ends.`
  return [
    ...(deferred === 0 ? [] : [{ text: deferredText, href: '/limits', name: 'Limits' }]),
    ...(deadLetters === 0
      ? []
      : [{ text: deadLetterText(deadLetters), href: '/deliveries?show=dead-letters', name: 'Dead letters' }]),
  ]
}

export function pausedText({ paused, pending }: Pick<UpstreamState, 'pending' | 'paused'>): string {
  const waits =
    pending === 0
      ? 'Nothing is pending.'
      : `Nothing is lost: ${plural(pending, 'envelope')} ${pending === 1 ? 'waits' : 'wait'}.`
  if (paused === null) return waits
  const body = quotedBody(paused.answer)
  return `It ${pauseCause(paused.status)}: answered ${paused.status}${body === null ? '' : `, ${body}`}. ${waits}`
}

function pauseCause(status: number): string {
  if (status === 404) return 'does not have this project'
  if (status >= 300 && status < 400) return 'redirects elsewhere, which is not followed'
  return 'refuses the key'
}

function quotedBody(answer: string | null): string | null {
  const body = printable((answer ?? '').trim())
  if (body === '') return null
  return `“${body.length > MOST_CHARACTERS ? `${body.slice(0, MOST_CHARACTERS)}…` : body}”`
}

export const probeText = (retryAt: number | null, nowMs: number): string => `Next probe ${formatWhen(retryAt, nowMs)}.`

export const unansweredText = ({ pending, last }: Pick<UpstreamState, 'pending' | 'last'>): string =>
  `${backOffCause(last)}; ${plural(pending, 'envelope')} pending on disk.`

function backOffCause(last: UpstreamState['last']): string {
  if (last === null) return 'It does not answer'
  const { status } = last
  const error = last.error === null ? null : printable(last.error)
  // With a status, the error happened here after the answer.
  if (status !== null && error !== null) return `It answered ${status}, but ${error}`
  if (error !== null) return capitalise(error)
  if (status === null) return 'It does not answer'
  // Posts run in parallel: another one may have failed after the last answer.
  return isTemporaryFailure(status) ? `It answered ${status}: temporarily unavailable` : 'Some posts fail'
}

export const retryText = (retryAt: number | null, nowMs: number): string => `Next try ${formatWhen(retryAt, nowMs)}.`

export const deadLetterText = (count: number): string =>
  `${plural(count, 'envelope')} ${count === 1 ? 'was' : 'were'} refused. Send ${count === 1 ? 'it' : 'them'} again, or drop ${count === 1 ? 'it' : 'them'}.`

export const strandedText = (stranded: Overview['stranded'][number]): string =>
  `${printable(strandedSentence(stranded))}.`

/** The last answer, or why there was none; `null` before the first post. */
export function lastAnswerText(last: UpstreamState['last']): string | null {
  if (last === null) return null
  if (last.status !== null) return `last answer ${last.status}`
  return `last attempt failed: ${last.error ?? 'no answer'}`
}

/** The limits that have not ended, latest end first. */
export function limitsInForce(limits: readonly Limit[], nowMs: number): readonly Limit[] {
  return limits.filter((limit) => limit.until > nowMs).sort((a, b) => b.until - a.until)
}
