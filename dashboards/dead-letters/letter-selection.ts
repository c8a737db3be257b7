import type { DeadLetter, DeadLetterOrder } from '../../lib/wire/delivery'

/** What a person has chosen: these, or all there are, also those that are not shown. */
export type Chosen = { readonly all: true } | { readonly seqs: ReadonlySet<number> }

export const NONE_CHOSEN: Chosen = { seqs: new Set() }

export const isChosen = (chosen: Chosen, seq: number): boolean => 'all' in chosen || chosen.seqs.has(seq)

/** How many of the shown ones are chosen, and whether that is none, some or all of them. */
export function countChosen(
  chosen: Chosen,
  shown: readonly Pick<DeadLetter, 'seq'>[],
): { readonly count: number; readonly is: 'none' | 'some' | 'all' } {
  const count = shown.filter(({ seq }) => isChosen(chosen, seq)).length
  return { count, is: count === 0 ? 'none' : count === shown.length ? 'all' : 'some' }
}

/** With one more, or one less. Who takes one away from all has chosen the other shown ones. */
export function toggle(chosen: Chosen, seq: number, shown: readonly Pick<DeadLetter, 'seq'>[]): Chosen {
  const seqs = new Set('all' in chosen ? shown.map((letter) => letter.seq) : chosen.seqs)
  if (!seqs.delete(seq)) seqs.add(seq)
  return { seqs }
}

export const chooseShown = (shown: readonly Pick<DeadLetter, 'seq'>[]): Chosen => ({
  seqs: new Set(shown.map(({ seq }) => seq)),
})

/** So many are ordered at once: a person sees it go on. */
export const TOGETHER = 100

/** What is asked of the collector, one after the other. Only what is still shown is meant: the rest went meanwhile. */
export function ordersFor(
  chosen: Chosen,
  shown: readonly Pick<DeadLetter, 'seq'>[],
): readonly DeadLetterOrder['which'][] {
  if ('all' in chosen) return ['all']
  const seqs = shown.map(({ seq }) => seq).filter((seq) => chosen.seqs.has(seq))
  return Array.from({ length: Math.ceil(seqs.length / TOGETHER) }, (_, at) =>
    seqs.slice(at * TOGETHER, (at + 1) * TOGETHER),
  )
}

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
