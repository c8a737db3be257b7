import type { Readable, Transform } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from 'node:zlib'
import { type Coding, hasZlibHeader } from '../../lib/protocol/body'
import type { StartTimer } from '../../lib/time'
import { startThread, type ThreadHandle } from '../runtime/thread-call'

/** Decodes one content coding in two steps: memory is reserved in between. Both reject for invalid bytes. */
export interface Decoder {
  /** @returns the size, or `too_large` as soon as it exceeds `limit` */
  readonly measure: (wire: Uint8Array, limit: number) => Promise<Measured | 'too_large'>
  readonly fill: (wire: Uint8Array, size: number) => Promise<Uint8Array>
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
  }
}

function streamFor(coding: Exclude<Coding, 'zstd'>, wire: Uint8Array): Transform & Readable {
  const options = { chunkSize: 64 * 1024 }
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

/** 100 MiB take less than a second; a crafted body of 19 bytes takes minutes. */
const ZSTD_TIMEOUT_MS = 5000

interface ZstdDecoder extends Decoder {
  readonly close: () => Promise<void>
}

/** Decodes zstd in a thread that the first such body starts. A timeout ends the thread; the next body starts another. */
export function createZstdDecoder(later: StartTimer): ZstdDecoder {
  let thread: ThreadHandle | null = null

  async function call<Value>(method: 'measure' | 'fill', wire: Uint8Array, most: number): Promise<Value> {
    thread ??= startThread({
      entry: new URL('./zstd-thread.js', import.meta.url),
      data: null,
      limits: { maxYoungGenerationSizeMb: 4, maxOldGenerationSizeMb: 64 },
      onDeath: () => {
        thread = null
      },
    })
    const current = thread
    const cancel = later(() => current.kill('it takes too long to decode'), ZSTD_TIMEOUT_MS)
    try {
      return await current.call<Value>(method, wire, most)
    } finally {
      cancel()
    }
  }

  return {
    measure: (wire, limit) => call('measure', wire, limit),
    fill: (wire, size) => call('fill', wire, size),
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
