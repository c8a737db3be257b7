import type { UpstreamState } from '../../lib/wire/overview'

/** Signs of an upstream's answer that a sentence quotes. */
const MOST_WORDS = 200

/** What it answers, with its words on one line and as far as they fit a sentence. */
export function quotedAnswer({ status, answer }: NonNullable<UpstreamState['paused']>): string {
  const words = (answer ?? '')
    .replace(/[\s\p{C}]+/gu, ' ')
    .trim()
    .slice(0, MOST_WORDS)
  return words === '' ? String(status) : `${status} (${words})`
}

/** What a terminal is told when an upstream becomes paused, and when it is no longer (`null`). */
export const pauseMessage = (label: string, paused: UpstreamState['paused']): string =>
  paused === null
    ? `${label} takes what it is sent again; what waited goes on`
    : `${label} is paused: it answers ${quotedAnswer(paused)}, which speaks of the DSN and not of an envelope; nothing is lost, what it is pending waits, and it is asked again once a minute`
