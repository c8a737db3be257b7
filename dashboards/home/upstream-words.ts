import { plural } from '../../lib/format'
import type { Limit } from '../../lib/wire/limits'
import type { UpstreamState } from '../../lib/wire/overview'
import { deadLetterWords, pausedWords, probeWords, retryWords, silentWords } from '../ui/upstream-text'

export interface UpstreamWords {
  /** Two or three words for the state. */
  readonly state: string
  readonly tone: 'good' | 'quiet' | 'warn' | 'bad'
  /** What it means right now, in a sentence or two. */
  readonly detail: string
  /** What waits for something else than its turn, one sentence each, and where to see it. */
  readonly waiting: readonly { readonly says: string; readonly href: string; readonly name: string }[]
}

/** What an upstream is doing, for a person. */
export const upstreamWords = (upstream: UpstreamState, nowMs: number): UpstreamWords => ({
  ...stateWords(upstream, nowMs),
  waiting: waitingWords(upstream),
})

function stateWords(upstream: UpstreamState, nowMs: number): Omit<UpstreamWords, 'waiting'> {
  const { state, retryAt } = upstream
  const pending = plural(upstream.pending, 'envelope')
  if (state === 'paused')
    return { state: 'paused', tone: 'bad', detail: `${pausedWords(upstream)} ${probeWords(retryAt, nowMs)}` }
  if (state === 'backing_off')
    return { state: 'backing off', tone: 'warn', detail: `${silentWords(upstream)} ${retryWords(retryAt, nowMs)}` }
  if (state === 'relaying') {
    return { state: 'relaying', tone: 'good', detail: `${pending} pending, ${upstream.open} on the way.` }
  }
  if (upstream.pending > 0) return { state: 'waiting', tone: 'quiet', detail: `${pending} pending.` }
  return { state: 'up to date', tone: 'good', detail: 'Nothing is pending.' }
}

function waitingWords({ deferred, deadLetters }: UpstreamState): UpstreamWords['waiting'] {
  const deferredText = `${plural(deferred, 'envelope')} deferred until a limit ends.`
  return [
    ...(deferred === 0 ? [] : [{ says: deferredText, href: '/limits', name: 'Limits' }]),
    ...(deadLetters === 0
      ? []
      : [{ says: deadLetterWords(deadLetters), href: '/deliveries?show=dead-letters', name: 'Dead letters' }]),
  ]
}

/** The last answer, or the lack of one. */
export function lastAnswerWords(last: UpstreamState['last']): string | null {
  if (last === null) return null
  if (last.status !== null) return `last answer ${last.status}`
  return `last attempt failed: ${last.error ?? 'no answer'}`
}

/** Limits still in force, the longest first. */
export function limitsInForce(limits: readonly Limit[], nowMs: number): readonly Limit[] {
  return limits.filter((limit) => limit.until > nowMs).sort((a, b) => b.until - a.until)
}
