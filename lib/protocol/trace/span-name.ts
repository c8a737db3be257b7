const COMPARED = 2000

/** An unclosed quote matches to the end and stays, which keeps the search linear. */
const QUOTED = /(?:'(?:[^'\\]|\\[\s\S]?|'')*('|$)|"(?:[^"\\]|\\[\s\S]?)*("|$))/g

/** The order matters: ids contain numbers, and lists contain what the other patterns leave. */
const VALUES: readonly (readonly [RegExp, string])[] = [
  [/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi, '?'],
  // Hexadecimal ids and hashes. Words of these letters, such as `facade`, are shorter.
  [/\b[0-9a-f]{8,64}\b/gi, '?'],
  [/[$:@]\d{1,9}\b/g, '?'],
  [/(?<![A-Za-z_])\d+(?:\.\d+)?/g, '?'],
  [/\bin\s*\(\s*[?%][\s,?%s]*\)/gi, 'IN (?)'],
]

const NAMES = new Map<string, string>()
/** The cache is bounded, because senders choose the names; a full cache is cleared. */
const MOST_NAMES = 2000
const LONGEST_KEPT = 500

/** A span's name without values: numbers, ids, UUIDs, quoted texts and value lists. */
export function normaliseName(name: string): string {
  const known = NAMES.get(name)
  if (known !== undefined) return known
  let bare = name
    .slice(0, COMPARED)
    .replace(QUOTED, (whole, single: string | undefined, double: string | undefined) =>
      single || double ? '?' : whole,
    )
  for (const [value, mark] of VALUES) bare = bare.replace(value, mark)
  if (name.length > LONGEST_KEPT) return bare
  if (NAMES.size >= MOST_NAMES) NAMES.clear()
  NAMES.set(name, bare)
  return bare
}
