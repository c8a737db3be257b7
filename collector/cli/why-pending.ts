import type { UpstreamState } from '../../lib/wire/overview'

const MOST_WORDS = 200

/** Why upstream has not taken what it is pending: `it answers 403: …`; `null` where nothing says so, and it is on its way. */
export function whyPending({ state, paused, last }: UpstreamState): string | null {
  if (state === 'paused' && paused !== null) return `it answers ${paused.status}${words(paused.answer)}`
  // The last answer may be a good one, to what was on its way when others failed.
  if (state !== 'backing_off' || last === null) return null
  if (last.error !== null) return last.error
  return last.status !== null && last.status >= 400 ? `it answered ${last.status}` : null
}

/** The same of all upstreams that are pending something. */
export function whyAllPending(upstreams: readonly UpstreamState[]): string | null {
  const reasons = upstreams.flatMap((upstream) => {
    const { label, pending, deferred } = upstream
    if (pending === 0) return []
    const why = whyPending(upstream) ?? (deferred > 0 ? 'a limit that it named runs still' : null)
    return why === null ? [] : [`${label}: ${why}`]
  })
  return reasons.length === 0 ? null : reasons.join('; ')
}

/** Upstream's words, on one line of bearable length. */
const words = (answer: string | null): string =>
  answer === null || answer.trim() === '' ? '' : `: ${answer.trim().replaceAll(/\s+/g, ' ').slice(0, MOST_WORDS)}`
