import { inflateSync } from 'node:zlib'
import { fail, type Result, succeed } from './result'

const OPEN_BRACE = 0x7b
const SPACE = 0x20
const BASE64 = /^[A-Za-z0-9+/\s]+={0,2}$/

/**
 * The JSON of a bare event. Raven clients send it plain, or as base64 of it, or as base64 of it deflated (zlib), and no
 * header tells which; Relay tells them apart by the first byte, as here.
 * @param limit bytes of JSON; what would become more is not inflated further.
 */
export function readStoredEvent(
  bytes: Uint8Array,
  limit: number,
): Result<Uint8Array, 'too_large' | 'JSON or base64' | 'base64 of JSON or of zlib'> {
  if (startsLikeJson(bytes)) return bytes.length > limit ? fail('too_large') : succeed(bytes)
  const text = new TextDecoder('latin1').decode(bytes).trim()
  if (!BASE64.test(text)) return fail('JSON or base64')
  const binary = Buffer.from(text, 'base64')
  if (startsLikeJson(binary)) return binary.length > limit ? fail('too_large') : succeed(binary)
  try {
    return succeed(inflateSync(binary, Number.isFinite(limit) ? { maxOutputLength: limit } : {}))
  } catch (error) {
    const isTooLarge = error instanceof Error && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE'
    return fail(isTooLarge ? 'too_large' : 'base64 of JSON or of zlib')
  }
}

function startsLikeJson(bytes: Uint8Array): boolean {
  const first = bytes.find((byte) => byte > SPACE)
  return first === OPEN_BRACE
}
