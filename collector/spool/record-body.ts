import { deflateRawSync, inflateRawSync } from 'node:zlib'
import { BodyDamagedError } from './submission'

/** Below this deflating costs more than it saves. */
const DEFLATE_FROM_BYTES = 512

/** A body as the spool keeps it: deflated where that helps. */
export function deflate(body: Uint8Array): { deflated: boolean; body: Uint8Array } {
  if (body.length < DEFLATE_FROM_BYTES) return { deflated: false, body }
  // The fastest level: an answer waits for it.
  const small = deflateRawSync(body, { level: 1, chunkSize: pieceOf(body.length / 2) })
  return small.length < body.length ? { deflated: true, body: small } : { deflated: false, body }
}

/**
 * The record's bytes, exactly as received.
 * @throws BodyDamagedError when they cannot be inflated, or are not as many as were received.
 */
export function inflate(row: {
  readonly deflated: number
  readonly bytes: number
  readonly body: Uint8Array
}): Uint8Array {
  const body = row.deflated === 1 ? inflateSafely(row.body, row.bytes) : row.body
  if (body.length !== row.bytes) throw new BodyDamagedError(`it has ${body.length} bytes of ${row.bytes}`)
  return body
}

/** What is made in one piece need not be joined: for a body of 12 KB that is half the work. */
const LARGEST_PIECE_BYTES = 1024 * 1024

const pieceOf = (bytes: number): number => Math.max(64, Math.min(Math.ceil(bytes), LARGEST_PIECE_BYTES))

function inflateSafely(body: Uint8Array, bytes: number): Uint8Array {
  try {
    // One byte more than it has: zlib sees the end without asking for another piece.
    return inflateRawSync(body, { chunkSize: pieceOf(bytes + 1) })
  } catch (error) {
    throw new BodyDamagedError(error instanceof Error ? error.message : String(error))
  }
}
