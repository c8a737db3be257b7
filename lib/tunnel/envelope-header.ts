import {
  type BrotliOptions,
  constants,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createInflateRaw,
} from 'node:zlib'
import { type Coding, hasZlibHeader, readContentEncoding } from '../protocol/body'
import { parseDsn } from '../protocol/dsn'
import { fail, type Result, succeed } from '../protocol/result'
import { SIZE_LIMITS } from '../protocol/size-limits'
import { type BodyBlocks, problem, quote, type TunnelAnswer } from './post'

export interface TunnelSender {
  readonly publicKey: string
  readonly projectId: string
}

export type AcceptsSender = (sender: TunnelSender) => boolean

const MAX_DSN_LENGTH = 512

/** Decides by the `dsn` of the envelope header whether the envelope may go on. */
export function readSender(headerLine: Uint8Array, accepts: AcceptsSender): Result<TunnelSender, TunnelAnswer> {
  const dsn = readDsn(headerLine)
  if (!dsn.ok) return dsn
  const parsed = parseDsn(dsn.value)
  if (!parsed.ok) return fail(problem(400, 'the envelope header has a malformed dsn', [parsed.error]))
  const { publicKey, projectId } = parsed.value
  if (accepts({ publicKey, projectId })) return succeed({ publicKey, projectId })
  return fail(
    problem(403, `project ${quote(projectId)} with key ${quote(publicKey)} is not configured here`, [
      'key and project of the dsn in the envelope header must match a configured DSN',
    ]),
  )
}

function readDsn(headerLine: Uint8Array): Result<string, TunnelAnswer> {
  let header: unknown
  let text = ''
  try {
    // Fatal, as in the collector: both must read the same header from the same bytes.
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(headerLine)
    header = JSON.parse(text)
  } catch {
    return fail(notAHeader(text))
  }
  if (typeof header !== 'object' || header === null || Array.isArray(header)) return fail(notAHeader(text))
  const dsn: unknown = 'dsn' in header ? header.dsn : undefined
  if (dsn === undefined)
    return fail(problem(400, 'the envelope header has no dsn', ["an SDK adds it when its option 'tunnel' is set"]))
  // Checked before the URL parser, which removes line breaks and converts backslashes and Unicode digits.
  if (typeof dsn !== 'string' || dsn.length > MAX_DSN_LENGTH || !/^https?:\/\/[!-[\]-~]+$/i.test(dsn))
    return fail(
      problem(400, `the dsn of the envelope header is ${quote(typeof dsn === 'string' ? dsn : typeof dsn)}`, [
        'a DSN looks like https://PUBLIC_KEY@HOST/PROJECT_ID',
      ]),
    )
  return succeed(dsn)
}

const notAHeader = (text: string): TunnelAnswer =>
  problem(400, `the first line must be an envelope header (one JSON object), got ${quote(text)}`)

/** The collector's own limit of an envelope header. */
export const DEFAULT_MAX_HEADER_LINE = SIZE_LIMITS.header_line

/**
 * Decides whether `readHeaderLine` can read the first line from the bytes that have arrived.
 * @param piece the latest bytes @param byteLength of all of them
 */
export function mayReadHeaderLine(
  contentEncoding: string | null,
  maxBytes: number,
): (piece: Uint8Array, byteLength: number) => boolean {
  const coding = readContentEncoding(contentEncoding)
  if (!coding.ok || coding.value === 'zstd') return () => true
  if (coding.value !== null) return (_, byteLength) => byteLength >= encodedPrefixBytes(maxBytes)
  return (piece, byteLength) => byteLength > maxBytes || piece.includes(NEWLINE)
}

/** An encoded body is decoded up to this many bytes; several times what an incompressible header needs. */
const encodedPrefixBytes = (maxHeaderLine: number): number => Math.max(64 * 1024, 4 * maxHeaderLine)

const NEWLINE = 0x0a

/**
 * The tunnel reads only the first line of an envelope. Decodes an encoded body only that far, so a decompression bomb
 * costs one buffer; the body itself goes on in its original encoding.
 * @param isWhole false when more of the body may follow
 */
export async function readHeaderLine(
  body: BodyBlocks,
  contentEncoding: string | null,
  maxBytes: number = DEFAULT_MAX_HEADER_LINE,
  isWhole = true,
): Promise<Result<Uint8Array, TunnelAnswer>> {
  const coding = readContentEncoding(contentEncoding)
  if (!coding.ok) return fail(problem(415, coding.error, [], SUPPORTED_ENCODINGS))
  if (coding.value === null) return lineOrRefusal(await takeLine(body.blocks, maxBytes), maxBytes)
  // SDKs do not use zstd with a tunnel, and Node 20 has no decoder for it.
  if (coding.value === 'zstd')
    return fail(problem(415, 'Content-Encoding must be gzip, deflate, br or none, got zstd', [], SUPPORTED_ENCODINGS))
  const prefix = prefixOf(body, encodedPrefixBytes(maxBytes))
  const decoder = decoderFor(coding.value, prefix)
  decoder.end(prefix)
  try {
    const line = await takeLine(decoder, maxBytes)
    const isComplete = line?.ended === true || (isWhole && prefix.byteLength === body.byteLength)
    return lineOrRefusal(isComplete ? line : null, maxBytes)
  } catch (error) {
    return fail(
      problem(400, `Content-Encoding is ${coding.value}, but the body is not valid ${coding.value}`, [String(error)]),
    )
  }
}

const SUPPORTED_ENCODINGS = { 'accept-encoding': 'gzip, deflate, br' }

interface Line {
  readonly bytes: Uint8Array
  /** True when a newline ended it, false when the body did. */
  readonly ended: boolean
}

const lineOrRefusal = (line: Line | null, maxBytes: number): Result<Uint8Array, TunnelAnswer> =>
  line === null
    ? fail(problem(413, `the first line, the envelope header, must have at most ${maxBytes} bytes`))
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

function prefixOf(body: BodyBlocks, maxBytes: number): Uint8Array {
  const parts: Uint8Array[] = []
  for (let left = maxBytes, index = 0; left > 0 && index < body.blocks.length; index++) {
    const part = body.blocks[index]?.subarray(0, left)
    if (part === undefined) break
    parts.push(part)
    left -= part.byteLength
  }
  return Buffer.concat(parts)
}

/** The flush modes accept a stream that is cut off, because only a prefix is decoded. */
function decoderFor(coding: Exclude<Coding, 'zstd'>, prefix: Uint8Array) {
  const zlib = { finishFlush: constants.Z_SYNC_FLUSH }
  const brotli: BrotliOptions = { finishFlush: constants.BROTLI_OPERATION_FLUSH }
  if (coding === 'gzip') return createGunzip(zlib)
  if (coding === 'br') return createBrotliDecompress(brotli)
  return hasZlibHeader(prefix) ? createInflate(zlib) : createInflateRaw(zlib)
}
