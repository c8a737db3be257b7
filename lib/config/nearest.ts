/** The name that a mistyped word most likely meant: the fewest letters apart (Levenshtein). */
export function nearest<Name extends string>(word: string, names: readonly Name[]): Name {
  const ranked = [...names].sort((one, other) => distance(word, one) - distance(word, other))
  const [first] = ranked
  if (first === undefined) throw new TypeError('nearest() needs at least one name to compare with')
  return first
}

/** Names that are offered where none is near. */
const MOST_NAMES_OFFERED = 12

/** The nearest name that a person may have mistyped: at most half of the word's letters apart, and never more than `most`. */
export function meantBy<Name extends string>(word: string, names: readonly Name[], most = 3): Name | null {
  if (names.length === 0) return null
  const name = nearest(word, names)
  return distance(word, name) <= Math.max(1, Math.min(most, Math.floor(word.length / 2))) ? name : null
}

/**
 * What to say behind a word that is none of the names: the one that is probably meant, else what there is.
 * @param most that are offered: names of somebody else's may be any number
 */
export function hintAt(word: string, names: readonly string[], most = MOST_NAMES_OFFERED): string {
  const name = meantBy(word, names)
  if (name !== null) return `did you mean ${name}?`
  const more = names.length > most ? ' and more' : ''
  return `known are ${names.slice(0, most).join(', ')}${more}`
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
