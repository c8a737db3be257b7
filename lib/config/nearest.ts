/** The name that a mistyped word most likely meant: the fewest letters apart (Levenshtein). */
export function nearest<Name extends string>(word: string, names: readonly Name[]): Name {
  const ranked = [...names].sort((one, other) => distance(word, one) - distance(word, other))
  const [first] = ranked
  if (first === undefined) throw new TypeError('nearest() needs at least one name to compare with')
  return first
}

function distance(one: string, other: string): number {
  let previous = Array.from({ length: other.length + 1 }, (_, index) => index)
  for (const [row, letter] of [...one].entries()) {
    const current = [row + 1]
    for (const [column, against] of [...other].entries())
      current.push(
        Math.min(
          (previous[column + 1] ?? 0) + 1,
          (current[column] ?? 0) + 1,
          (previous[column] ?? 0) + (letter === against ? 0 : 1),
        ),
      )
    previous = current
  }
  return previous[other.length] ?? 0
}
