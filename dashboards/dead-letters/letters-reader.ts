import type { CollectorClient } from '../../lib/wire/collector-client'
import type { DeadLetter } from '../../lib/wire/dead-letter'

/** The most that one query answers. */
export const PAGE = 200

export interface LettersRead {
  readonly letters: readonly DeadLetter[]
  /** There are older ones than were read. */
  readonly more: boolean
}

export interface LettersReader {
  /** From now on a page more is read each time, also by a read that is asked for before anything is drawn. */
  readonly goOlder: () => void
  readonly read: (signal: AbortSignal) => Promise<LettersRead>
}

/** Reads dead letters from the newest on, as far back as somebody went. */
export function createLettersReader(client: Pick<CollectorClient, 'deadLetters'>): LettersReader {
  let asked = PAGE
  return {
    goOlder: () => {
      asked += PAGE
    },
    read: async (signal) => {
      const most = asked
      const letters: DeadLetter[] = []
      let cursor: string | null = null
      do {
        const page = await client.deadLetters({ cursor, limit: Math.min(PAGE, most - letters.length), signal })
        letters.push(...page.deadLetters)
        cursor = page.next
      } while (cursor !== null && letters.length < most)
      return { letters, more: cursor !== null }
    },
  }
}
