import { alignSiblings, isInRange, matchSiblings } from './align'
import { type Golden, type GoldenLine, sorted } from './golden-file'

/** Does the trace match the file? */
export const matchesGolden = (expected: Golden, actual: Golden): boolean =>
  expected.lifecycle === actual.lifecycle && matchSiblings(expected.roots, actual.roots)

/**
 * The file after an update: it matches the trace, and keeps every line that a person edited (`?`, `×1..3`, `×*`) and that
 * still matches. Siblings that match stay as they are.
 *
 *     the file               the trace           after the update
 *     cart.total ×1..3       cart.total ×2       cart.total ×1..3
 *     ? db SELECT *          mail.send           ? db SELECT *
 *                                                mail.send
 */
export const mergeGolden = (expected: Golden, actual: Golden): Golden => ({
  lifecycle: actual.lifecycle,
  roots: mergeSiblings(expected.roots, actual.roots),
})

function mergeSiblings(expected: readonly GoldenLine[], actual: readonly GoldenLine[]): readonly GoldenLine[] {
  if (matchSiblings(expected, actual)) return expected
  return sorted(
    alignSiblings(expected, actual).flatMap(({ expected: line, actual: one, count, isMatch }) => {
      if (isMatch && line !== null) return [line]
      if (one === null) return []
      const exact = { ...one, least: count, most: count }
      if (line === null) return [exact]
      const counted = isInRange(count, line) ? { ...line, label: one.label } : exact
      return [{ ...counted, children: mergeSiblings(line.children, one.children) }]
    }),
  )
}
