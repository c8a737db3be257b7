import { plural } from '../../../lib/format'

/** A file as it would be written; equal texts change nothing. */
export interface PlannedFile {
  /** Relative to the project. */
  readonly path: string
  /** `null` for a new file. */
  readonly before: string | null
  readonly after: string
  /** The changed part, a line each, with `+` or `-`; unchanged lines around it with a space. */
  readonly shown: readonly string[]
}

/** A change that is left for the user. */
export interface Step {
  /** One sentence: the file, the reason, and where the text belongs. */
  readonly title: string
  readonly paste: string
}

/** A text that a project needs. */
export type Planned = { readonly file: PlannedFile } | { readonly step: Step }

/** A change whose lines are all shown. */
export const plannedFile = (path: string, before: string | null, after: string): PlannedFile => ({
  path,
  before,
  after,
  shown: before === after ? [] : changedLines(before ?? '', after),
})

/** A copy of a file of the package, shown by its size only. @param from where it is copied from, for the reader */
export function plannedCopy(path: string, before: string | null, text: string, from: string): PlannedFile {
  const sizeOf = (one: string): string => plural(linesOf(one).length, 'line')
  const replaced = before === null ? [] : [`- ${sizeOf(before)}`]
  const shown = before === text ? [] : [...replaced, `+ ${sizeOf(text)}, a copy of ${from}`]
  return { path, before, after: text, shown }
}

const linesOf = (text: string): readonly string[] => (text === '' ? [] : text.replace(/\n$/, '').split('\n'))

/** Unchanged lines that are shown before and after a change. */
const CONTEXT_LINES = 2

/** The lines that differ, as a unified diff shows them; `…` stands for unchanged lines that are left out. */
function changedLines(before: string, after: string): readonly string[] {
  const all = alignLines(linesOf(before), linesOf(after))
  const isNearChange = (index: number): boolean =>
    all.slice(Math.max(0, index - CONTEXT_LINES), index + CONTEXT_LINES + 1).some((line) => !line.startsWith(' '))
  return all.flatMap((line, index) => {
    if (isNearChange(index)) return [line.trimEnd()]
    return index > 0 && isNearChange(index - 1) && all.slice(index).some((later) => !later.startsWith(' ')) ? ['…'] : []
  })
}

/** Lines of both texts in one order, by their longest common subsequence. */
function alignLines(before: readonly string[], after: readonly string[]): readonly string[] {
  // The length of the longest one of the rests `before.slice(row)` and `after.slice(column)`.
  const lengths = Array.from({ length: before.length + 1 }, () => new Array<number>(after.length + 1).fill(0))
  const at = (row: number, column: number): number => lengths[row]?.[column] ?? 0
  for (let row = before.length - 1; row >= 0; row--)
    for (let column = after.length - 1; column >= 0; column--) {
      const length =
        before[row] === after[column] ? at(row + 1, column + 1) + 1 : Math.max(at(row + 1, column), at(row, column + 1))
      lengths[row]?.splice(column, 1, length)
    }
  const aligned: string[] = []
  let [row, column] = [0, 0]
  while (row < before.length || column < after.length) {
    if (row < before.length && column < after.length && before[row] === after[column]) {
      aligned.push(`  ${before[row++]}`)
      column++
    } else if (row < before.length && (column === after.length || at(row + 1, column) >= at(row, column + 1)))
      aligned.push(`- ${before[row++]}`)
    else aligned.push(`+ ${after[column++]}`)
  }
  return aligned
}
