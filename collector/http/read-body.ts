import { type Coding, openBlocks, readContentEncoding } from '../../lib/protocol/body'
import type { Limits } from '../../lib/protocol/limits'
import { fail, type Result, succeed } from '../../lib/protocol/result'
import type { StartTimer } from '../../lib/time'
import { type Decoder, limitConcurrency, zlibDecoder } from './decoder'
import { freeBuffer, openMemoryBudget, type Reservation } from './memory-budget'
import { describeLimit, type Refusal } from './refusal'

export interface BodyLimits {
  readonly wire: number
  readonly decoded: number
  /** The refusal of a body that is a single item; without it the refusal reports `wire` or `decoded`. */
  readonly tooLarge?: string
}

export interface Body {
  readonly bytes: Uint8Array
  readonly wireBytes: number
  /** Frees the memory. Call it once the bytes are on disk or refused; they are empty afterwards. */
  readonly release: () => void
}

/** A `Request`, or headers and stream of Node's own request, which take half as long. */
interface IncomingBody {
  readonly headers: Pick<Headers, 'get'>
  readonly body: AsyncIterable<Uint8Array> | null
}

/** Reads and decodes a body. Returns a refusal for a body over a limit (413), invalid (400) or without free memory (503). */
export type ReadBody = (incoming: IncomingBody, limits: BodyLimits) => Promise<Result<Body, Refusal>>

/** A bare event or report is one item, so the limit of an event applies to the whole body. */
export function bodyLimits(kind: 'envelope' | 'one event', limits: Limits): BodyLimits {
  if (kind === 'envelope') return { wire: limits.wire, decoded: limits.decoded }
  const { wire, decoded, event } = limits
  return {
    wire: Math.min(wire, event),
    decoded: Math.min(decoded, event),
    ...(event <= Math.min(wire, decoded)
      ? { tooLarge: `envelope exceeded size limits for type 'event' ${describeLimit(limits, 'event')}` }
      : {}),
  }
}

/**
 * More would share the same cores, and each br window takes up to 16 MiB. zstd has one thread and its own queue, so a
 * slow zstd body delays only other zstd bodies.
 */
const DECODED_AT_ONCE = { zlib: 2, zstd: 1 }

/**
 * Applies the size limits while bytes arrive, reserves their memory in one budget for all bodies, and decodes.
 * @param options.zstd runs on another thread, because Node 20 has no zstd decoder
 */
export function createBodyReader(options: {
  readonly limits: Pick<Limits, 'wire' | 'decoded' | 'in_flight'>
  readonly zstd: Decoder
  readonly later: StartTimer
}): ReadBody {
  const { in_flight, wire, decoded } = options.limits
  const budget = openMemoryBudget(in_flight, wire + decoded, options.later)
  const turns = { zlib: limitConcurrency(DECODED_AT_ONCE.zlib), zstd: limitConcurrency(DECODED_AT_ONCE.zstd) }

  async function readInto(
    memory: Reservation,
    incoming: IncomingBody,
    limits: BodyLimits,
  ): Promise<Result<Body, Refusal>> {
    const coding = readContentEncoding(incoming.headers.get('content-encoding'))
    if (!coding.ok) return fail({ status: 415, reason: 'encoding', detail: coding.error })
    const stated = incoming.headers.get('content-length')
    if (stated !== null && Number(stated) > limits.wire) return fail(tooLarge(limits, 'wire'))
    const received = await receiveBytes(incoming, stated, limits, memory)
    if (!received.ok) return fail(refusalOf(received.error, limits))
    const bytes = received.value
    const wireBytes = bytes.length
    if (stated !== null && Number(stated) !== wireBytes)
      return fail({
        status: 400,
        reason: 'length_mismatch',
        detail: `received ${wireBytes} bytes, but Content-Length is ${stated}`,
      })
    if (coding.value === null) {
      if (wireBytes > limits.decoded) return fail(tooLarge(limits, 'decoded'))
      return succeed({ bytes, wireBytes, release: () => release(bytes, memory) })
    }
    const decodedBytes = await decode(bytes, coding.value, limits, memory)
    freeBuffer(bytes)
    if (!decodedBytes.ok) return decodedBytes
    memory.free(wireBytes)
    return succeed({ bytes: decodedBytes.value, wireBytes, release: () => release(decodedBytes.value, memory) })
  }

  const refusalOf = (why: Unreceived, limits: BodyLimits): Refusal => {
    if (why === 'aborted') return ABORTED
    return why === 'no memory' ? noMemory(in_flight) : tooLarge(limits, 'wire')
  }

  async function decode(
    bytes: Uint8Array,
    coding: Coding,
    limits: BodyLimits,
    memory: Reservation,
  ): Promise<Result<Uint8Array, Refusal>> {
    const decoder = coding === 'zstd' ? options.zstd : zlibDecoder(coding)
    const takeTurn = coding === 'zstd' ? turns.zstd : turns.zlib
    try {
      const measured = await takeTurn(() => decoder.measure(bytes, limits.decoded))
      if (measured === 'too_large') return fail(tooLarge(limits, 'decoded'))
      // Never waits for memory during a turn, nor with decoded bytes: other bodies would wait for both.
      if (measured.bytes !== null && memory.tryReserve(measured.size)) return succeed(measured.bytes)
      if (!(await memory.reserve(measured.size))) return fail(noMemory(in_flight))
      return succeed(await takeTurn(() => decoder.fill(bytes, measured.size)))
    } catch (error) {
      return fail({
        status: 400,
        reason: 'encoding',
        detail: `Content-Encoding is ${coding}, but the body is not valid ${coding}`,
        causes: [error instanceof Error ? error.message : String(error)],
      })
    }
  }

  return async (incoming, limits) => {
    const memory = budget.open()
    let isKept = false
    try {
      const read = await readInto(memory, incoming, limits)
      isKept = read.ok
      return read
    } finally {
      if (!isKept) memory.close()
    }
  }
}

function release(bytes: Uint8Array, memory: Reservation): void {
  freeBuffer(bytes)
  memory.close()
}

const tooLarge = (limits: BodyLimits, which: 'wire' | 'decoded'): Refusal => ({
  status: 413,
  reason: 'too_large',
  detail:
    limits.tooLarge ??
    `the body is larger than ${limits[which]} bytes ${which === 'wire' ? 'on the wire' : which} (${which} in WAYSTATION_LIMITS)`,
})

/** Without Retry-After: it would silence every category of the SDK for that long. */
const noMemory = (inFlight: number): Refusal => ({
  status: 503,
  reason: 'in_flight',
  detail: `request bodies of ${inFlight} bytes together are already being received, and no memory became free in time; send it again`,
})

/** Nobody reads this answer; the refusal is counted. */
const ABORTED: Refusal = {
  status: 400,
  reason: 'aborted',
  detail: 'the connection closed before the whole body arrived; nothing is stored',
}

type Unreceived = 'too large' | 'no memory' | 'aborted'

/** A larger Content-Length is not trusted until this much has arrived: a false one costs a sender nothing. */
const TRUSTED_BYTES = 1024 * 1024

/** Reserves the memory of each chunk before keeping it. Reads nothing more from the sender while it waits for memory. */
async function receiveBytes(
  incoming: IncomingBody,
  stated: string | null,
  limits: BodyLimits,
  memory: Reservation,
): Promise<Result<Uint8Array, Unreceived>> {
  const announced = stated !== null && /^\d{1,15}$/.test(stated) ? Number(stated) : 0
  const blocks = openBlocks(limits.wire)
  const refuse = (why: Unreceived) => {
    for (const block of blocks.close()) freeBuffer(block)
    return fail(why)
  }
  let reserved = 0
  try {
    for await (const chunk of incoming.body ?? []) {
      const size = blocks.byteLength() + chunk.length
      if (size > limits.wire) return refuse('too large')
      if (size > reserved) {
        const isTrusted = announced >= size && (announced <= TRUSTED_BYTES || size >= TRUSTED_BYTES)
        const needed = isTrusted ? announced : size
        if (!(await memory.reserve(needed - reserved))) return refuse('no memory')
        reserved = needed
        if (isTrusted) blocks.widen(announced)
      }
      blocks.add(chunk)
    }
  } catch (error) {
    if (!isAbort(error)) throw error
    return refuse('aborted')
  }
  return concatenate(blocks.close(), blocks.byteLength(), memory)
}

/** Node's error of a request whose connection closed; after a time-out, and at a stop, the collector closed it. */
const isAbort = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && (error.code === 'ECONNRESET' || error.code === PREMATURE_CLOSE)
const PREMATURE_CLOSE = 'ERR_STREAM_PREMATURE_CLOSE'

async function concatenate(
  parts: readonly Uint8Array[],
  size: number,
  memory: Reservation,
): Promise<Result<Uint8Array, 'no memory'>> {
  const [first = new Uint8Array(), ...others] = parts
  if (others.length === 0) return succeed(first)
  if (size <= TRUSTED_BYTES) return succeed(Buffer.concat(parts, size))
  if (!(await memory.reserve(size))) return fail('no memory')
  const whole = new Uint8Array(size)
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
    freeBuffer(part)
  }
  memory.free(size)
  return succeed(whole)
}
