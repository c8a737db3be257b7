import { fail, type Result, succeed } from './result'

const SMALLEST_BLOCK = 16 * 1024
const LARGEST_BLOCK = 1024 * 1024

/** Bytes that came in pieces, in a few blocks. */
export interface Blocks {
  readonly byteLength: () => number
  /** @throws RangeError beyond what was said to come at most: the caller counts. */
  readonly add: (piece: Uint8Array) => void
  /** From now on one block, with room for so many bytes in all. */
  readonly widen: (bytes: number) => void
  readonly close: () => readonly Uint8Array[]
}

/**
 * Collects bytes by copying them into blocks of our own: pieces of one byte, kept as they come, would cost a hundred
 * bytes each.
 * @param atMost bytes that will ever be added.
 */
export function openBlocks(atMost: number): Blocks {
  let full: Uint8Array[] = []
  let current = new Uint8Array(0)
  let used = 0
  let total = 0
  const filled = (): readonly Uint8Array[] => (used === 0 ? full : [...full, current.subarray(0, used)])

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
    widen(bytes) {
      const wide = new Uint8Array(Math.max(bytes, total))
      let at = 0
      for (const block of filled()) {
        wide.set(block, at)
        at += block.byteLength
      }
      full = []
      current = wide
      used = total
    },
    close: filled,
  }
}

const CODINGS = ['gzip', 'deflate', 'br', 'zstd'] as const
export type Coding = (typeof CODINGS)[number]

/**
 * What Content-Encoding says. Words that are no coding (empty, `identity`, `utf-8`, which old SDKs for Ruby and Android
 * write there) mean none, as in Relay: whoever wrote something else wrote no envelope, and the framing will tell.
 * @returns the one coding, `null` for none, or a sentence when there are several: they are never undone one by one.
 */
export function readContentEncoding(header: string | null): Result<Coding | null, string> {
  const found = (header ?? '').split(',').flatMap((word) => codingOf(word.trim().toLowerCase()))
  if (found.length > 1)
    return fail(`Content-Encoding names ${found.length} codings, one over the other; at most one is undone here`)
  return succeed(found[0] ?? null)
}

function codingOf(word: string): readonly Coding[] {
  if (word === 'x-gzip') return ['gzip']
  return CODINGS.filter((coding) => coding === word)
}

/** RFC 9110 §8.4.1.2 means zlib by "deflate", and notes that some send the raw stream. RFC 1950 §2.2 tells them apart. */
export function hasZlibHeader(bytes: Uint8Array): boolean {
  const [first = 0, second = 0] = bytes
  return (first & 0x0f) === 8 && (first * 256 + second) % 31 === 0
}
