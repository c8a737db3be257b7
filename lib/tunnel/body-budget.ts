import { openMemoryBudget } from './memory-budget'

const MIB = 1024 * 1024

/** The first bytes of each body count in a lane of their own, so that large bodies never use up the memory of small ones. */
const SMALL_BODY_BYTES = 64 * 1024
const DEFAULT_SMALL_LANE_BYTES = 16 * MIB
const DEFAULT_LARGE_LANE_BYTES = 40 * MIB

/** The bytes of one body. */
interface BodyReservation {
  /** Reserves the bytes of a piece that has arrived; false when the budget is used up. */
  readonly take: (bytes: number) => boolean
  /** The body arrived completely, so it is no longer dropped. */
  readonly complete: () => void
  /** Frees the bytes; may be called more than once. */
  readonly close: () => void
}

/** Limits the memory of all bodies that a process receives at the same time. */
export interface BodyBudget {
  /** @param onDropped called when the body has to give up its memory, because it arrives slower than others */
  readonly open: (onDropped: () => void) => BodyReservation
  /** Bytes of all open bodies. */
  readonly reserved: () => number
}

interface BodyBudgetOptions {
  /** Milliseconds that never go back. */
  readonly monotonic?: () => number
  readonly smallLaneBytes?: number
  readonly largeLaneBytes?: number
}

/**
 * The first 64 KiB of a body count in the small lane, the rest in the large one. A full lane drops its slowest body, of any
 * speed. No body waits: in the app it would hold a connection of the pages.
 */
export function createBodyBudget({
  monotonic = () => performance.now(),
  smallLaneBytes = DEFAULT_SMALL_LANE_BYTES,
  largeLaneBytes = DEFAULT_LARGE_LANE_BYTES,
}: BodyBudgetOptions = {}): BodyBudget {
  const lane = (limit: number) =>
    openMemoryBudget({ limit, largest: 0, leastBytesPerMs: Number.POSITIVE_INFINITY, queue: null, monotonic })
  const lanes = { small: lane(smallLaneBytes), large: lane(largeLaneBytes) }
  return {
    reserved: () => lanes.small.reserved() + lanes.large.reserved(),
    open(onDropped) {
      const drop = (): void => {
        close()
        onDropped()
      }
      const small = lanes.small.open(drop)
      const large = lanes.large.open(drop)
      const close = (): void => {
        small.close()
        large.close()
      }
      let left = SMALL_BODY_BYTES
      return {
        take(bytes) {
          small.arrived(bytes)
          large.arrived(bytes)
          const first = Math.min(bytes, left)
          if (!small.tryReserve(first)) return false
          left -= first
          if (large.tryReserve(bytes - first)) return true
          small.free(first)
          return false
        },
        complete() {
          small.complete()
          large.complete()
        },
        close,
      }
    },
  }
}
