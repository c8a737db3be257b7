import type { StartTimer } from '../time'

export interface Reservation {
  /** Reserves more bytes if they are free at once, or as soon as slow bodies were dropped. A closed body gets none. */
  readonly tryReserve: (bytes: number) => boolean
  /** Reserves more bytes, at once or after a wait; resolves to false after a timeout. */
  readonly reserve: (bytes: number) => Promise<boolean>
  readonly free: (bytes: number) => void
  /** Notes that bytes of this body have arrived. */
  readonly arrived: (bytes: number) => void
  /** The body is complete: it no longer counts as slow. */
  readonly complete: () => void
  /** Frees everything; may be called more than once. */
  readonly close: () => void
}

export interface MemoryBudget {
  /** @param onDropped called when the body arrived too slowly while others needed memory; its own is free by then */
  readonly open: (onDropped: () => void) => Reservation
  /** Bytes of all open bodies. */
  readonly reserved: () => number
  /** For how many ms the first of the waiting bodies has waited; `null` when none waits. */
  readonly waitingMs: () => number | null
}

/** A body waits this long for memory: the tunnel's timeout for a whole exchange. After that its lifeboat stores the envelope. */
const WAIT_MS = 5000
/** While a body waits, a slower one is looked for this often. */
const DROP_EVERY_MS = 250
/** The speed of a body is measured over at least this long. */
const MEASURED_MS = 1000

/** A body is not slow before its speed was measured. */
const UNMEASURED = Number.POSITIVE_INFINITY

interface Usage {
  bytes: number
  /** Bytes that arrived since `since`. */
  arrived: number
  since: number
  /** Bytes per ms of the last measurement. */
  speed: number
  isReceiving: boolean
  readonly drop: () => void
}

interface Waiting {
  readonly usage: Usage
  readonly bytes: number
  readonly since: number
  readonly settle: (granted: boolean) => void
}

/**
 * Limits the memory of all request bodies of a lane together.
 *
 * The size of a body is unknown beforehand, so each body reserves bytes while they arrive. Several bodies that each hold a
 * part and wait for more could deadlock. Therefore the oldest body may use the whole budget, and all others together only
 * `limit - largest`. The oldest always gets what it needs and ends; then the next one is the oldest. When a body needs
 * memory that is not free, the slowest of those that arrive too slowly is dropped, so that a sender that stalls cannot hold
 * memory that others need.
 * @param given.limit bytes of all bodies together
 * @param given.largest bytes that one body needs at most. When it exceeds the budget, only the oldest body gets memory, and a
 * body that needs more than the whole budget fails at once. 0 where no body waits, because nothing can deadlock
 * @param given.leastBytesPerMs a body that arrives more slowly is dropped when others need memory
 * @param given.queue for bodies that wait; more than `most` fail at once, since they would only time out. `null`: none waits
 * @param given.monotonic a clock in ms that never goes back
 */
export function openMemoryBudget(given: {
  readonly limit: number
  readonly largest: number
  readonly leastBytesPerMs: number
  readonly queue: { readonly most: number; readonly later: StartTimer } | null
  readonly monotonic: () => number
}): MemoryBudget {
  const { limit, leastBytesPerMs, queue, monotonic } = given
  const open = new Set<Usage>()
  const waiting = new Set<Waiting>()
  const shared = Math.max(limit - given.largest, limit / 2)
  let reserved = 0
  let isDropping = false

  const isOldest = (usage: Usage): boolean => open.values().next().value === usage
  const fits = (usage: Usage, bytes: number): boolean => reserved + bytes <= (isOldest(usage) ? limit : shared)
  const grant = (usage: Usage, bytes: number): void => {
    usage.bytes += bytes
    reserved += bytes
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
  const close = (usage: Usage): void => {
    if (!open.delete(usage)) return
    for (const one of waiting) if (one.usage === usage) one.settle(false)
    free(usage, usage.bytes)
  }

  /** Drops the slowest body that still arrives, holds memory and does not itself need more. */
  const dropSlowest = (needing: Usage | null): boolean => {
    const now = monotonic()
    const paused = new Set([...waiting].map(({ usage }) => usage))
    let found: Usage | null = null
    let least = leastBytesPerMs
    for (const usage of open) {
      if (!usage.isReceiving || usage.bytes === 0 || usage === needing || paused.has(usage)) continue
      measure(usage, now)
      if (usage.speed >= least) continue
      least = usage.speed
      found = usage
    }
    if (found === null) return false
    close(found)
    found.drop()
    return true
  }
  const tryReserve = (usage: Usage, bytes: number): boolean => {
    if (!open.has(usage) || usage.bytes + bytes > limit || (waiting.size > 0 && !isOldest(usage))) return false
    while (!fits(usage, bytes)) if (waiting.size > 0 || !dropSlowest(usage)) return false
    grant(usage, bytes)
    return true
  }
  const wait = (usage: Usage, bytes: number, later: StartTimer): Promise<boolean> =>
    new Promise((resolve) => {
      const settle = (granted: boolean): void => {
        cancel()
        waiting.delete(one)
        if (granted) grant(usage, bytes)
        // The sender could not send while its body waited.
        Object.assign(usage, { arrived: 0, since: monotonic(), speed: UNMEASURED })
        resolve(granted)
      }
      const one: Waiting = { usage, bytes, since: monotonic(), settle }
      const cancel = later(() => {
        one.settle(false)
        serve()
      }, WAIT_MS)
      waiting.add(one)
      const dropSlow = (): void => {
        let isDropped = true
        while (waiting.size > 0 && isDropped) isDropped = dropSlowest(null)
        isDropping = waiting.size > 0
        if (isDropping) later(dropSlow, DROP_EVERY_MS)
      }
      if (!isDropping) dropSlow()
    })

  return {
    reserved: () => reserved,
    waitingMs: () => {
      const [first] = waiting
      return first === undefined ? null : monotonic() - first.since
    },
    open: (onDropped) => {
      const usage: Usage = {
        bytes: 0,
        arrived: 0,
        since: monotonic(),
        speed: UNMEASURED,
        isReceiving: true,
        drop: onDropped,
      }
      open.add(usage)
      return {
        tryReserve: (bytes) => tryReserve(usage, bytes),
        reserve: async (bytes) => {
          if (tryReserve(usage, bytes)) return true
          if (queue === null || !open.has(usage) || usage.bytes + bytes > limit || waiting.size >= queue.most)
            return false
          return wait(usage, bytes, queue.later)
        },
        free: (bytes) => free(usage, bytes),
        arrived: (bytes) => {
          measure(usage, monotonic())
          usage.arrived += bytes
        },
        complete: () => {
          usage.isReceiving = false
        },
        close: () => close(usage),
      }
    },
  }
}

/** Ends a measurement that has lasted long enough, and begins the next. */
function measure(usage: Usage, now: number): void {
  const elapsed = now - usage.since
  if (elapsed < MEASURED_MS) return
  usage.speed = usage.arrived / elapsed
  usage.arrived = 0
  usage.since = now
}
