import type { DeadLetter, DeadLetterOrder } from '../../lib/wire/delivery'

/** The selected dead letters: some of the visible ones, or all, including those not loaded. */
export type Selection = { readonly all: true } | { readonly seqs: ReadonlySet<number> }

export const NONE_SELECTED: Selection = { seqs: new Set() }

export const isSelected = (chosen: Selection, seq: number): boolean => 'all' in chosen || chosen.seqs.has(seq)

export function countSelected(
  chosen: Selection,
  shown: readonly Pick<DeadLetter, 'seq'>[],
): { readonly count: number; readonly is: 'none' | 'some' | 'all' } {
  const count = shown.filter(({ seq }) => isSelected(chosen, seq)).length
  return { count, is: count === 0 ? 'none' : count === shown.length ? 'all' : 'some' }
}

/** Adds or removes one. Removing one from `all` selects the other visible ones. */
export function toggle(chosen: Selection, seq: number, shown: readonly Pick<DeadLetter, 'seq'>[]): Selection {
  const seqs = new Set('all' in chosen ? shown.map((letter) => letter.seq) : chosen.seqs)
  if (!seqs.delete(seq)) seqs.add(seq)
  return { seqs }
}

export const selectVisible = (shown: readonly Pick<DeadLetter, 'seq'>[]): Selection => ({
  seqs: new Set(shown.map(({ seq }) => seq)),
})

/** Orders are sent in batches, to show progress. */
export const BATCH = 100

/** The batches to order. Letters that are no longer visible are left out. */
export function orderBatches(
  chosen: Selection,
  shown: readonly Pick<DeadLetter, 'seq'>[],
): readonly DeadLetterOrder['which'][] {
  if ('all' in chosen) return ['all']
  const seqs = shown.map(({ seq }) => seq).filter((seq) => chosen.seqs.has(seq))
  return Array.from({ length: Math.ceil(seqs.length / BATCH) }, (_, at) => seqs.slice(at * BATCH, (at + 1) * BATCH))
}

interface VisibleLetters {
  readonly letters: readonly DeadLetter[]
  readonly waiting: number
}

/** The visible letters, newest first. While a person selects, new ones wait, so that no row moves under the pointer. */
export function visibleLetters(
  shown: readonly DeadLetter[],
  read: readonly DeadLetter[],
  hold: boolean,
): VisibleLetters {
  const last = shown.at(-1)
  if (!hold || last === undefined) return { letters: read, waiting: 0 }
  const known = new Set(shown.map((letter) => letter.seq))
  const letters = read.filter(({ seq }) => known.has(seq) || seq < last.seq)
  return { letters, waiting: read.length - letters.length }
}
