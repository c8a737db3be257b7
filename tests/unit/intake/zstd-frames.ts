const LARGEST_BLOCK = 128 * 1024

/** A frame header with a window and no content size. */
export const frameHeader = (windowDescriptor: number): Buffer =>
  Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x00, windowDescriptor])

/** 128 KiB: exponent 7, mantissa 0. */
export const WINDOW_128_KIB = 7 << 3

/** 8 MiB: exponent 13, mantissa 0. */
export const WINDOW_8_MIB = 13 << 3

type Kind = 'raw' | 'repeated' | 'compressed' | 'reserved'
const KINDS: readonly Kind[] = ['raw', 'repeated', 'compressed', 'reserved']

/** A block: its header of three bytes, and its content as it is. */
export function block(kind: Kind, size: number, content: Uint8Array, isLast: boolean): Buffer {
  const header = (size << 3) | (KINDS.indexOf(kind) << 1) | (isLast ? 1 : 0)
  return Buffer.concat([Buffer.from([header & 255, (header >> 8) & 255, header >> 16]), content])
}

/** A frame that stores bytes as they are. */
export function rawZstd(bytes: Uint8Array): Buffer {
  const blocks = [frameHeader(WINDOW_128_KIB)]
  let at = 0
  do {
    const part = bytes.subarray(at, at + LARGEST_BLOCK)
    at += part.length
    blocks.push(block('raw', part.length, part, at >= bytes.length))
  } while (at < bytes.length)
  return Buffer.concat(blocks)
}

/** A frame of so many zeros, in four bytes for each 128 KiB. */
export function zerosZstd(size: number, windowDescriptor: number = WINDOW_128_KIB): Buffer {
  const blocks = [frameHeader(windowDescriptor)]
  for (let left = size; left > 0; left -= LARGEST_BLOCK)
    blocks.push(block('repeated', Math.min(left, LARGEST_BLOCK), Buffer.from([0]), left <= LARGEST_BLOCK))
  return Buffer.concat(blocks)
}
