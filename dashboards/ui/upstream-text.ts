import { formatCount, plural } from '../../lib/format'
import { isTemporaryFailure } from '../../lib/protocol/upstream-answer'
import type { Figures } from '../../lib/wire/figures'
import type { Limit } from '../../lib/wire/limits'
import type { Overview, UpstreamState } from '../../lib/wire/overview'
import { capitalise } from '../../lib/wire/status-text'
import { strandedSentence, unownedSentence } from '../../lib/wire/stranded'
import { printable } from './printable'
import { formatWhen } from './times'

/** A longer answer body is cut here; the attempt shows all of it. */
const MOST_CHARACTERS = 200

interface UpstreamText {
  readonly state: string
  readonly tone: 'good' | 'quiet' | 'warn' | 'bad'
}

/** The state of an upstream in a few words; never good while it limits, fails, or has dead letters. */
export function upstreamText(upstream: UpstreamState, limits: readonly Limit[], nowMs: number): UpstreamText {
  const { state, label, pending, deferred, deadLetters, last } = upstream
  const isLimited = limitsInForce(limits, nowMs).some((limit) => limit.upstream === label)
  const troubles = [
    ...(deadLetters > 0 ? [plural(deadLetters, 'dead letter')] : []),
    ...(deferred > 0 ? [`${plural(deferred, 'envelope')} deferred until a limit ends`] : isLimited ? ['limited'] : []),
    ...(isFailure(last) ? [lastAnswerText(last)] : []),
  ]
  const words = (...first: readonly string[]): string => [...first, ...troubles].join(', ')
  if (unownedSentence(upstream) !== null) return { state: words('relayed by no collector'), tone: 'bad' }
  if (state === 'paused') return { state: words('paused'), tone: 'bad' }
  if (state === 'backing_off') return { state: words('backing off'), tone: 'warn' }
  const tone = troubles.length > 0 ? 'warn' : null
  if (state === 'relaying') return { state: words('relaying'), tone: tone ?? 'good' }
  if (pending > 0) return { state: words('waiting'), tone: tone ?? 'quiet' }
  return tone === null ? { state: 'up to date', tone: 'good' } : { state: words(), tone }
}

export const deadLettersOf = (upstreams: readonly UpstreamState[]): number =>
  upstreams.reduce((sum, { deadLetters }) => sum + deadLetters, 0)

/** True while an upstream limits, fails, or has dead letters. */
export const isTroubled = (upstream: UpstreamState, limits: readonly Limit[], nowMs: number): boolean =>
  ['warn', 'bad'].includes(upstreamText(upstream, limits, nowMs).tone)

/** True when the last post was not answered with 2xx, or its result could not be written. */
export const isFailure = (last: UpstreamState['last']): last is NonNullable<UpstreamState['last']> =>
  last !== null && (last.error !== null || last.status === null || last.status >= 300)

/** Items lost after they were received, in the same words everywhere; `null` when none was. */
export function lostItemsText({ lost, limited }: Pick<Figures['line'], 'lost' | 'limited'>): string | null {
  if (lost === 0) return null
  const part = limited === lost ? 'rate limited' : `${formatCount(limited)} rate limited`
  return `${formatCount(lost)} lost${limited === 0 ? '' : ` (${part})`}`
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

export function deadLetterText(count: number): string {
  const [these, them] = count === 1 ? ['this envelope', 'it'] : ['these envelopes', 'them']
  return `Upstream refused ${these}, or failed while processing ${them}. Send ${them} again, or drop ${them}.`
}

export const strandedText = (stranded: Overview['stranded'][number]): string =>
  `${printable(strandedSentence(stranded))}.`

const lastAnswerText = ({ status, error }: NonNullable<UpstreamState['last']>): string =>
  error === null && status !== null
    ? `last answer ${status}`
    : `last attempt failed: ${printable(error ?? 'no answer')}`

/** The limits that have not ended, latest end first. */
export function limitsInForce(limits: readonly Limit[], nowMs: number): readonly Limit[] {
  return limits.filter((limit) => limit.until > nowMs).sort((a, b) => b.until - a.until)
}
