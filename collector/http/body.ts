import { type Coding, openBlocks, readContentEncoding } from '../../lib/protocol/body'
import type { Limits } from '../../lib/protocol/limits'
import { fail, type Result, succeed } from '../../lib/protocol/result'
import { type Later, openBytesInFlight, type Seat } from './bytes-in-flight'
import { type Decoder, zlibDecoder } from './decoder'
import { freeBuffer } from './free-buffer'
import { limitWords } from './limit-words'
import type { Refusal } from './refusal'
import { createTurns } from './turns'

export interface BodyLimits {
  /** Bytes as they travel. */
  readonly wire: number
  /** Bytes after content encoding. */
  readonly decoded: number
  /** Says what is too large, where the body is one item. */
  readonly tooLarge?: string
}

export interface Body {
  /** After content encoding. */
  readonly bytes: Uint8Array
  readonly wireBytes: number
  /** Gives its room to the next. To be called when the bytes are on disk, or refused: they are gone then. */
  readonly release: () => void
}

/** A body that is on its way: a web request, or Node's own, which is the same for half the work. */
export interface Coming {
  readonly headers: Pick<Headers, 'get'>
  readonly body: AsyncIterable<Uint8Array> | null
}

export type ReadBody = (coming: Coming, limits: BodyLimits) => Promise<Result<Body, Refusal>>

/**
 * More at once would only take turns on the same cores, and each holds a window of up to 16 MiB (br). zstd has one
 * thread, and a queue of its own, so that nobody waits behind a body that is made to keep it busy but its like.
 */
const DECODED_AT_ONCE = { zlib: 2, zstd: 1 }

/** An envelope may be as large as the limits say; a bare event or report is one item, and read whole to be admitted. */
export function bodyLimits(kind: 'envelope' | 'one event', limits: Limits): BodyLimits {
  if (kind === 'envelope') return { wire: limits.wire, decoded: limits.decoded }
  const { wire, decoded, event } = limits
  return {
    wire: Math.min(wire, event),
    decoded: Math.min(decoded, event),
    ...(event <= Math.min(wire, decoded)
      ? { tooLarge: `envelope exceeded size limits for type 'event' ${limitWords(limits, 'event')}` }
      : {}),
  }
}

const tooLarge = (limits: BodyLimits, which: 'wire' | 'decoded'): Refusal => ({
  status: 413,
  reason: 'too_large',
  detail:
    limits.tooLarge ??
    `the body is larger than ${limits[which]} bytes ${which === 'wire' ? 'on the wire' : which} (${which} in WAYSTATION_LIMITS)`,
})

/** No Retry-After: it would silence every category of the sender for that long. */
const noRoom = (limits: Pick<Limits, 'in_flight'>): Refusal => ({
  status: 503,
  reason: 'in_flight',
  detail: `bodies of ${limits.in_flight} bytes together are being received already, and no room came free in time; send it again`,
})

/**
 * Makes what reads bodies: within the caps, within the budget of all bodies together, and decoded from gzip, deflate
 * (zlib or raw), br or zstd.
 * @param zstd decodes beside this thread; Node 20 has no decoder of its own.
 */
export function createBodyReader(options: {
  readonly limits: Pick<Limits, 'wire' | 'decoded' | 'in_flight'>
  readonly zstd: Decoder
  readonly later: Later
}): ReadBody {
  const { limits: all, zstd, later } = options
  const budget = openBytesInFlight(all.in_flight, all.wire + all.decoded, later)
  const turns = { zlib: createTurns(DECODED_AT_ONCE.zlib), zstd: createTurns(DECODED_AT_ONCE.zstd) }

  async function decode(
    wire: Uint8Array,
    coding: Coding,
    limits: BodyLimits,
    seat: Seat,
  ): Promise<Result<Uint8Array, Refusal>> {
    const decoder = coding === 'zstd' ? zstd : zlibDecoder(coding)
    const takeTurn = coding === 'zstd' ? turns.zstd : turns.zlib
    try {
      const measured = await takeTurn(() => decoder.measure(wire, limits.decoded))
      if (measured === 'too_large') return fail(tooLarge(limits, 'decoded'))
      // Whoever has a turn must not wait for room, nor keep bytes while it waits for it.
      if (measured.bytes !== null && seat.takeNow(measured.size)) return succeed(measured.bytes)
      if (!(await seat.take(measured.size))) return fail(noRoom(all))
      return succeed(await takeTurn(() => decoder.fill(wire, measured.size)))
    } catch (error) {
      return fail({
        status: 400,
        reason: 'encoding',
        detail: `the body is not the ${coding} that Content-Encoding says`,
        causes: [error instanceof Error ? error.message : String(error)],
      })
    }
  }

  async function readInto(seat: Seat, request: Coming, limits: BodyLimits): Promise<Result<Body, Refusal>> {
    const coding = readContentEncoding(request.headers.get('content-encoding'))
    if (!coding.ok) return fail({ status: 415, reason: 'encoding', detail: coding.error })
    const stated = request.headers.get('content-length')
    if (stated !== null && Number(stated) > limits.wire) return fail(tooLarge(limits, 'wire'))
    const read = await collect(request, stated, limits, seat)
    if (!read.ok) return fail(read.error === 'no room' ? noRoom(all) : tooLarge(limits, 'wire'))
    const wire = read.value
    if (stated !== null && Number(stated) !== wire.length)
      return fail({
        status: 400,
        reason: 'length_mismatch',
        detail: `${wire.length} bytes came where Content-Length promised ${stated}`,
      })
    const wireBytes = wire.length
    const body = (bytes: Uint8Array): Body => ({
      bytes,
      wireBytes,
      release: () => {
        freeBuffer(bytes)
        seat.leave()
      },
    })
    if (coding.value === null)
      return wireBytes > limits.decoded ? fail(tooLarge(limits, 'decoded')) : succeed(body(wire))
    const decoded = await decode(wire, coding.value, limits, seat)
    freeBuffer(wire)
    if (!decoded.ok) return decoded
    seat.give(wireBytes)
    return succeed(body(decoded.value))
  }

  return async (request, limits) => {
    const seat = budget.enter()
    let isKept = false
    try {
      const read = await readInto(seat, request, limits)
      isKept = read.ok
      return read
    } finally {
      if (!isKept) seat.leave()
    }
  }
}

/** What a sender announces is believed as far as that, or when that much of it has come: to announce costs nothing. */
const BELIEVED_BYTES = 1024 * 1024

/** Each piece has its room before it is kept; while it waits for room, nothing more is read from the sender. */
async function collect(
  request: Coming,
  stated: string | null,
  limits: BodyLimits,
  seat: Seat,
): Promise<Result<Uint8Array, 'too large' | 'no room'>> {
  const announced = stated !== null && /^\d{1,15}$/.test(stated) ? Number(stated) : 0
  const blocks = openBlocks(limits.wire)
  const refuse = (why: 'too large' | 'no room') => {
    for (const block of blocks.close()) freeBuffer(block)
    return fail(why)
  }
  let room = 0
  if (request.body !== null) {
    for await (const piece of request.body) {
      const size = blocks.byteLength() + piece.length
      if (size > limits.wire) return refuse('too large')
      if (size > room) {
        const isBelieved = announced >= size && (announced <= BELIEVED_BYTES || size >= BELIEVED_BYTES)
        const wanted = isBelieved ? announced : size
        if (!(await seat.take(wanted - room))) return refuse('no room')
        room = wanted
        if (isBelieved) blocks.widen(announced)
      }
      blocks.add(piece)
    }
  }
  return joined(blocks.close(), blocks.byteLength(), seat)
}

/** Of what came in chunks one piece is made; of a large one the room for it is taken first. */
async function joined(parts: readonly Uint8Array[], size: number, seat: Seat): Promise<Result<Uint8Array, 'no room'>> {
  const [first = new Uint8Array(), ...others] = parts
  if (others.length === 0) return succeed(first)
  if (size <= BELIEVED_BYTES) return succeed(Buffer.concat(parts, size))
  if (!(await seat.take(size))) return fail('no room')
  const whole = new Uint8Array(size)
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
    freeBuffer(part)
  }
  seat.give(size)
  return succeed(whole)
}
