import type { Limit } from '../../../lib/wire/limits'
import type { UpstreamState } from '../../../lib/wire/overview'
import { formatSeconds, plural } from '../../words/quantities'

export interface UpstreamWords {
  /** Two or three words for the state. */
  readonly state: string
  readonly tone: 'good' | 'quiet' | 'warn'
  /** What it means right now, in one sentence. */
  readonly detail: string
}

/** What an upstream is doing, for a person. */
export function upstreamWords(upstream: UpstreamState, nowMs: number): UpstreamWords {
  const owed = plural(upstream.owed, 'envelope')
  if (upstream.state === 'backing_off') {
    const left = upstream.retryAt === null ? null : Math.ceil((upstream.retryAt - nowMs) / 1000)
    const when = left === null || left <= 0 ? 'now' : `in ${formatSeconds(left)}`
    return { state: 'backing off', tone: 'warn', detail: `It does not answer; ${owed} kept on disk. Next try ${when}.` }
  }
  if (upstream.state === 'relaying') {
    return { state: 'relaying', tone: 'good', detail: `${owed} owed, ${upstream.open} on the way.` }
  }
  if (upstream.owed > 0) return { state: 'waiting', tone: 'quiet', detail: `${owed} owed.` }
  return { state: 'up to date', tone: 'good', detail: 'Nothing is owed.' }
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
