import { formatDurationMs, plural } from '../../lib/format'
import type { Redigest } from '../../lib/wire/storage'

/** How a rebuild ended; `null` is one that was given up. */
export interface Redigested {
  readonly last: Redigest['last']
}

/** How the rebuild ended that began then, or a later one; `null` while it is under way. */
export function endOfRebuild({ rebuild, last }: Redigest, startedAt: number): Redigested | null {
  if (rebuild !== null) return null
  // An earlier one may have been finished, and this one given up.
  return { last: last !== null && last.startedAt >= startedAt ? last : null }
}

export const redigestedWords = ({ last }: Redigested): string =>
  last === null
    ? 'It was given up; what the collector printed says why.'
    : `Digested again: ${plural(last.done, 'envelope')} in ${formatDurationMs(last.endedAt - last.startedAt)}.`
