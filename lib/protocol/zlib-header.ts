/** RFC 9110 §8.4.1.2 means zlib by "deflate", and notes that some send the raw stream. RFC 1950 §2.2 tells them apart. */
export function hasZlibHeader(bytes: Uint8Array): boolean {
  const [first = 0, second = 0] = bytes
  return (first & 0x0f) === 8 && (first * 256 + second) % 31 === 0
}
