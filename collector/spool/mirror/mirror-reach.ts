import type { Reach } from '../../../lib/wire/reach'
import type { Settings } from '../settings'
import { MIRROR_REACH } from '../submission'

/** A mirror that started in the middle of the shared record: all facts from a number on, and their records. */
export interface MirrorReach {
  readonly from: number
  /** Time of that fact, ms since the epoch. */
  readonly at: number
  /** Lowest number of the shared journal when it was read last. */
  readonly oldest: number
  /** Older records are not fetched: the disk budget has no space for them. */
  readonly isEnded: boolean
}

export function readReach(settings: Settings): MirrorReach | null {
  const stored = settings.get(MIRROR_REACH)
  return stored === null ? null : (JSON.parse(stored) as MirrorReach)
}

/** @param head number of the newest fact @param isFull the disk budget has no space for older records now */
export function describeReach(reach: MirrorReach | null, head: number, isFull: boolean): Reach | null {
  if (reach === null) return null
  const { from, at, oldest, isEnded } = reach
  const percent = Math.floor((100 * (head - from + 1)) / Math.max(1, head - oldest + 1))
  return { from, since: at, percent: Math.min(99, percent), state: isEnded || isFull ? 'full' : 'fetching' }
}

/** In a transaction. */
export const saveReach = (settings: Settings, reach: MirrorReach | null): void =>
  settings.save(MIRROR_REACH, reach === null ? null : JSON.stringify(reach))
