const SMALLEST_BLOCK = 16 * 1024
const LARGEST_BLOCK = 1024 * 1024

/** Bytes that came in pieces, in a few blocks. */
export interface Blocks {
  readonly byteLength: () => number
  /** @throws RangeError beyond what was said to come at most: the caller counts. */
  readonly add: (piece: Uint8Array) => void
  readonly close: () => readonly Uint8Array[]
}

/**
 * Collects bytes by copying them into blocks of our own: pieces of one byte, kept as they come, would cost a hundred
 * bytes each.
 * @param atMost bytes that will ever be added.
 * @param announced bytes that are said to come; then one block of that size is enough.
 */
export function openBlocks(atMost: number, announced: number | null = null): Blocks {
  const full: Uint8Array[] = []
  let current = new Uint8Array(Math.min(announced ?? 0, atMost))
  let used = 0
  let total = 0
  return {
    byteLength: () => total,
    add(piece) {
      if (total + piece.byteLength > atMost) throw new RangeError(`more than ${atMost} bytes were added`)
      for (let taken = 0; taken < piece.byteLength; ) {
        if (used === current.byteLength) {
          if (used > 0) full.push(current)
          const wanted = Math.min(LARGEST_BLOCK, Math.max(SMALLEST_BLOCK, total))
          current = new Uint8Array(Math.min(wanted, atMost - total))
          used = 0
        }
        const part = piece.subarray(taken, taken + current.byteLength - used)
        current.set(part, used)
        used += part.byteLength
        total += part.byteLength
        taken += part.byteLength
      }
    },
    close: () => (used === 0 ? full : [...full, current.subarray(0, used)]),
  }
}
