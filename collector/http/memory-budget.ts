import { MessageChannel } from 'node:worker_threads'
import type { StartTimer } from '../../lib/time'

export interface Reservation {
  /** Reserves more bytes, at once or after a wait; resolves to false after a timeout. */
  readonly reserve: (bytes: number) => Promise<boolean>
  /** Reserves more bytes if they are free at once. */
  readonly tryReserve: (bytes: number) => boolean
  readonly free: (bytes: number) => void
  /** Frees everything. */
  readonly close: () => void
}

interface MemoryBudget {
  readonly open: () => Reservation
  readonly reserved: () => number
}

/** A body waits this long for memory: the tunnel's timeout for a whole exchange. After that its lifeboat stores the envelope. */
const TIMEOUT_MS = 5000
/** More waiting bodies would only time out. */
const MAX_WAITING = 1000

interface Usage {
  bytes: number
}

interface Waiting {
  readonly usage: Usage
  readonly bytes: number
  readonly settle: (granted: boolean) => void
}

/**
 * Limits the memory of all request bodies together.
 *
 * The size of a body is unknown beforehand, so each body reserves bytes while they arrive. Several bodies that each hold a
 * part and wait for more could deadlock. Therefore the oldest body may use the whole budget, and all others together only
 * `limit - largest`. The oldest always gets what it needs and ends; then the next one is the oldest.
 * @param limit bytes of all bodies together
 * @param largest bytes that one body needs at most. When it exceeds the budget, only the oldest body gets memory, and a body
 * that needs more than the whole budget fails at once.
 */
export function openMemoryBudget(limit: number, largest: number, later: StartTimer): MemoryBudget {
  const open = new Set<Usage>()
  const waiting = new Set<Waiting>()
  const shared = Math.max(limit - largest, limit / 2)
  let reserved = 0

  const isOldest = (usage: Usage): boolean => open.values().next().value === usage
  const fits = (usage: Usage, bytes: number): boolean => reserved + bytes <= (isOldest(usage) ? limit : shared)
  const grant = (usage: Usage, bytes: number): true => {
    usage.bytes += bytes
    reserved += bytes
    return true
  }
  /** Serves the oldest body first, then the others in order of arrival. Overtaking would starve large bodies. */
  const serve = (): void => {
    for (const one of waiting) if (isOldest(one.usage) && fits(one.usage, one.bytes)) one.settle(true)
    for (const one of waiting) {
      if (!fits(one.usage, one.bytes)) return
      one.settle(true)
    }
  }
  const free = (usage: Usage, bytes: number): void => {
    usage.bytes -= bytes
    reserved -= bytes
    serve()
  }

  return {
    reserved: () => reserved,
    open: () => {
      const usage: Usage = { bytes: 0 }
      open.add(usage)
      const tryReserve = (bytes: number): boolean =>
        (isOldest(usage) || waiting.size === 0) && fits(usage, bytes) && grant(usage, bytes)
      return {
        tryReserve,
        reserve: async (bytes) => {
          if (tryReserve(bytes)) return true
          if (usage.bytes + bytes > limit || waiting.size >= MAX_WAITING) return false
          return new Promise((resolve) => {
            const one: Waiting = {
              usage,
              bytes,
              settle: (granted) => {
                cancel()
                waiting.delete(one)
                if (granted) grant(usage, bytes)
                resolve(granted)
              },
            }
            const cancel = later(() => {
              one.settle(false)
              serve()
            }, TIMEOUT_MS)
            waiting.add(one)
          })
        },
        free: (bytes) => free(usage, bytes),
        close: () => {
          if (!open.delete(usage)) return
          for (const one of waiting) if (one.usage === usage) one.settle(false)
          free(usage, usage.bytes)
        },
      }
    },
  }
}

/** Smaller buffers are left to the garbage collector; they may also share their memory with other buffers. */
const LARGE_BYTES = 512 * 1024

const { port1: closedChannel, port2 } = new MessageChannel()
port2.close()

/**
 * Frees the memory of a large body at once, by transferring it to a closed port; the bytes are empty afterwards. The garbage
 * collector sees only one small object and waits: 200 bodies of 20 MiB in turn left 600 MB resident with 256 MiB in use.
 */
export function freeBuffer(bytes: Uint8Array): void {
  const { buffer } = bytes
  if (bytes.byteLength >= LARGE_BYTES && buffer instanceof ArrayBuffer) closedChannel.postMessage(null, [buffer])
}
