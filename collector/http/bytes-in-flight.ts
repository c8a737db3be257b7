/** Runs `work` after so many ms; the answer calls it off. */
export type Later = (work: () => void, ms: number) => () => void

/** One body's place in the budget. */
export interface Seat {
  /** Holds so many bytes more, now or after a wait; `false` when there was no room in time. */
  readonly take: (bytes: number) => Promise<boolean>
  /** Holds so many bytes more if that is possible at once. */
  readonly takeNow: (bytes: number) => boolean
  readonly give: (bytes: number) => void
  /** Gives back everything. To be called once the body is done with, whatever became of it. */
  readonly leave: () => void
}

export interface BytesInFlight {
  readonly enter: () => Seat
  readonly held: () => number
}

/** A body waits so long for room, the tunnel's timeout for the whole exchange: then the lifeboat keeps it. */
const TIMEOUT_MS = 5000
/** More that wait would only be told so later. */
const MOST_WAITING = 1000

interface Waiting {
  readonly seat: Holding
  readonly bytes: number
  readonly settle: (granted: boolean) => void
}

interface Holding {
  bytes: number
}

/**
 * The budget of all bodies that are being received at one moment.
 *
 * Nobody knows beforehand how large a body becomes, so it takes its bytes as they come, and several that each hold a
 * part and wait for more could wait for each other for ever. Therefore the one that came first may use the whole
 * budget, and all others together only what is left beside `largest`, the most that one body can need: the first is
 * always granted what it asks for and ends, and then another is the first.
 * @param limit bytes in all.
 * @param largest bytes that one body needs at most. When that is more than the budget, only the first gets any, and one
 * that needs more than the budget is told so at once.
 */
export function openBytesInFlight(limit: number, largest: number, later: Later): BytesInFlight {
  const seats = new Set<Holding>()
  const waiting = new Set<Waiting>()
  const shared = Math.max(limit - largest, limit / 2)
  let held = 0

  const isFirst = (seat: Holding): boolean => seats.values().next().value === seat
  const fits = (seat: Holding, bytes: number): boolean => held + bytes <= (isFirst(seat) ? limit : shared)
  const grant = (seat: Holding, bytes: number): true => {
    seat.bytes += bytes
    held += bytes
    return true
  }
  /** In order of arrival; the first seat is served whenever it waits. Nobody overtakes, or a large one would starve. */
  const serve = (): void => {
    for (const one of waiting) if (isFirst(one.seat) && fits(one.seat, one.bytes)) one.settle(true)
    for (const one of waiting) {
      if (!fits(one.seat, one.bytes)) return
      one.settle(true)
    }
  }
  const giveBack = (seat: Holding, bytes: number): void => {
    seat.bytes -= bytes
    held -= bytes
    serve()
  }

  return {
    held: () => held,
    enter: () => {
      const seat: Holding = { bytes: 0 }
      seats.add(seat)
      const takeNow = (bytes: number): boolean =>
        (isFirst(seat) || waiting.size === 0) && fits(seat, bytes) && grant(seat, bytes)
      return {
        takeNow,
        take: async (bytes) => {
          if (takeNow(bytes)) return true
          if (seat.bytes + bytes > limit || waiting.size >= MOST_WAITING) return false
          return new Promise((resolve) => {
            const one: Waiting = {
              seat,
              bytes,
              settle: (granted) => {
                callOff()
                waiting.delete(one)
                if (granted) grant(seat, bytes)
                resolve(granted)
              },
            }
            const callOff = later(() => {
              one.settle(false)
              serve()
            }, TIMEOUT_MS)
            waiting.add(one)
          })
        },
        give: (bytes) => giveBack(seat, bytes),
        leave: () => {
          if (!seats.delete(seat)) return
          for (const one of waiting) if (one.seat === seat) one.settle(false)
          giveBack(seat, seat.bytes)
        },
      }
    },
  }
}
