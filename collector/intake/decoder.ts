import type { Readable, Transform } from 'node:stream'
import {
  type BrotliOptions,
  constants,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createInflateRaw,
  type ZlibOptions,
} from 'node:zlib'
import { type Coding, hasZlibHeader } from '../../lib/protocol/body'
import type { StartTimer } from '../../lib/time'
import { startThread, type ThreadHandle } from '../runtime/thread-call'

/** Decodes one content coding in two steps: memory is reserved in between. Both reject for invalid bytes. */
export interface Decoder {
  /** @returns the size, or `too_large` as soon as it exceeds `limit` */
  readonly measure: (wire: Uint8Array, limit: number) => Promise<Measured | 'too_large'>
  readonly fill: (wire: Uint8Array, size: number) => Promise<Uint8Array>
  /** The decoded bytes of the start of a body, at most `most` of them; fewer when they cannot be decoded. */
  readonly start: (wire: Uint8Array, most: number) => Promise<Uint8Array>
}

/** One for bodies that are small, and one for those that turned out to be large: neither waits for the other. */
export interface Decoders {
  readonly small: Decoder
  readonly large: Decoder
}

export interface Measured {
  readonly size: number
  /** When they are at most `MAX_KEPT_BYTES`. */
  readonly bytes: Uint8Array | null
}

/** `measure` keeps the result up to this size, so that most bodies are decoded only once. */
export const MAX_KEPT_BYTES = 1024 * 1024

/** Decodes gzip, deflate (zlib or raw) and br in the thread pool of Node. */
export function zlibDecoder(coding: Exclude<Coding, 'zstd'>): Decoder {
  return {
    measure: async (wire, limit) => {
      let kept: Uint8Array[] = []
      let size = 0
      const isWhole = await decode(streamFor(coding, wire), wire, (chunk) => {
        size += chunk.length
        if (size > MAX_KEPT_BYTES) kept = []
        else kept.push(chunk)
        return size <= limit
      })
      if (!isWhole) return 'too_large'
      return { size, bytes: size > MAX_KEPT_BYTES ? null : Buffer.concat(kept, size) }
    },
    fill: async (wire, size) => {
      const bytes = new Uint8Array(size)
      let at = 0
      await decode(streamFor(coding, wire), wire, (chunk) => {
        bytes.set(chunk, at)
        at += chunk.length
        return true
      })
      return bytes
    },
    start: async (wire, most) => {
      const kept: Uint8Array[] = []
      let size = 0
      const stream = streamFor(coding, wire, { chunkSize: most, ...(coding === 'br' ? FLUSHED_BROTLI : FLUSHED) })
      const isStart = (chunk: Uint8Array): boolean => {
        kept.push(chunk)
        size += chunk.length
        return size < most
      }
      // An error is found again, and answered, when the whole body is decoded.
      await decode(stream, wire, isStart).catch(() => false)
      return Buffer.concat(kept).subarray(0, most)
    },
  }
}

/** Decode what has arrived: without them, a body that is not complete is an error. */
const FLUSHED = { finishFlush: constants.Z_SYNC_FLUSH }
const FLUSHED_BROTLI = { finishFlush: constants.BROTLI_OPERATION_FLUSH }

function streamFor(
  coding: Exclude<Coding, 'zstd'>,
  wire: Uint8Array,
  options: ZlibOptions & BrotliOptions = { chunkSize: 64 * 1024 },
): Transform & Readable {
  if (coding === 'gzip') return createGunzip(options)
  if (coding === 'br') return createBrotliDecompress(options)
  return hasZlibHeader(wire) ? createInflate(options) : createInflateRaw(options)
}

/** @param onChunk returns false to stop, and so does `decode` then */
function decode(decoder: Transform, wire: Uint8Array, onChunk: (chunk: Uint8Array) => boolean): Promise<boolean> {
  return new Promise((resolve, reject) => {
    decoder.on('error', reject)
    decoder.on('end', () => resolve(true))
    decoder.on('data', (chunk: Uint8Array) => {
      if (onChunk(chunk)) return
      decoder.destroy()
      resolve(false)
    })
    decoder.end(wire)
  })
}

/** 100 MiB take less than a second, and several on a busy machine; a crafted body of 19 bytes takes minutes. */
const ZSTD_TIMEOUT_MS = 10_000
/** 64 KiB take a millisecond. A body that takes longer is decoded again as a large one. */
const SMALL_ZSTD_TIMEOUT_MS = 250

/** The reason of a time-out. */
export const TOO_LONG = 'it takes too long to decode'

interface ZstdDecoders extends Decoders {
  readonly close: () => Promise<void>
}

export function createZstdDecoders(later: StartTimer): ZstdDecoders {
  const small = createZstdDecoder(later, SMALL_ZSTD_TIMEOUT_MS)
  const large = createZstdDecoder(later, ZSTD_TIMEOUT_MS)
  return {
    small,
    large,
    close: async () => {
      await Promise.all([small.close(), large.close()])
    },
  }
}

/**
 * Decodes zstd in a thread that the first such body starts. A timeout, in which the start of the thread does not count,
 * ends the thread; the next body starts another.
 */
function createZstdDecoder(later: StartTimer, timeoutMs: number): Decoder & { readonly close: () => Promise<void> } {
  let thread: ThreadHandle | null = null
  let ready: Promise<unknown> = Promise.resolve()

  async function call<Value>(method: 'measure' | 'fill' | 'start', wire: Uint8Array, most: number): Promise<Value> {
    if (thread === null) {
      thread = startThread({
        entry: new URL('./zstd-thread.js', import.meta.url),
        data: null,
        limits: { maxYoungGenerationSizeMb: 4, maxOldGenerationSizeMb: 64 },
        onDeath: () => {
          thread = null
        },
      })
      ready = thread.call('ready')
    }
    const current = thread
    await ready
    const cancel = later(() => current.kill(TOO_LONG), timeoutMs)
    try {
      return await current.call<Value>(method, wire, most)
    } finally {
      cancel()
    }
  }

  return {
    measure: (wire, limit) => call('measure', wire, limit),
    fill: (wire, size) => call('fill', wire, size),
    start: (wire, most) => call('start', wire, most),
    close: async () => {
      await thread?.stop()
      thread = null
    },
  }
}

/** Runs work when a turn is free, first come, first served. */
type TakeTurn = <Value>(work: () => Promise<Value>) => Promise<Value>

export function limitConcurrency(atOnce: number): TakeTurn {
  const queue: (() => void)[] = []
  let running = 0
  return async (work) => {
    if (running >= atOnce) await new Promise<void>((resolve) => queue.push(resolve))
    else running += 1
    try {
      return await work()
    } finally {
      // Passes its turn on, so `running` changes only when the queue is empty.
      const next = queue.shift()
      if (next === undefined) running -= 1
      else next()
    }
  }
}
