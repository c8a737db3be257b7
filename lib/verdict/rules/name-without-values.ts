/** A name is compared by its first so many characters; two statements that differ later are alike here. */
const COMPARED = 2000

/** A quote that nothing closes is matched to the end and stays, so that no end is looked for twice. */
const QUOTED = /(?:'(?:[^'\\]|\\[\s\S]?|'')*('|$)|"(?:[^"\\]|\\[\s\S]?)*("|$))/g

/** In order: an id holds numbers, and a list holds what the others have left. */
const VALUES: readonly (readonly [RegExp, string])[] = [
  [/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi, '?'],
  // Hex of ids: long, with a digit in it; `deadbeef` alone might be a word, and `facade` is one.
  [/\b(?=[a-f]*\d)[0-9a-f]{8,64}\b/gi, '?'],
  [/[$:@]\d{1,9}\b/g, '?'],
  [/(?<![A-Za-z_])\d+(?:\.\d+)?/g, '?'],
  [/\bin\s*\(\s*[?%][\s,?%s]*\)/gi, 'IN (?)'],
]

const NAMES = new Map<string, string>()
/** Names are the sender's words: so many of so few signs are remembered, and then all are forgotten. */
const MOST_NAMES = 2000
const LONGEST_KEPT = 500

/** A span's name without what is other each time: numbers, ids, UUIDs, quoted texts, lists of values. */
export function sameButForValues(name: string): string {
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
