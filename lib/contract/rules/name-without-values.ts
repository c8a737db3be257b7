/** A name is compared by its first so many characters; two statements that differ later are alike here. */
const COMPARED = 2000

/** In order: what is quoted may hold anything, an id holds numbers, a list holds what the others have left. */
const VALUES: readonly (readonly [RegExp, string])[] = [
  [/'(?:[^'\\]|\\.|'')*'/g, '?'],
  [/"(?:[^"\\]|\\.)*"/g, '?'],
  [/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi, '?'],
  // Hex of ids: long, with a digit in it; `deadbeef` alone might be a word, and `facade` is one.
  [/\b(?=[a-f]*\d)[0-9a-f]{8,64}\b/gi, '?'],
  [/[$:@]\d{1,9}\b/g, '?'],
  [/(?<![A-Za-z_])\d+(?:\.\d+)?/g, '?'],
  [/\bin\s*\(\s*[?%][\s,?%s]*\)/gi, 'IN (?)'],
]

const NAMES = new Map<string, string>()
/** Names are the sender's words: so many are remembered, and then all are forgotten. */
const MOST_NAMES = 2000

/** A span's name without what is other each time: numbers, ids, UUIDs, quoted texts, lists of values. */
export function sameButForValues(name: string): string {
  const known = NAMES.get(name)
  if (known !== undefined) return known
  let bare = name.slice(0, COMPARED)
  for (const [value, mark] of VALUES) bare = bare.replace(value, mark)
  if (NAMES.size >= MOST_NAMES) NAMES.clear()
  NAMES.set(name, bare)
  return bare
}
