import { startThread, type ThreadHandle } from '../runtime/thread-call'
import type { Later } from './bytes-in-flight'
import type { Decoder } from './decoder'

/** 100 MiB take less than a second; 19 bytes that are made for it keep the library busy for minutes. */
const TIMEOUT_MS = 5000

export interface ZstdDecoder extends Decoder {
  readonly close: () => Promise<void>
}

/**
 * zstd in a thread of its own, started when the first such body comes. A body that keeps it too long ends with its
 * thread, and the next one gets another.
 */
export function createZstdDecoder(later: Later): ZstdDecoder {
  let thread: ThreadHandle | null = null

  async function ask<Value>(method: 'measure' | 'fill', wire: Uint8Array, most: number): Promise<Value> {
    thread ??= startThread({
      entry: new URL('./zstd-thread.js', import.meta.url),
      data: null,
      limits: { maxYoungGenerationSizeMb: 4, maxOldGenerationSizeMb: 64 },
      // Whoever waits for it is told by the call itself.
      onDeath: () => {
        thread = null
      },
    })
    const asked = thread
    const callOff = later(() => asked.kill('it takes too long to decode'), TIMEOUT_MS)
    try {
      return await asked.call<Value>(method, wire, most)
    } finally {
      callOff()
    }
  }

  return {
    measure: (wire, limit) => ask('measure', wire, limit),
    fill: (wire, size) => ask('fill', wire, size),
    close: async () => {
      await thread?.stop()
      thread = null
    },
  }
}
