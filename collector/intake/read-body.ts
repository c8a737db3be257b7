import { type Coding, readContentEncoding } from '../../lib/protocol/body'
import { fail, type Result, succeed } from '../../lib/protocol/result'
import type { SizeLimits } from '../../lib/protocol/size-limits'
import type { StartTimer } from '../../lib/time'
import { openMemoryBudget, type Reservation } from '../../lib/tunnel/memory-budget'
import { freeBuffer } from '../runtime/free-buffer'
import type { Refusal } from '../runtime/problem'
import { type Decoders, limitConcurrency, TOO_LONG, zlibDecoder } from './decoder'
import { type IncomingBody, type Lanes, receiveBytes, SMALL_BYTES, type Unreceived } from './receive-body'
import { describeLimit } from './refusal'

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

/** Judges the first decoded bytes of a body over 64 KiB before the rest of it is received, or decoded. */
export type CheckStart = (start: Uint8Array) => Refusal | null

/**
 * Reads and decodes a body. Returns a refusal for a body over a limit (413), invalid (400), too slow (408) or without free
 * memory (503).
 */
export type ReadBody = (
  incoming: IncomingBody,
  sizeLimits: BodyLimits,
  checkStart?: CheckStart,
) => Promise<Result<Body, Refusal>>

interface BodyReader {
  readonly readBody: ReadBody
  /** A sentence while bodies wait for memory. */
  readonly problem: () => string | null
}

/** A bare event or report is one item, so the limit of an event applies to the whole body. */
export function bodyLimits(kind: 'envelope' | 'one event', sizeLimits: SizeLimits): BodyLimits {
  if (kind === 'envelope') return { wire: sizeLimits.wire, decoded: sizeLimits.decoded }
  const { wire, decoded, event } = sizeLimits
  return {
    wire: Math.min(wire, event),
    decoded: Math.min(decoded, event),
    ...(event <= Math.min(wire, decoded)
      ? { tooLarge: `envelope exceeded size limits for type 'event' ${describeLimit(sizeLimits, 'event')}` }
      : {}),
  }
}

/**
 * More would share the same cores, and each br window takes up to 16 MiB. zstd has its own threads and queues, so a slow
 * zstd body delays only other zstd bodies.
 */
const DECODED_AT_ONCE = { small: 2, large: 2, zstd: 1 }

/** Bodies up to 64 KiB together. Those above share `in_flight`. */
const SMALL_LANE_BYTES = 16 * 1024 * 1024
const MOST_WAITING = { small: 1000, large: 250 }

/** A body that arrives more slowly than this is dropped while others wait: 20 MiB in 80 s. */
const LEAST_BYTES_PER_MS = 256

/** Bodies that wait longer than this are a problem that readiness reports. */
const LONG_WAIT_MS = 1000

/** The bytes of a large body that `checkStart` gets at most, beyond the limit of a header. */
const START_BYTES = 1024

/**
 * Applies the size limits while bytes arrive, reserves their memory, and decodes. Bodies up to 64 KiB have a lane of their
 * own: memory, and turns of decoding. A body that turns out to be larger changes to the other lane.
 * @param options.zstd run on other threads, because Node 20 has no zstd decoder
 */
export function createBodyReader(options: {
  readonly sizeLimits: Pick<SizeLimits, 'wire' | 'decoded' | 'in_flight' | 'header_line'>
  readonly zstd: Decoders
  readonly later: StartTimer
  /** A clock in ms that never goes back. */
  readonly monotonic: () => number
}): BodyReader {
  const { later, monotonic } = options
  const { in_flight, wire, decoded, header_line } = options.sizeLimits
  const lane = (limit: number, largest: number, most: number) =>
    openMemoryBudget({ limit, largest, leastBytesPerMs: LEAST_BYTES_PER_MS, queue: { most, later }, monotonic })
  const lanes: Lanes = {
    small: lane(SMALL_LANE_BYTES, 2 * SMALL_BYTES, MOST_WAITING.small),
    large: lane(in_flight, wire + decoded, MOST_WAITING.large),
  }
  const turns = {
    zlib: { small: limitConcurrency(DECODED_AT_ONCE.small), large: limitConcurrency(DECODED_AT_ONCE.large) },
    zstd: { small: limitConcurrency(DECODED_AT_ONCE.zstd), large: limitConcurrency(DECODED_AT_ONCE.zstd) },
  }

  async function readInto(
    incoming: IncomingBody,
    sizeLimits: BodyLimits,
    checkStart: CheckStart,
  ): Promise<Result<Body, Refusal>> {
    const coding = readContentEncoding(incoming.headers.get('content-encoding'))
    if (!coding.ok) return fail({ status: 415, reason: 'encoding', detail: coding.error })
    const stated = incoming.headers.get('content-length')
    if (stated !== null && Number(stated) > sizeLimits.wire) return fail(tooLarge(sizeLimits, 'wire'))
    const check = async (bytes: Uint8Array) => checkStart(await startOf(bytes, coding.value))
    const received = await receiveBytes<Refusal>(incoming, lanes, { stated, most: sizeLimits.wire, check })
    if (!received.ok) return fail(refusalOf(received.error, sizeLimits))
    const { bytes, memory, isSmall } = received.value
    const wireBytes = bytes.length
    const refuse = (refusal: Refusal) => {
      memory.close()
      freeBuffer(bytes)
      return fail(refusal)
    }
    if (stated !== null && Number(stated) !== wireBytes)
      return refuse({
        status: 400,
        reason: 'length_mismatch',
        detail: `received ${wireBytes} bytes, but Content-Length is ${stated}`,
      })
    if (coding.value === null) {
      if (wireBytes > sizeLimits.decoded) return refuse(tooLarge(sizeLimits, 'decoded'))
      return succeed(keep(bytes, wireBytes, memory))
    }
    if (isSmall) {
      const small = await decodeSmall(bytes, coding.value, sizeLimits, memory)
      if (!small.ok) return refuse(small.error)
      if (small.value !== 'large') return succeed(keep(small.value, wireBytes, memory))
    }
    // Of a zstd body, the start can be decoded only once a block of up to 128 KiB has arrived.
    const refused = await check(bytes)
    if (refused !== null) return refuse(refused)
    if (!isSmall) return decodeLarge(bytes, coding.value, sizeLimits, memory)
    memory.close()
    const next = lanes.large.open(() => undefined)
    next.complete()
    if (await next.reserve(wireBytes)) return decodeLarge(bytes, coding.value, sizeLimits, next)
    next.close()
    return fail(noMemory(in_flight))
  }

  const refusalOf = (why: Unreceived<Refusal>, sizeLimits: BodyLimits): Refusal => {
    if (typeof why === 'object') return why.refused
    if (why === 'aborted') return ABORTED
    if (why === 'too slow') return TOO_SLOW
    return why === 'no memory' ? noMemory(in_flight) : tooLarge(sizeLimits, 'wire')
  }

  /** The first decoded bytes of a body of which only the start may have arrived. */
  async function startOf(bytes: Uint8Array, coding: Coding | null): Promise<Uint8Array> {
    const most = header_line + START_BYTES
    if (coding === null) return bytes.subarray(0, most)
    const { decoder, takeTurn } = decoding(coding, 'small')
    // A body that cannot be decoded, or not in time, is answered when the whole of it is decoded.
    return takeTurn(() => decoder.start(bytes, most)).catch(() => new Uint8Array())
  }

  const decoding = (coding: Coding, lane: 'small' | 'large') =>
    coding === 'zstd'
      ? { decoder: options.zstd[lane], takeTurn: turns.zstd[lane] }
      : { decoder: zlibDecoder(coding), takeTurn: turns.zlib[lane] }

  /** @returns `large` when the body exceeds 64 KiB, or takes longer to decode than such a body can */
  async function decodeSmall(
    bytes: Uint8Array,
    coding: Coding,
    sizeLimits: BodyLimits,
    memory: Reservation,
  ): Promise<Result<Uint8Array | 'large', Refusal>> {
    const { decoder, takeTurn } = decoding(coding, 'small')
    const most = Math.min(SMALL_BYTES, sizeLimits.decoded)
    try {
      const measured = await takeTurn(() => decoder.measure(bytes, most))
      if (measured === 'too_large')
        return most === sizeLimits.decoded ? fail(tooLarge(sizeLimits, 'decoded')) : succeed('large')
      if (measured.bytes === null || !(await memory.reserve(measured.size))) return fail(noMemory(SMALL_LANE_BYTES))
      memory.free(bytes.length)
      return succeed(measured.bytes)
    } catch (error) {
      if (error instanceof Error && error.message === TOO_LONG) return succeed('large')
      return fail(undecodable(coding, error))
    }
  }

  async function decodeLarge(
    bytes: Uint8Array,
    coding: Coding,
    sizeLimits: BodyLimits,
    memory: Reservation,
  ): Promise<Result<Body, Refusal>> {
    const wireBytes = bytes.length
    const found = await decode(bytes, coding, sizeLimits, memory)
    freeBuffer(bytes)
    if (!found.ok) {
      memory.close()
      return found
    }
    memory.free(wireBytes)
    return succeed(keep(found.value, wireBytes, memory))
  }

  async function decode(
    bytes: Uint8Array,
    coding: Coding,
    sizeLimits: BodyLimits,
    memory: Reservation,
  ): Promise<Result<Uint8Array, Refusal>> {
    const { decoder, takeTurn } = decoding(coding, 'large')
    try {
      const measured = await takeTurn(() => decoder.measure(bytes, sizeLimits.decoded))
      if (measured === 'too_large') return fail(tooLarge(sizeLimits, 'decoded'))
      // Never waits for memory during a turn, nor with decoded bytes: other bodies would wait for both.
      if (measured.bytes !== null && memory.tryReserve(measured.size)) return succeed(measured.bytes)
      if (!(await memory.reserve(measured.size))) return fail(noMemory(in_flight))
      return succeed(await takeTurn(() => decoder.fill(bytes, measured.size)))
    } catch (error) {
      return fail(undecodable(coding, error))
    }
  }

  return {
    readBody: (incoming, sizeLimits, checkStart = () => null) => readInto(incoming, sizeLimits, checkStart),
    problem: () => {
      const waits = Math.max(lanes.small.waitingMs() ?? 0, lanes.large.waitingMs() ?? 0)
      if (waits < LONG_WAIT_MS) return null
      return `request bodies have waited ${(waits / 1000).toFixed(1)} s for memory: ${lanes.large.reserved()} of ${in_flight} bytes (in_flight in WAYSTATION_LIMITS) are in use by others; slow senders are dropped meanwhile`
    },
  }
}

const undecodable = (coding: Coding, error: unknown): Refusal => ({
  status: 400,
  reason: 'encoding',
  detail: `Content-Encoding is ${coding}, but the body is not valid ${coding}`,
  causes: [error instanceof Error ? error.message : String(error)],
})

const keep = (bytes: Uint8Array, wireBytes: number, memory: Reservation): Body => ({
  bytes,
  wireBytes,
  release: () => release(bytes, memory),
})

function release(bytes: Uint8Array, memory: Reservation): void {
  freeBuffer(bytes)
  memory.close()
}

const tooLarge = (sizeLimits: BodyLimits, which: 'wire' | 'decoded'): Refusal => ({
  status: 413,
  reason: 'too_large',
  detail:
    sizeLimits.tooLarge ??
    `the body is larger than ${sizeLimits[which]} bytes ${which === 'wire' ? 'on the wire' : which} (${which} in WAYSTATION_LIMITS)`,
})

/** Without Retry-After: it would silence every category of the SDK for that long. */
const noMemory = (inFlight: number): Refusal => ({
  status: 503,
  reason: 'in_flight',
  detail: `request bodies of ${inFlight} bytes together are already being received, and no memory became free in time; send it again`,
})

const TOO_SLOW: Refusal = {
  status: 408,
  reason: 'slow',
  detail: 'the body arrived at less than 256 KiB/s while other bodies waited for its memory; send it again',
}

/** Nobody reads this answer; the refusal is counted. */
const ABORTED: Refusal = {
  status: 400,
  reason: 'aborted',
  detail: 'the connection closed before the whole body arrived; nothing is stored',
}
