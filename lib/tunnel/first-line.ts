import {
  type BrotliOptions,
  constants,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createInflateRaw,
} from 'node:zlib'
import { fail, type Result, succeed } from '../protocol/result'
import { hasZlibHeader } from '../protocol/zlib-header'
import { type Answer, problem, quote } from './answer'
import type { HeldBody } from './read-body'

/** The envelope header repeats the transaction's name, which may be a path as long as Node takes one (16 KiB). */
export const MAX_HEADER_LINE_BYTES = 16 * 1024

/** So much of an encoded body is looked at for its first line; four times what an incompressible one needs. */
const MAX_ENCODED_PREFIX_BYTES = 64 * 1024

const NEWLINE = 0x0a

/** Some SDKs write a character set where an encoding belongs; it means none. */
const NO_ENCODING = new Set(['', 'identity', 'utf-8', 'utf8'])

/**
 * The first line of an envelope: all that the tunnel ever reads of a body. An encoded body is decoded just that far,
 * so a bomb costs one buffer, and its bytes go on as they came.
 */
export async function firstLine(body: HeldBody, contentEncoding: string | null): Promise<Result<Uint8Array, Answer>> {
  const encoding = (contentEncoding ?? '').trim().toLowerCase()
  if (NO_ENCODING.has(encoding)) return lineOr(await takeLine(body.blocks))
  const prefix = prefixOf(body, MAX_ENCODED_PREFIX_BYTES)
  const decoder = decoderFor(encoding, prefix)
  if (decoder === null)
    return fail(
      problem(415, `Content-Encoding is ${quote(encoding)}, meant is one of gzip, deflate, br, or none`, [], {
        'accept-encoding': 'gzip, deflate, br',
      }),
    )
  decoder.end(prefix)
  try {
    const line = await takeLine(decoder)
    const isWhole = line?.ended === true || prefix.byteLength === body.byteLength
    return lineOr(isWhole ? line : null)
  } catch (error) {
    return fail(problem(400, `Content-Encoding says ${encoding}, but the body is not that`, [String(error)]))
  }
}

interface Line {
  readonly bytes: Uint8Array
  /** By a newline; else the bytes ended first. */
  readonly ended: boolean
}

const lineOr = (line: Line | null): Result<Uint8Array, Answer> =>
  line === null
    ? fail(problem(400, `the first line has more than ${MAX_HEADER_LINE_BYTES} bytes; meant is an envelope header`))
    : succeed(line.bytes)

async function takeLine(source: Iterable<Uint8Array> | AsyncIterable<Uint8Array>): Promise<Line | null> {
  const parts: Uint8Array[] = []
  let length = 0
  for await (const chunk of source) {
    const end = chunk.indexOf(NEWLINE)
    const part = end < 0 ? chunk : chunk.subarray(0, end)
    length += part.byteLength
    if (length > MAX_HEADER_LINE_BYTES) return null
    parts.push(part)
    if (end >= 0) return { bytes: Buffer.concat(parts), ended: true }
  }
  return { bytes: Buffer.concat(parts), ended: false }
}

function prefixOf(body: HeldBody, atMost: number): Uint8Array {
  const parts: Uint8Array[] = []
  for (let left = atMost, index = 0; left > 0 && index < body.blocks.length; index++) {
    const part = body.blocks[index]?.subarray(0, left)
    if (part === undefined) break
    parts.push(part)
    left -= part.byteLength
  }
  return Buffer.concat(parts)
}

/** The flush modes let a stream end in its middle, for only its beginning is given. */
function decoderFor(encoding: string, prefix: Uint8Array) {
  const zlib = { finishFlush: constants.Z_SYNC_FLUSH }
  const brotli: BrotliOptions = { finishFlush: constants.BROTLI_OPERATION_FLUSH }
  if (encoding === 'gzip' || encoding === 'x-gzip') return createGunzip(zlib)
  if (encoding === 'br') return createBrotliDecompress(brotli)
  if (encoding === 'deflate') return hasZlibHeader(prefix) ? createInflate(zlib) : createInflateRaw(zlib)
  return null
}
