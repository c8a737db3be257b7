import { fail, type Result, succeed } from './result'

const SMALLEST_BLOCK = 16 * 1024
const LARGEST_BLOCK = 1024 * 1024

/** Collects bytes that arrive in pieces into a few blocks. */
interface Blocks {
  readonly byteLength: () => number
  /** @throws RangeError when more bytes are added than `atMost`. */
  readonly add: (piece: Uint8Array) => void
  /** Copies everything into one block with capacity for this many bytes. */
  readonly widen: (bytes: number) => void
  readonly close: () => readonly Uint8Array[]
}

/** Copies pieces into blocks: kept as they arrive, one-byte pieces would cost a hundred bytes each. */
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
          const size = Math.min(LARGEST_BLOCK, Math.max(SMALLEST_BLOCK, total))
          current = new Uint8Array(Math.min(size, atMost - total))
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
 * Reads `Content-Encoding`; fails when there is more than one. As in Relay, unknown values mean no coding: old SDKs for
 * Ruby and Android write `utf-8`.
 */
export function readContentEncoding(header: string | null): Result<Coding | null, string> {
  const found = (header ?? '').split(',').flatMap((word) => codingOf(word.trim().toLowerCase()))
  if (found.length > 1) return fail(`Content-Encoding lists ${found.length} codings; at most one is supported`)
  return succeed(found[0] ?? null)
}

function codingOf(word: string): readonly Coding[] {
  if (word === 'x-gzip') return ['gzip']
  return CODINGS.filter((coding) => coding === word)
}

/** A zlib header (RFC 1950 §2.2): some programs send raw deflate, though RFC 9110 §8.4.1.2 means zlib. */
export function hasZlibHeader(bytes: Uint8Array): boolean {
  const [first = 0, second = 0] = bytes
  return (first & 0x0f) === 8 && (first * 256 + second) % 31 === 0
}
