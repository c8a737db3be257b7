/** The name with the smallest edit distance (Levenshtein) to a mistyped word. */
export function nearest<Name extends string>(word: string, names: readonly Name[]): Name {
  const [first] = byDistance(word, names)
  if (first === undefined) throw new TypeError('nearest() needs at least one name to compare with')
  return first
}

/** Names by their edit distance to a word, the nearest first. */
export function byDistance<Name extends string>(word: string, names: readonly Name[]): readonly Name[] {
  const ranked = names.map((name) => ({ name, by: distance(word, name) }))
  return ranked.sort((one, other) => one.by - other.by).map(({ name }) => name)
}

/** The nearest name, if it is similar: at most half of the letters differ, and never more than `maxDistance`. */
export function similarName<Name extends string>(word: string, names: readonly Name[], maxDistance = 3): Name | null {
  if (names.length === 0) return null
  const name = nearest(word, names)
  return distance(word, name) <= Math.max(1, Math.min(maxDistance, Math.floor(word.length / 2))) ? name : null
}

/**
 * A hint for an error about an unknown name: a similar name, else the list of known names.
 * @param maxListed for names that come from data; a list of valid names is printed whole
 */
export function nameHint(word: string, names: readonly string[], maxListed = names.length): string {
  const name = similarName(word, names)
  if (name !== null) return `did you mean ${name}?`
  const more = names.length > maxListed ? ' and more' : ''
  return `known are ${names.slice(0, maxListed).join(', ')}${more}`
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
