import { Decompress } from 'fzstd'
import { FEW_BYTES, type Measured } from './decoder'

/** RFC 9659: who sends Content-Encoding zstd keeps the window within 8 MB, and who reads it may refuse more. */
const LARGEST_WINDOW = 8 * 1024 * 1024
const LARGEST_BLOCK = 128 * 1024
/**
 * The library moves its whole window and keeps a little for each block, so a body of a million tiny ones would take
 * hours. 100 MiB in blocks of the usual size, under the largest window, are less than half of this.
 */
const MOST_BYTES_MOVED = 16 * 1024 ** 3

const MAGIC = 0xfd2fb528
const SKIPPABLE_MAGIC = 0x184d2a5

interface FrameHeader {
  readonly bytes: number
  readonly window: number
  /** Of the decoded content; `null` where the header does not say. */
  readonly contentSize: number | null
  readonly checksumBytes: number
}

/**
 * Decodes zstd (RFC 8878) block by block, so that no more than one block is decoded beyond `limit`. Headers are read
 * here before the library sees them, because it would allocate whatever window they claim. Checksums are not compared:
 * the library has none, and what is broken is refused by its framing.
 * @param onBytes is given each block's bytes, which are the library's own: copy them.
 * @returns how many bytes there are; more than `limit` as soon as they are more.
 * @throws Error when it is no zstd, ends too early, or wants a dictionary or a larger window.
 */
export function decodeZstd(wire: Uint8Array, limit: number, onBytes: (bytes: Uint8Array) => void): number {
  if (wire.length === 0) throw new Error('there is nothing to decode')
  let size = 0
  let moved = 0
  for (let at = 0; at < wire.length; ) {
    const magic = word(wire, at)
    if (magic >>> 4 === SKIPPABLE_MAGIC) {
      at = within(wire, at + 8 + word(wire, at + 4))
      continue
    }
    if (magic !== MAGIC) throw new Error('a frame does not begin with the magic number of zstd')
    const frame = readFrameHeader(wire, at)
    const before = size
    const decoder = new Decompress((bytes) => {
      size += bytes.length
      onBytes(bytes)
    })
    const blocks = at + frame.bytes
    decoder.push(wire.subarray(at, blocks))
    at = blocks
    for (let isLast = false; !isLast; ) {
      const block = readBlockHeader(wire, at)
      isLast = block.isLast
      moved += Math.max(frame.window, LARGEST_BLOCK)
      if (moved > MOST_BYTES_MOVED) throw new Error('it is cut into too many blocks')
      const end = within(wire, at + block.bytes + (isLast ? frame.checksumBytes : 0))
      decoder.push(wire.subarray(at, end), isLast)
      if (size > limit) return size
      at = end
    }
    if (frame.contentSize !== null && frame.contentSize !== size - before)
      throw new Error('a frame does not hold as many bytes as its header says')
  }
  return size
}

function readFrameHeader(wire: Uint8Array, start: number): FrameHeader {
  const descriptor = byte(wire, start + 4)
  const isSingleSegment = (descriptor & 0x20) !== 0
  if ((descriptor & 0x08) !== 0) throw new Error('a frame header uses a reserved bit')
  let at = start + 5
  let window = 0
  if (!isSingleSegment) {
    const described = byte(wire, at)
    const base = 2 ** (10 + (described >> 3))
    window = base + (base / 8) * (described & 7)
    at += 1
  }
  const dictionaryBytes = [0, 1, 2, 4][descriptor & 3] ?? 0
  if (readNumber(wire, at, dictionaryBytes) !== 0) throw new Error('a frame wants a dictionary')
  at += dictionaryBytes
  const sizeFlag = descriptor >> 6
  const sizeBytes = [isSingleSegment ? 1 : 0, 2, 4, 8][sizeFlag] ?? 0
  const contentSize = sizeBytes === 0 ? null : readNumber(wire, at, sizeBytes) + (sizeFlag === 1 ? 256 : 0)
  at += sizeBytes
  if (isSingleSegment) window = contentSize ?? 0
  if (window > LARGEST_WINDOW) throw new Error(`a frame wants a window of ${window} bytes, at most 8 MiB are given`)
  return { bytes: at - start, window, contentSize, checksumBytes: (descriptor & 4) !== 0 ? 4 : 0 }
}

function readBlockHeader(wire: Uint8Array, at: number): { readonly isLast: boolean; readonly bytes: number } {
  const header = readNumber(wire, at, 3)
  const type = (header >> 1) & 3
  const size = header >> 3
  if (type === 3) throw new Error('a block has a reserved type')
  if (size > LARGEST_BLOCK) throw new Error('a block is larger than blocks are')
  // A block of one byte repeated carries that byte alone.
  return { isLast: (header & 1) === 1, bytes: 3 + (type === 1 ? 1 : size) }
}

function within(wire: Uint8Array, end: number): number {
  if (end > wire.length) throw new Error('it ends too early')
  return end
}

const byte = (wire: Uint8Array, at: number): number => wire[within(wire, at + 1) - 1] ?? 0

/** Little endian; beyond 2^53 not exact, which is far beyond every limit. */
function readNumber(wire: Uint8Array, at: number, bytes: number): number {
  let number = 0
  for (let index = bytes - 1; index >= 0; index -= 1) number = number * 256 + byte(wire, at + index)
  return number
}

const word = (wire: Uint8Array, at: number): number => readNumber(wire, at, 4)

/** Counts what comes out; see `Decoder`. */
export function measureZstd(wire: Uint8Array, limit: number): Measured | 'too_large' {
  let kept: Uint8Array[] = []
  let seen = 0
  const size = decodeZstd(wire, limit, (bytes) => {
    seen += bytes.length
    if (seen > FEW_BYTES) kept = []
    else kept.push(bytes.slice())
  })
  if (size > limit) return 'too_large'
  return { size, bytes: size > FEW_BYTES ? null : Buffer.concat(kept, size) }
}

/** Decodes into a buffer of the size that was measured. */
export function fillZstd(wire: Uint8Array, size: number): Uint8Array {
  const bytes = new Uint8Array(size)
  let at = 0
  decodeZstd(wire, size, (block) => {
    bytes.set(block, at)
    at += block.length
  })
  return bytes
}
