import { formatCount, formatSeconds } from '../../lib/format'
import type { Rebuild } from '../../lib/wire/storage'

/** Before this much has run, a guess would jump about. */
const GUESS_FROM_MS = 2000

export interface RebuildWords {
  /** 0 to 1. */
  readonly share: number
  readonly text: string
}

/** How far a rebuild is, and about how long it still takes. */
export function rebuildWords({ done, of, startedAt }: Rebuild, nowMs: number): RebuildWords {
  const share = of === 0 ? 1 : Math.min(1, done / of)
  const ran = nowMs - startedAt
  const counts = `${formatCount(done)} of ${formatCount(of)} envelopes (${Math.floor(share * 100)} %)`
  if (done === 0 || done >= of || ran < GUESS_FROM_MS) return { share, text: counts }
  const left = Math.ceil(((of - done) * (ran / done)) / 1000)
  return { share, text: `${counts}, about ${formatSeconds(left)} left` }
}
