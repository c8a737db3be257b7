import type { Readable, Transform } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from 'node:zlib'
import { fail, type Result, succeed } from '../../lib/protocol/result'
import { hasZlibHeader } from '../../lib/protocol/zlib-header'
import type { Refusal } from '../errors'

/** Bytes on the wire: a body is never larger than what the tunnel lets through. */
export const MAX_WIRE_BYTES = 20 * 1024 * 1024
/** Bytes after decoding, enforced while they stream: a bomb ends here, whatever it would have become. */
export const MAX_DECODED_BYTES = 100 * 1024 * 1024

export interface BodyLimits {
  readonly wire: number
  readonly decoded: number
}

export const BODY_LIMITS: BodyLimits = { wire: MAX_WIRE_BYTES, decoded: MAX_DECODED_BYTES }
/** A bare event is one item, and must be read whole to be admitted. */
export const STORE_LIMITS: BodyLimits = { wire: 1024 * 1024, decoded: 1024 * 1024 }

export interface Body {
  /** After content encoding. */
  readonly bytes: Uint8Array
  readonly wireBytes: number
}

const tooLarge = (what: string, limit: number): Refusal => ({
  status: 413,
  reason: 'too_large',
  detail: `the body is larger than ${limit} bytes ${what}`,
})

/**
 * Reads and decodes a body: gzip, deflate (zlib or raw), br. Any other word of Content-Encoding that SDKs are known to
 * send (`utf-8`, empty) means none.
 */
export async function readBody(request: Request, limits: BodyLimits = BODY_LIMITS): Promise<Result<Body, Refusal>> {
  const declared = request.headers.get('content-length')
  if (declared !== null && Number(declared) > limits.wire) return fail(tooLarge('on the wire', limits.wire))
  const wire = await collect(request, limits.wire)
  if (!wire.ok) return wire
  if (declared !== null && Number(declared) !== wire.value.length)
    return fail({
      status: 400,
      reason: 'length_mismatch',
      detail: `${wire.value.length} bytes came where Content-Length promised ${declared}`,
    })
  const decoded = await decode(wire.value, request.headers.get('content-encoding'), limits.decoded)
  return decoded.ok ? succeed({ bytes: decoded.value, wireBytes: wire.value.length }) : decoded
}

async function collect(request: Request, limit: number): Promise<Result<Uint8Array, Refusal>> {
  const chunks: Uint8Array[] = []
  let size = 0
  if (request.body !== null) {
    for await (const chunk of request.body) {
      size += chunk.length
      if (size > limit) return fail(tooLarge('on the wire', limit))
      chunks.push(chunk)
    }
  }
  return succeed(Buffer.concat(chunks, size))
}

async function decode(bytes: Uint8Array, encoding: string | null, limit: number): Promise<Result<Uint8Array, Refusal>> {
  const name = (encoding ?? '').trim().toLowerCase()
  if (name === 'zstd')
    return fail({
      status: 415,
      reason: 'encoding',
      detail: 'Content-Encoding zstd cannot be decoded here; send gzip, deflate, br or none',
    })
  const decoder = decoderFor(name, bytes)
  if (decoder === null) return bytes.length > limit ? fail(tooLarge('decoded', limit)) : succeed(bytes)
  try {
    return await inflateWithin(decoder, bytes, limit)
  } catch (error) {
    const cause = error instanceof Error ? error.message : String(error)
    return fail({
      status: 400,
      reason: 'encoding',
      detail: `the body is not the ${name} that Content-Encoding says`,
      causes: [cause],
    })
  }
}

function decoderFor(name: string, bytes: Uint8Array): (Transform & Readable) | null {
  if (name === 'gzip' || name === 'x-gzip') return createGunzip()
  if (name === 'br') return createBrotliDecompress()
  if (name !== 'deflate') return null
  return hasZlibHeader(bytes) ? createInflate() : createInflateRaw()
}

function inflateWithin(decoder: Transform, bytes: Uint8Array, limit: number): Promise<Result<Uint8Array, Refusal>> {
  return new Promise((resolve, reject) => {
    const chunks: Uint8Array[] = []
    let size = 0
    decoder.on('error', reject)
    decoder.on('end', () => resolve(succeed(Buffer.concat(chunks, size))))
    decoder.on('data', (chunk: Uint8Array) => {
      size += chunk.length
      if (size > limit) {
        decoder.destroy()
        resolve(fail(tooLarge('decoded', limit)))
        return
      }
      chunks.push(chunk)
    })
    decoder.end(bytes)
  })
}
