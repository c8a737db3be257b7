import type { StartTimer } from '../../lib/time'

export interface Reservation {
  /** Reserves more bytes, at once or after a wait; resolves to false after a timeout. */
  readonly reserve: (bytes: number) => Promise<boolean>
  /** Reserves more bytes if they are free at once. */
  readonly tryReserve: (bytes: number) => boolean
  readonly free: (bytes: number) => void
  /** Notes that bytes of this body have arrived. */
  readonly arrived: (bytes: number) => void
  /** The body is complete: it no longer counts as slow. */
  readonly complete: () => void
  /** Resolves when the body was dropped: it arrived too slowly while others waited. Its memory is free by then. */
  readonly dropped: Promise<'dropped'>
  /** Frees everything. */
  readonly close: () => void
}

export interface MemoryBudget {
  readonly open: () => Reservation
  readonly reserved: () => number
  /** For how many ms the first of the waiting bodies has waited; `null` when none waits. */
  readonly waitingMs: () => number | null
}

/** A body waits this long for memory: the tunnel's timeout for a whole exchange. After that its lifeboat stores the envelope. */
const TIMEOUT_MS = 5000
/** While a body waits, a slower one is looked for this often. */
const DROP_EVERY_MS = 250
/** The speed of a body is measured over at least this long. */
const MEASURED_MS = 1000
/** A body that arrives more slowly than this is dropped while others wait: 20 MiB in 80 s. */
const LEAST_BYTES_PER_MS = 256

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
 * `limit - largest`. The oldest always gets what it needs and ends; then the next one is the oldest. While a body waits, the
 * slowest of those that arrive too slowly is dropped, so that a sender that stalls cannot hold memory that others need.
 * @param given.limit bytes of all bodies together
 * @param given.largest bytes that one body needs at most. When it exceeds the budget, only the oldest body gets memory, and a
 * body that needs more than the whole budget fails at once.
 * @param given.mostWaiting more waiting bodies fail at once: they would only time out
 * @param given.monotonic a clock in ms that never goes back
 */
export function openMemoryBudget(given: {
  readonly limit: number
  readonly largest: number
  readonly mostWaiting: number
  readonly later: StartTimer
  readonly monotonic: () => number
}): MemoryBudget {
  const { limit, mostWaiting, later, monotonic } = given
  const open = new Set<Usage>()
  const waiting = new Set<Waiting>()
  const shared = Math.max(limit - given.largest, limit / 2)
  let reserved = 0
  let isDropping = false

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
  const close = (usage: Usage): void => {
    if (!open.delete(usage)) return
    for (const one of waiting) if (one.usage === usage) one.settle(false)
    free(usage, usage.bytes)
  }

  /** The slowest body that still arrives, holds memory and does not itself wait for more. */
  const slowest = (): Usage | null => {
    const now = monotonic()
    const paused = new Set([...waiting].map(({ usage }) => usage))
    let found: Usage | null = null
    let least = LEAST_BYTES_PER_MS
    for (const usage of open) {
      if (!usage.isReceiving || usage.bytes === 0 || paused.has(usage)) continue
      measure(usage, now)
      if (usage.speed >= least) continue
      least = usage.speed
      found = usage
    }
    return found
  }
  const dropSlow = (): void => {
    for (let slow = slowest(); waiting.size > 0 && slow !== null; slow = slowest()) {
      close(slow)
      slow.drop()
    }
    isDropping = waiting.size > 0
    if (isDropping) later(dropSlow, DROP_EVERY_MS)
  }

  return {
    reserved: () => reserved,
    waitingMs: () => {
      const [first] = waiting
      return first === undefined ? null : monotonic() - first.since
    },
    open: () => {
      let drop: (how: 'dropped') => void = () => undefined
      const dropped = new Promise<'dropped'>((resolve) => {
        drop = resolve
      })
      const usage: Usage = {
        bytes: 0,
        arrived: 0,
        since: monotonic(),
        speed: UNMEASURED,
        isReceiving: true,
        drop: () => drop('dropped'),
      }
      open.add(usage)
      const tryReserve = (bytes: number): boolean =>
        (isOldest(usage) || waiting.size === 0) && fits(usage, bytes) && grant(usage, bytes)
      const wait = (bytes: number): Promise<boolean> =>
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
          }, TIMEOUT_MS)
          waiting.add(one)
          if (!isDropping) dropSlow()
        })
      return {
        tryReserve,
        reserve: async (bytes) => {
          if (tryReserve(bytes)) return true
          if (usage.bytes + bytes > limit || waiting.size >= mostWaiting) return false
          return wait(bytes)
        },
        free: (bytes) => free(usage, bytes),
        arrived: (bytes) => {
          measure(usage, monotonic())
          usage.arrived += bytes
        },
        complete: () => {
          usage.isReceiving = false
        },
        dropped,
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
