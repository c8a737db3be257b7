/*
 * Conversions between texts and bytes with functions that Node and browsers both have. Pages scrub with the code of the
 * collector, and bundlers would add a polyfill of `Buffer` to them.
 */

/** As `Buffer` does: a byte order mark stays, and invalid bytes become U+FFFD. */
const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
const encoder = new TextEncoder()

export const decodeUtf8 = (bytes: Uint8Array, start = 0, end = bytes.length): string =>
  decoder.decode(new Uint8Array(bytes.buffer, bytes.byteOffset + start, end - start))

/** Lone surrogates become U+FFFD. */
export const encodeUtf8 = (text: string): Uint8Array => encoder.encode(text)

/**
 * Decodes base64 or base64url, with or without padding, to a text with one character per byte. Left-over bits are dropped.
 * @param base64 only characters of the alphabets, and padding at the end
 */
export function decodeBase64(base64: string): string {
  const plain = base64.replace(/=+$/, '').replaceAll('-', '+').replaceAll('_', '/')
  return atob(plain.length % 4 === 1 ? plain.slice(0, -1) : plain)
}

export function joinBytes(parts: readonly Uint8Array[]): Uint8Array {
  const joined = new Uint8Array(parts.reduce((length, part) => length + part.length, 0))
  let at = 0
  for (const part of parts) {
    joined.set(part, at)
    at += part.length
  }
  return joined
}
