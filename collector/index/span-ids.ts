/*
 * Span ids as the rows keep them: 8 bytes each, one after the other. They are told apart by sorting: it takes the same
 * time whatever ids a sender makes up.
 */

export const ID_BYTES = 8

/** How many different ids there are in all of these. */
export function countDistinct(lists: readonly Uint8Array[]): number {
  // No list holds an id twice.
  if (lists.length === 1) return (lists[0]?.length ?? 0) / ID_BYTES
  const words = sorted(lists)
  let count = words.length === 0 ? 0 : 1
  for (let at = 2; at < words.length; at += 2) if (!isSame(words, at)) count += 1
  return words.length === 0 ? 0 : count
}

/** Ids that stand in several of these lists, in hex digits, with how often; no list holds an id twice. */
export function repeatedIds(lists: readonly Uint8Array[]): Map<string, number> {
  const words = sorted(lists)
  const bytes = Buffer.from(words.buffer, words.byteOffset, words.byteLength)
  const repeated = new Map<string, number>()
  for (let at = 2; at < words.length; at += 2) {
    if (!isSame(words, at)) continue
    const id = bytes.toString('hex', at * 4, at * 4 + ID_BYTES)
    repeated.set(id, (repeated.get(id) ?? 1) + 1)
  }
  return repeated
}

/** Ids of one list, in hex digits. */
export function idsIn(list: Uint8Array): readonly string[] {
  const digits = Buffer.from(list.buffer, list.byteOffset, list.byteLength).toString('hex')
  return Array.from({ length: list.length / ID_BYTES }, (_, at) => digits.slice(at * 16, at * 16 + 16))
}

/** In some order in which the same ids stand beside each other: two words make an id. */
function sorted(lists: readonly Uint8Array[]): Uint32Array {
  const bytes = new Uint8Array(lists.reduce((sum, list) => sum + list.length, 0))
  let at = 0
  for (const list of lists) {
    bytes.set(list, at)
    at += list.length
  }
  new BigUint64Array(bytes.buffer).sort()
  return new Uint32Array(bytes.buffer)
}

const isSame = (words: Uint32Array, at: number): boolean =>
  words[at] === words[at - 2] && words[at + 1] === words[at - 1]
