import { formatDurationMs } from '../../lib/format'
import type { PageLimit } from '../../lib/wire/limits'
import { formatLeft } from '../ui/times'

/** Something that came, and what it says of the page. */
export interface Seen {
  readonly words: string
  /** The envelope it came with; `null` where nothing came. */
  readonly seq: number | null
}

export interface VerdictWords {
  readonly word: 'obeyed' | 'broke it' | 'waiting'
  readonly tone: 'good' | 'bad' | 'open'
  /** While the limit ran. */
  readonly meanwhile: Seen
  /** Since it ended; `null` while it runs. */
  readonly afterwards: Seen | null
}

const WORDS = {
  obeyed: { word: 'obeyed', tone: 'good' },
  violated: { word: 'broke it', tone: 'bad' },
  waiting: { word: 'waiting', tone: 'open' },
} as const

/** Whether a page obeyed a limit, judged from the moment that it was told, and by what. */
export function verdictWords(page: PageLimit, nowMs: number): VerdictWords {
  const { violated, resumed, until } = page
  const left = formatLeft(until, nowMs)
  const afterwards =
    resumed === null
      ? { words: 'nothing yet', seq: null }
      : { words: `the first ${formatDurationMs(resumed.afterMs)} after its end`, seq: resumed.seq }
  return {
    ...WORDS[page.verdict],
    meanwhile:
      violated === null
        ? { words: left === null ? 'nothing' : `nothing so far, ${left} left`, seq: null }
        : { words: `the first ${formatDurationMs(violated.afterMs)} after it was told`, seq: violated.seq },
    afterwards: left === null || resumed !== null ? afterwards : null,
  }
}

/** Enough of a page’s random name to tell it from others. */
export const shortPage = (page: string): string => page.slice(0, 8)
