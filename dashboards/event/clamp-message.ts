/** About five lines of a narrow panel. */
const MOST_CHARACTERS = 300
const MOST_LINES = 6

/** The beginning of a message too long to be shown at once; `null` when it is not. */
export function clampMessage(text: string): string | null {
  const lines = text.split('\n')
  const cut = lines.length > MOST_LINES ? lines.slice(0, MOST_LINES).join('\n') : text
  // Counted in code points: a cut between two surrogates would show neither.
  const points = [...cut.slice(0, 2 * MOST_CHARACTERS + 2)]
  const short = points.length > MOST_CHARACTERS ? points.slice(0, MOST_CHARACTERS).join('') : cut
  return short === text ? null : short
}
