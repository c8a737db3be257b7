import { MessageChannel } from 'node:worker_threads'
import { openBlocks } from '../protocol/body'
import { fail, type Result, succeed } from '../protocol/result'
import { SIZE_LIMITS } from '../protocol/size-limits'
import type { BodyBudget } from './body-budget'
import { type BodyBlocks, problem, quote, type TunnelAnswer } from './post'

/** The collector's own limit of an envelope. */
export const DEFAULT_MAX_BYTES = SIZE_LIMITS.wire
/** A sender that sends nothing for this long is answered 408. */
const STALL_MS = 5000
/** For a whole body, as in the collector. */
const BODY_MS = 60_000
/** A sender that continues after a refusal has this long to read the answer before it is disconnected. */
const LINGER_MS = 1000
/** After a refusal, no more of a body is read than this. */
const MAX_DISCARDED_BYTES = 64 * 1024
/** For a sender that found no memory, in seconds. */
const RETRY_AFTER_S = '1'

/** Runs `work` after `ms`; returns a function that cancels it. Must not keep the process alive. */
export type Schedule = (work: () => void, ms: number) => () => void

export const scheduleUnref: Schedule = (work, ms) => {
  const timer = setTimeout(work, ms)
  timer.unref()
  return () => clearTimeout(timer)
}

export interface BodyOptions {
  readonly maxBytes: number
  /** Shared by all bodies of the process. */
  readonly budget: BodyBudget
  readonly schedule?: Schedule
  /** Default false: an empty body is refused with `EMPTY`. */
  readonly mayBeEmpty?: boolean
}

interface ReadSoFar extends BodyBlocks {
  /** False when the body may continue. */
  readonly ended: boolean
}

/** A body that is counted while it arrives. */
export interface IncomingBody {
  /**
   * Reads until `isEnough` returns true or the body ends, and returns everything that was read.
   * @param isEnough receives the latest piece and the length of all pieces; without it, reads to the end
   */
  readonly read: (
    isEnough?: (piece: Uint8Array, byteLength: number) => boolean,
  ) => Promise<Result<ReadSoFar, TunnelAnswer>>
  /** Frees the memory: the blocks that were read are empty afterwards. A sender that still sends is disconnected after it had time to read the answer. */
  readonly close: () => void
}

/** Refuses a body by its Content-Length before any byte of it is read. */
export function openBody(
  request: Pick<Request, 'headers' | 'body'>,
  { maxBytes, budget, schedule = scheduleUnref, mayBeEmpty = false }: BodyOptions,
): Result<IncomingBody, TunnelAnswer> {
  const header = request.headers.get('content-length')
  if (header !== null && !/^\d{1,15}$/.test(header))
    return fail(problem(400, `Content-Length must be a number of bytes, got ${quote(header)}`))
  const stated = header === null ? null : Number(header)
  if (stated !== null && stated > maxBytes) return fail(tooLarge(`has ${stated} bytes`, maxBytes))
  return succeed(incomingBody(request.body, stated, { maxBytes, budget, schedule, mayBeEmpty }))
}

function incomingBody(
  body: ReadableStream<Uint8Array> | null,
  stated: number | null,
  { maxBytes, budget, schedule, mayBeEmpty }: Required<BodyOptions>,
): IncomingBody {
  const reader = body?.getReader() ?? null
  const blocks = openBlocks(maxBytes)
  let interrupt: (refusal: TunnelAnswer) => void = () => undefined
  const interrupted = new Promise<TunnelAnswer>((resolve) => {
    interrupt = resolve
  })
  const reservation = budget.open(() => interrupt(noMemory('this body arrived slower than others')))
  const cancelDeadline = schedule(() => interrupt(tooSlow(BODY_MS)), BODY_MS)
  let ended = reader === null

  async function nextPiece(): Promise<Result<Uint8Array | null, TunnelAnswer>> {
    if (reader === null) return succeed(null)
    const cancelStall = schedule(() => interrupt(tooSlow(STALL_MS)), STALL_MS)
    const step = await Promise.race([
      reader.read().catch((error: unknown) => ({ failure: error })),
      interrupted.then((refusal) => ({ refusal })),
    ])
    cancelStall()
    if ('refusal' in step) return fail(step.refusal)
    if ('failure' in step) {
      ended = true
      return fail(problem(400, 'the body ended too early', [String(step.failure)]))
    }
    return succeed(step.done ? null : step.value)
  }

  /** Next cuts a body without an error when proxy.ts matches the path. */
  function refuseAtEnd(): TunnelAnswer | null {
    const byteLength = blocks.byteLength()
    if (stated !== null && stated !== byteLength)
      return problem(400, `the body has ${byteLength} bytes, but Content-Length is ${stated}`)
    return byteLength === 0 && !mayBeEmpty ? EMPTY : null
  }

  async function read(isEnough: (piece: Uint8Array, byteLength: number) => boolean): Promise<TunnelAnswer | null> {
    while (!ended) {
      const piece = await nextPiece()
      if (!piece.ok) return piece.error
      if (piece.value === null) {
        ended = true
        break
      }
      if (blocks.byteLength() + piece.value.byteLength > maxBytes) return tooLarge('is too large', maxBytes)
      if (!reservation.take(piece.value.byteLength)) return noMemory('other bodies use it up')
      blocks.add(piece.value)
      if (isEnough(piece.value, blocks.byteLength())) return null
    }
    reservation.complete()
    cancelDeadline()
    return refuseAtEnd()
  }

  /** Reads the rest of a small body and keeps nothing: a connection with unread bytes would serve no further request. */
  async function discardRest(unread: ReadableStreamDefaultReader<Uint8Array>): Promise<void> {
    for (let left = Math.min(MAX_DISCARDED_BYTES, maxBytes - blocks.byteLength()); left > 0; ) {
      const step = await unread.read()
      if (step.done) return
      left -= step.value.byteLength
    }
  }

  return {
    read: async (isEnough = () => false) => {
      const refusal = await read(isEnough)
      if (refusal !== null) return fail(refusal)
      return succeed({ blocks: blocks.close(), byteLength: blocks.byteLength(), ended })
    },
    close() {
      cancelDeadline()
      reservation.close()
      freeBlocks(blocks.close())
      if (ended || reader === null) return
      ended = true
      // Cancelling at once would close the socket before the sender has read the answer.
      schedule(() => ignoreBreak(reader.cancel()), LINGER_MS)
      ignoreBreak(discardRest(reader))
    },
  }
}

const { port1: closedChannel, port2 } = new MessageChannel()
port2.close()

/** Smaller blocks are left to the garbage collector. */
const LARGE_BLOCK_BYTES = 64 * 1024

/** Frees the memory at once, by transferring it to a closed port: the garbage collector sees only small objects and waits. */
function freeBlocks(blocks: readonly Uint8Array[]): void {
  for (const { buffer } of blocks)
    if (buffer instanceof ArrayBuffer && buffer.byteLength >= LARGE_BLOCK_BYTES)
      closedChannel.postMessage(null, [buffer])
}

/** The answer is sent already, so a connection that breaks now changes nothing. */
const ignoreBreak = (work: Promise<void>): void => {
  work.catch(() => undefined)
}

/** Wraps a body that is already in memory, with the same limits. */
export function bodyOfBytes(bytes: Uint8Array, maxBytes: number): Result<BodyBlocks, TunnelAnswer> {
  if (bytes.byteLength > maxBytes) return fail(tooLarge(`has ${bytes.byteLength} bytes`, maxBytes))
  return bytes.byteLength === 0 ? fail(EMPTY) : succeed({ blocks: [bytes], byteLength: bytes.byteLength })
}

/** Is not counted: it contained nothing that could be lost. `waystation doctor` posts it. */
export const EMPTY = problem(400, 'empty body; expected an envelope or spans')

const tooLarge = (body: string, maxBytes: number): TunnelAnswer =>
  problem(413, `the body ${body}; at most ${maxBytes} bytes are accepted`)

const tooSlow = (ms: number): TunnelAnswer =>
  problem(
    408,
    `the body did not arrive in time: at most ${BODY_MS / 1000} s, and ${STALL_MS / 1000} s without a byte`,
    [`waited ${ms / 1000} s`],
  )

const noMemory = (cause: string): TunnelAnswer =>
  problem(503, 'no memory for this body: too many bodies arrive at once', [cause], { 'retry-after': RETRY_AFTER_S })
