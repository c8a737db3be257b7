import {
  type BrotliOptions,
  constants,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createInflateRaw,
} from 'node:zlib'
import { type Coding, hasZlibHeader, readContentEncoding } from '../protocol/body'
import { LIMITS } from '../protocol/limits'
import { fail, type Result, succeed } from '../protocol/result'
import { type Answer, problem } from './answer'
import type { HeldBody } from './read-body'

/** A longer envelope header is refused: the collector's own limit. */
export const DEFAULT_MAX_HEADER_LINE = LIMITS.header_line

/** So much of an encoded body is looked at for its first line; several times what an incompressible one needs. */
const encodedPrefixBytes = (maxHeaderLine: number): number => Math.max(64 * 1024, 4 * maxHeaderLine)

const NEWLINE = 0x0a

/**
 * The first line of an envelope: all that the tunnel ever reads of a body. An encoded body is decoded just that far,
 * so a bomb costs one buffer, and its bytes go on as they came.
 */
export async function firstLine(
  body: HeldBody,
  contentEncoding: string | null,
  maxBytes: number = DEFAULT_MAX_HEADER_LINE,
): Promise<Result<Uint8Array, Answer>> {
  const coding = readContentEncoding(contentEncoding)
  if (!coding.ok) return fail(problem(415, coding.error, [], ENCODINGS))
  if (coding.value === null) return lineOr(await takeLine(body.blocks, maxBytes), maxBytes)
  // No SDK that posts to a tunnel writes it, and its decoder would be most of this file.
  if (coding.value === 'zstd')
    return fail(
      problem(415, 'Content-Encoding is zstd, meant here is one of gzip, deflate, br, or none', [], ENCODINGS),
    )
  const prefix = prefixOf(body, encodedPrefixBytes(maxBytes))
  const decoder = decoderFor(coding.value, prefix)
  decoder.end(prefix)
  try {
    const line = await takeLine(decoder, maxBytes)
    const isWhole = line?.ended === true || prefix.byteLength === body.byteLength
    return lineOr(isWhole ? line : null, maxBytes)
  } catch (error) {
    return fail(problem(400, `Content-Encoding says ${coding.value}, but the body is not that`, [String(error)]))
  }
}

const ENCODINGS = { 'accept-encoding': 'gzip, deflate, br' }

interface Line {
  readonly bytes: Uint8Array
  /** By a newline; else the bytes ended first. */
  readonly ended: boolean
}

const lineOr = (line: Line | null, maxBytes: number): Result<Uint8Array, Answer> =>
  line === null
    ? fail(problem(413, `the first line has more than ${maxBytes} bytes; meant is an envelope header`))
    : succeed(line.bytes)

async function takeLine(
  source: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  maxBytes: number,
): Promise<Line | null> {
  const parts: Uint8Array[] = []
  let length = 0
  for await (const chunk of source) {
    const end = chunk.indexOf(NEWLINE)
    const part = end < 0 ? chunk : chunk.subarray(0, end)
    length += part.byteLength
    if (length > maxBytes) return null
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
function decoderFor(coding: Exclude<Coding, 'zstd'>, prefix: Uint8Array) {
  const zlib = { finishFlush: constants.Z_SYNC_FLUSH }
  const brotli: BrotliOptions = { finishFlush: constants.BROTLI_OPERATION_FLUSH }
  if (coding === 'gzip') return createGunzip(zlib)
  if (coding === 'br') return createBrotliDecompress(brotli)
  return hasZlibHeader(prefix) ? createInflate(zlib) : createInflateRaw(zlib)
}
