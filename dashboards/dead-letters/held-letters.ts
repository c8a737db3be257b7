import type { DeadLetter } from '../../lib/wire/dead-letter'

export interface HeldLetters {
  readonly letters: readonly DeadLetter[]
  /** How many came meanwhile and are not shown yet. */
  readonly waiting: number
}

/**
 * What is shown of the letters that were read, newest envelope first. While a person chooses, what came among the shown
 * ones waits, so that no row is another one when it is clicked; what is none any more goes, and older ones follow below.
 */
export function heldLetters(shown: readonly DeadLetter[], read: readonly DeadLetter[], hold: boolean): HeldLetters {
  const last = shown.at(-1)
  if (!hold || last === undefined) return { letters: read, waiting: 0 }
  const known = new Set(shown.map((letter) => letter.seq))
  const letters = read.filter(({ seq }) => known.has(seq) || seq < last.seq)
  return { letters, waiting: read.length - letters.length }
}
