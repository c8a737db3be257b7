import { Decompress } from 'fzstd'
import { MAX_KEPT_BYTES, type Measured } from './decoder'

/** RFC 9659 limits the window of Content-Encoding zstd to 8 MB; a reader may refuse more. */
const LARGEST_WINDOW = 8 * 1024 * 1024
const LARGEST_BLOCK = 128 * 1024
/** The library copies its window for each block: a million tiny blocks would take hours. */
const MOST_BYTES_COPIED = 16 * 1024 ** 3

const MAGIC = 0xfd2fb528
const SKIPPABLE_MAGIC = 0x184d2a5

interface FrameHeader {
  readonly bytes: number
  readonly window: number
  readonly contentSize: number | null
  readonly checksumBytes: number
}

/**
 * Decodes zstd (RFC 8878) block by block, and stops after the first block that exceeds `limit`. Checks headers first: the
 * library would allocate any window that they claim. Does not compare checksums: the library cannot.
 * @param onBytes receives each block in a buffer that the library uses again: copy it
 * @returns the decoded size; more than `limit` when it stopped early
 * @throws Error when the bytes are not zstd, end too early, or need a dictionary or a larger window
 */
export function decodeZstd(wire: Uint8Array, limit: number, onBytes: (bytes: Uint8Array) => void): number {
  if (wire.length === 0) throw new Error('the body is empty')
  let size = 0
  let copied = 0
  for (let at = 0; at < wire.length; ) {
    const magic = word32(wire, at)
    if (magic >>> 4 === SKIPPABLE_MAGIC) {
      at = within(wire, at + 8 + word32(wire, at + 4))
      continue
    }
    if (magic !== MAGIC) throw new Error('a frame does not begin with the zstd magic number')
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
      copied += Math.max(frame.window, LARGEST_BLOCK)
      if (copied > MOST_BYTES_COPIED) throw new Error('the body has too many blocks')
      const end = within(wire, at + block.bytes + (isLast ? frame.checksumBytes : 0))
      decoder.push(wire.subarray(at, end), isLast)
      if (size > limit) return size
      at = end
    }
    if (frame.contentSize !== null && frame.contentSize !== size - before)
      throw new Error('the size of a frame differs from its header')
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
  if (readNumber(wire, at, dictionaryBytes) !== 0) throw new Error('a frame needs a dictionary')
  at += dictionaryBytes
  const sizeFlag = descriptor >> 6
  const sizeBytes = [isSingleSegment ? 1 : 0, 2, 4, 8][sizeFlag] ?? 0
  const contentSize = sizeBytes === 0 ? null : readNumber(wire, at, sizeBytes) + (sizeFlag === 1 ? 256 : 0)
  at += sizeBytes
  if (isSingleSegment) window = contentSize ?? 0
  if (window > LARGEST_WINDOW) throw new Error(`a frame needs a window of ${window} bytes; at most 8 MiB are supported`)
  return { bytes: at - start, window, contentSize, checksumBytes: (descriptor & 4) !== 0 ? 4 : 0 }
}

function readBlockHeader(wire: Uint8Array, at: number): { readonly isLast: boolean; readonly bytes: number } {
  const header = readNumber(wire, at, 3)
  const type = (header >> 1) & 3
  const size = header >> 3
  if (type === 3) throw new Error('a block has a reserved type')
  if (size > LARGEST_BLOCK) throw new Error('a block is larger than 128 KiB')
  // A run-length block holds one byte.
  return { isLast: (header & 1) === 1, bytes: 3 + (type === 1 ? 1 : size) }
}

function within(wire: Uint8Array, end: number): number {
  if (end > wire.length) throw new Error('the body ends too early')
  return end
}

const byte = (wire: Uint8Array, at: number): number => wire[within(wire, at + 1) - 1] ?? 0

/** Little endian. Inexact beyond 2^53, far beyond every limit. */
function readNumber(wire: Uint8Array, at: number, bytes: number): number {
  let number = 0
  for (let index = bytes - 1; index >= 0; index -= 1) number = number * 256 + byte(wire, at + index)
  return number
}

const word32 = (wire: Uint8Array, at: number): number => readNumber(wire, at, 4)

export function measureZstd(wire: Uint8Array, limit: number): Measured | 'too_large' {
  let kept: Uint8Array[] = []
  let decoded = 0
  const size = decodeZstd(wire, limit, (bytes) => {
    decoded += bytes.length
    if (decoded > MAX_KEPT_BYTES) kept = []
    else kept.push(bytes.slice())
  })
  if (size > limit) return 'too_large'
  return { size, bytes: size > MAX_KEPT_BYTES ? null : Buffer.concat(kept, size) }
}

export function fillZstd(wire: Uint8Array, size: number): Uint8Array {
  const bytes = new Uint8Array(size)
  let at = 0
  decodeZstd(wire, size, (block) => {
    bytes.set(block, at)
    at += block.length
  })
  return bytes
}

/** The first decoded bytes, at most `most`; fewer when the rest has not arrived or is invalid. */
export function startZstd(wire: Uint8Array, most: number): Uint8Array {
  const kept: Uint8Array[] = []
  try {
    decodeZstd(wire, most, (block) => kept.push(block.slice()))
  } catch {
    // Found again, and answered, when the whole body is decoded.
  }
  return Buffer.concat(kept).subarray(0, most)
}
