import type { JournalPage, MirrorCursor } from '../journal-page'

/** A page does not follow the cursor of a mirror, or is not whole. */
export class PageMismatchError extends Error {
  static readonly NAME = 'PageMismatchError'

  constructor(problem: string) {
    super(`the page of the shared journal cannot be applied: ${problem}`)
    this.name = PageMismatchError.NAME
  }
}

/** @throws PageMismatchError unless the page follows the cursor, without a gap, and with the rows of its facts */
export function checkPage({ from, upTo, facts, records, attempts }: JournalPage, cursor: MirrorCursor): void {
  if (from.n !== cursor.n || from.batch !== cursor.batch)
    throw new PageMismatchError(`it follows ${nameOf(from)}, but the mirror has reached ${nameOf(cursor)}`)
  const gap = facts.findIndex(({ n }, at) => n !== from.n + 1 + at)
  if (gap >= 0) throw new PageMismatchError(`fact ${facts[gap]?.n} comes in place of fact ${from.n + 1 + gap}`)
  if (upTo.n !== from.n + facts.length)
    throw new PageMismatchError(`it ends with fact ${from.n + facts.length} instead of ${upTo.n}`)
  const numbersOf = (kind: 'received' | 'delivered'): readonly number[] =>
    facts.flatMap((fact) => (fact.kind === kind ? [fact.n] : []))
  const seqs = records.map(({ seq }) => seq)
  if (!isSame(numbersOf('received'), seqs)) throw new PageMismatchError('it has other records than `received` facts')
  const numbers = attempts.map(({ n }) => n)
  if (!isSame(numbersOf('delivered'), numbers))
    throw new PageMismatchError('it has other attempts than `delivered` facts')
}

const nameOf = ({ n, batch }: MirrorCursor): string => (batch === null ? `fact ${n}` : `fact ${n} of batch ${batch}`)

const isSame = (expected: readonly number[], found: readonly number[]): boolean =>
  expected.length === found.length && expected.every((number, at) => number === found[at])
