import { deflateRawSync, inflateRawSync } from 'node:zlib'

/** Below this deflating costs more than it saves. */
const DEFLATE_FROM_BYTES = 512

/** A body as the spool keeps it: deflated where that helps. */
export function deflate(body: Uint8Array): { deflated: boolean; body: Uint8Array } {
  if (body.length < DEFLATE_FROM_BYTES) return { deflated: false, body }
  // The fastest level: an answer waits for it.
  const small = deflateRawSync(body, { level: 1 })
  return small.length < body.length ? { deflated: true, body: small } : { deflated: false, body }
}

/** The record's bytes, exactly as received. */
export function inflate(row: { readonly deflated: number; readonly body: Uint8Array }): Uint8Array {
  return row.deflated === 1 ? inflateRawSync(row.body) : row.body
}
