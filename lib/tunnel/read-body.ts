import { openBlocks } from '../protocol/body'
import { LIMITS } from '../protocol/limits'
import { fail, type Result, succeed } from '../protocol/result'
import { type Answer, problem, quote } from './answer'

/** A whole body, as it came (still content-encoded), in a few blocks. */
export interface HeldBody {
  readonly blocks: readonly Uint8Array[]
  readonly byteLength: number
}

/** An envelope larger than this is refused: the collector's own limit. */
export const DEFAULT_MAX_BYTES = LIMITS.wire

/**
 * Reads a body without ever holding more than the cap and one block.
 * @param hangUp is given what ends a sender that goes on after a refusal.
 */
export async function readBody(
  request: Request,
  maxBytes: number,
  hangUp: (cancel: () => Promise<void>) => void,
): Promise<Result<HeldBody, Answer>> {
  const stated = request.headers.get('content-length')
  if (stated !== null && !/^\d{1,15}$/.test(stated))
    return fail(problem(400, `Content-Length is ${quote(stated)}, meant is a number of bytes`))
  const announced = stated === null ? null : Number(stated)
  if (announced !== null && announced > maxBytes) return fail(tooLarge(`has ${announced} bytes`, maxBytes))

  const read = await readStream(request.body, maxBytes, hangUp)
  if (!read.ok) return read
  const { byteLength } = read.value
  // Next cuts a body at 10 MB when a proxy.ts matches the path, and goes on as if that were all of it.
  if (announced !== null && announced !== byteLength)
    return fail(problem(400, `the body has ${byteLength} bytes, but its Content-Length says ${announced}`))
  if (byteLength === 0) return fail(problem(400, 'the body is empty, meant is an envelope'))
  return read
}

/** A body that is already in memory, under the same limits. */
export function holdBytes(bytes: Uint8Array, maxBytes: number): Result<HeldBody, Answer> {
  if (bytes.byteLength > maxBytes) return fail(tooLarge(`has ${bytes.byteLength} bytes`, maxBytes))
  if (bytes.byteLength === 0) return fail(problem(400, 'the body is empty, meant is an envelope'))
  return succeed({ blocks: [bytes], byteLength: bytes.byteLength })
}

async function readStream(
  body: ReadableStream<Uint8Array> | null,
  maxBytes: number,
  hangUp: (cancel: () => Promise<void>) => void,
): Promise<Result<HeldBody, Answer>> {
  if (body === null) return succeed({ blocks: [], byteLength: 0 })
  const reader = body.getReader()
  const blocks = openBlocks(maxBytes)
  for (;;) {
    const step = await reader.read().catch((error: unknown) => ({ broken: error }))
    if ('broken' in step) return fail(problem(400, 'the body broke off before its end', [String(step.broken)]))
    if (step.done) return succeed({ blocks: blocks.close(), byteLength: blocks.byteLength() })
    if (blocks.byteLength() + step.value.byteLength > maxBytes) {
      hangUp(() => reader.cancel())
      return fail(tooLarge('is larger', maxBytes))
    }
    blocks.add(step.value)
  }
}

const tooLarge = (what: string, maxBytes: number): Answer =>
  problem(413, `the envelope ${what}; at most ${maxBytes} bytes are taken`)
