import type { JournalPage, MirrorCursor } from './journal-page'

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
  // A mirror that starts takes the oldest numbers that exist.
  const before = from.n === 0 ? (facts[0]?.n ?? 1) - 1 : from.n
  const gap = facts.findIndex(({ n }, at) => n !== before + 1 + at)
  if (gap >= 0) throw new PageMismatchError(`fact ${facts[gap]?.n} comes in place of fact ${before + 1 + gap}`)
  if (upTo.n !== before + facts.length)
    throw new PageMismatchError(`it ends with fact ${before + facts.length} instead of ${upTo.n}`)
  const numbersOf = (kind: 'received' | 'delivered'): ReadonlySet<number> =>
    new Set(facts.flatMap((fact) => (fact.kind === kind ? [fact.n] : [])))
  // Records that were deleted since are missing, with their attempts.
  const [received, delivered] = [numbersOf('received'), numbersOf('delivered')]
  if (records.some(({ seq }) => !received.has(seq))) throw new PageMismatchError('a record has no `received` fact')
  if (attempts.some(({ n }) => !delivered.has(n))) throw new PageMismatchError('an attempt has no `delivered` fact')
}

const nameOf = ({ n, batch }: MirrorCursor): string => (batch === null ? `fact ${n}` : `fact ${n} of batch ${batch}`)
