import { MessageChannel } from 'node:worker_threads'
import type { StartTimer } from '../../lib/time'

/** The memory that one request body holds. */
export interface Reservation {
  /** Reserves more bytes, at once or after a wait; resolves to false after a timeout. */
  readonly reserve: (bytes: number) => Promise<boolean>
  /** Reserves more bytes if they are free at once. */
  readonly tryReserve: (bytes: number) => boolean
  readonly free: (bytes: number) => void
  /** Frees everything. Call it when the request ends, for whatever reason. */
  readonly close: () => void
}

export interface MemoryBudget {
  readonly open: () => Reservation
  readonly reserved: () => number
}

/** A body waits this long for memory: the tunnel's timeout for a whole exchange. After that its lifeboat stores the envelope. */
const TIMEOUT_MS = 5000
/** More waiting bodies would only time out. */
const MAX_WAITING = 1000

interface Held {
  bytes: number
}

interface Waiting {
  readonly held: Held
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
  const open = new Set<Held>()
  const waiting = new Set<Waiting>()
  const shared = Math.max(limit - largest, limit / 2)
  let reserved = 0

  const isOldest = (held: Held): boolean => open.values().next().value === held
  const fits = (held: Held, bytes: number): boolean => reserved + bytes <= (isOldest(held) ? limit : shared)
  const grant = (held: Held, bytes: number): true => {
    held.bytes += bytes
    reserved += bytes
    return true
  }
  /** Serves the oldest body first, then the others in order of arrival. Overtaking would starve large bodies. */
  const serve = (): void => {
    for (const one of waiting) if (isOldest(one.held) && fits(one.held, one.bytes)) one.settle(true)
    for (const one of waiting) {
      if (!fits(one.held, one.bytes)) return
      one.settle(true)
    }
  }
  const free = (held: Held, bytes: number): void => {
    held.bytes -= bytes
    reserved -= bytes
    serve()
  }

  return {
    reserved: () => reserved,
    open: () => {
      const held: Held = { bytes: 0 }
      open.add(held)
      const tryReserve = (bytes: number): boolean =>
        (isOldest(held) || waiting.size === 0) && fits(held, bytes) && grant(held, bytes)
      return {
        tryReserve,
        reserve: async (bytes) => {
          if (tryReserve(bytes)) return true
          if (held.bytes + bytes > limit || waiting.size >= MAX_WAITING) return false
          return new Promise((resolve) => {
            const one: Waiting = {
              held,
              bytes,
              settle: (granted) => {
                cancel()
                waiting.delete(one)
                if (granted) grant(held, bytes)
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
        free: (bytes) => free(held, bytes),
        close: () => {
          if (!open.delete(held)) return
          for (const one of waiting) if (one.held === held) one.settle(false)
          free(held, held.bytes)
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
