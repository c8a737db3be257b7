import type { Readable, Transform } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from 'node:zlib'
import { type Coding, hasZlibHeader } from '../../lib/protocol/body'

/**
 * Undoes one content coding in two steps, so that memory for a body is there before the body is: first it is only
 * counted how many bytes come out, then they are written into a buffer of just that size. Both steps reject with an
 * Error when the bytes are not what the coding says.
 */
export interface Decoder {
  /** @returns the size, or `too_large` as soon as there is more than `limit`; the bytes themselves when they are few. */
  readonly measure: (wire: Uint8Array, limit: number) => Promise<Measured | 'too_large'>
  readonly fill: (wire: Uint8Array, size: number) => Promise<Uint8Array>
}

export interface Measured {
  readonly size: number
  /** What was decoded while counting, where it was at most `FEW_BYTES`. */
  readonly bytes: Uint8Array | null
}

/** So little is kept while counting: most bodies are decoded once then. */
export const FEW_BYTES = 1024 * 1024

/** gzip, deflate (zlib or raw) and br, in the thread pool of Node. */
export function zlibDecoder(coding: Exclude<Coding, 'zstd'>): Decoder {
  return {
    measure: async (wire, limit) => {
      let kept: Uint8Array[] = []
      let size = 0
      const isWhole = await run(streamFor(coding, wire), wire, (chunk) => {
        size += chunk.length
        if (size > FEW_BYTES) kept = []
        else kept.push(chunk)
        return size <= limit
      })
      if (!isWhole) return 'too_large'
      return { size, bytes: size > FEW_BYTES ? null : Buffer.concat(kept, size) }
    },
    fill: async (wire, size) => {
      const bytes = new Uint8Array(size)
      let at = 0
      await run(streamFor(coding, wire), wire, (chunk) => {
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

/** @returns whether everything was decoded; `false` when `onChunk` wanted no more. */
function run(decoder: Transform, wire: Uint8Array, onChunk: (chunk: Uint8Array) => boolean): Promise<boolean> {
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
