import { DOORS } from '../../lib/protocol/door'
import type { Door } from '../../lib/wire/envelope'

/** How a submission came in, in a word and a sentence. */
export function doorWords(door: Door): { readonly word: string; readonly means: string } {
  if (door === 'tunnel') return { word: 'tunnel', means: 'Through the same-origin tunnel of an app.' }
  if (door === 'stream')
    return { word: 'copy', means: 'A second copy made by the SDK (Spotlight): shown, never relayed.' }
  if (door === 'security')
    return { word: 'report', means: 'A browser’s report of a policy, straight to the collector.' }
  return { word: 'direct', means: 'Straight to the collector, by the local DSN.' }
}

/** The word, with the door’s own name where it is another door’s word too. */
export function doorName(door: Door): string {
  const { word } = doorWords(door)
  return DOORS.some((other) => other !== door && doorWords(other).word === word) ? `${word} (${door})` : word
}
