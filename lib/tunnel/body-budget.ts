const MIB = 1024 * 1024

/** The first bytes of each body count in a lane of their own, so that large bodies never use up the memory of small ones. */
const SMALL_BODY_BYTES = 64 * 1024
const DEFAULT_SMALL_LANE_BYTES = 16 * MIB
const DEFAULT_LARGE_LANE_BYTES = 40 * MIB

/** A younger body is never dropped: its rate is not known yet. */
const MIN_AGE_MS = 1000

/** The bytes of one body. */
export interface BodyReservation {
  /** Reserves more bytes; false when the budget is used up. */
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

type Lane = 'small' | 'large'

interface Holder {
  readonly openedAt: number
  readonly bytes: Record<Lane, number>
  isComplete: boolean
  readonly drop: () => void
}

/** The first 64 KiB of a body count in the small lane, the rest in the large one. A full lane drops its slowest body. */
export function createBodyBudget({
  monotonic = () => performance.now(),
  smallLaneBytes = DEFAULT_SMALL_LANE_BYTES,
  largeLaneBytes = DEFAULT_LARGE_LANE_BYTES,
}: BodyBudgetOptions = {}): BodyBudget {
  const limits: Readonly<Record<Lane, number>> = { small: smallLaneBytes, large: largeLaneBytes }
  const used: Record<Lane, number> = { small: 0, large: 0 }
  const holders = new Set<Holder>()

  function release(holder: Holder): void {
    if (!holders.delete(holder)) return
    used.small -= holder.bytes.small
    used.large -= holder.bytes.large
  }

  /** The incomplete body of the lowest rate, other than the one that needs memory. */
  function slowest(lane: Lane, asking: Holder): Holder | null {
    const now = monotonic()
    let found: Holder | null = null
    let lowest = Number.POSITIVE_INFINITY
    for (const holder of holders) {
      const ageMs = now - holder.openedAt
      if (holder === asking || holder.isComplete || holder.bytes[lane] === 0 || ageMs < MIN_AGE_MS) continue
      const rate = (holder.bytes.small + holder.bytes.large) / ageMs
      if (rate < lowest) [found, lowest] = [holder, rate]
    }
    return found
  }

  function makeFit(lane: Lane, bytes: number, asking: Holder): boolean {
    while (used[lane] + bytes > limits[lane]) {
      const victim = slowest(lane, asking)
      if (victim === null) return false
      release(victim)
      victim.drop()
    }
    return true
  }

  return {
    reserved: () => used.small + used.large,
    open(onDropped) {
      const holder: Holder = {
        openedAt: monotonic(),
        bytes: { small: 0, large: 0 },
        isComplete: false,
        drop: onDropped,
      }
      holders.add(holder)
      return {
        take(bytes) {
          if (!holders.has(holder)) return false
          const small = Math.min(bytes, SMALL_BODY_BYTES - holder.bytes.small)
          const large = bytes - small
          if (!makeFit('small', small, holder) || !makeFit('large', large, holder)) return false
          holder.bytes.small += small
          holder.bytes.large += large
          used.small += small
          used.large += large
          return true
        },
        complete: () => {
          holder.isComplete = true
        },
        close: () => release(holder),
      }
    },
  }
}
