import type { Storage } from '../../lib/wire/storage'

export interface RoomWords {
  readonly word: string
  readonly tone: 'good' | 'warn' | 'bad'
  /** What it means for what arrives now. */
  readonly means: string
  /** What a person can do about it; `null` where nothing is to be done. */
  readonly remedy: string | null
}

const STATES: Readonly<Record<Storage['state'], RoomWords>> = {
  room: {
    word: 'room',
    tone: 'good',
    means: 'There is room. When it runs out, the oldest records that owe nothing go first.',
    remedy: null,
  },
  evicting: {
    word: 'making room',
    tone: 'good',
    means: 'The oldest records that owe nothing are making room, with their rows. What upstream is pending stays.',
    remedy: null,
  },
  overflow: {
    word: 'overflow',
    tone: 'warn',
    means:
      'The backlog has its three quarters of the cap: what arrives is stored and shown, but upstream never gets it.',
    remedy: 'Make the upstream reachable, or raise WAYSTATION_MAX_DISK.',
  },
  full: {
    word: 'full',
    tone: 'bad',
    means: 'Nothing can be evicted: what arrives is refused with 429 until there is room.',
    remedy: 'Make the upstream reachable, raise WAYSTATION_MAX_DISK, or drop what is pending.',
  },
}

/** How much room there is, for a person. */
export const roomWords = (state: Storage['state']): RoomWords => STATES[state]

/** What every page has to say, the worst first; `null` while nothing is lost and nothing is broken. */
export function roomAlarm({ state, trouble }: Pick<Storage, 'state' | 'trouble'>): RoomWords | null {
  if (state === 'full') return roomWords(state)
  if (trouble !== null) return { word: 'trouble', tone: 'bad', means: asSentence(trouble), remedy: null }
  return state === 'overflow' ? roomWords(state) : null
}

/** Troubles are told as they stand in a list: made a sentence, begun large and ended. */
export const asSentence = (text: string): string =>
  `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? '' : '.'}`
