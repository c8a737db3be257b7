import { describe, expect, it } from 'vitest'
import type { StartTimer } from '../../../lib/time'
import { type MemoryBudget, openMemoryBudget, type Reservation } from '../../../lib/tunnel/memory-budget'

const openBudget = (limit: number, largest: number, later: StartTimer, monotonic: () => number = () => 0) =>
  openMemoryBudget({ limit, largest, leastBytesPerMs: 256, queue: { most: 1000, later }, monotonic })
const openBody = (budget: MemoryBudget) => budget.open(() => undefined)

function manualTimer() {
  const waits = new Set<() => void>()
  return {
    later: (work: () => void) => {
      waits.add(work)
      return () => {
        waits.delete(work)
      }
    },
    pass: () => {
      for (const work of [...waits]) {
        waits.delete(work)
        work()
      }
    },
    waiting: () => waits.size,
  }
}

const settled = async (promise: Promise<boolean>): Promise<boolean | 'waits'> => {
  const next = new Promise<'waits'>((resolve) => setImmediate(() => resolve('waits')))
  return Promise.race([promise, next])
}

describe('the memory budget', () => {
  it('reserves, frees and closes', async () => {
    const budget = openBudget(100, 10, manualTimer().later)
    const body = openBody(budget)
    expect(await body.reserve(10)).toBe(true)
    expect(await body.reserve(5)).toBe(true)
    body.free(10)
    expect(budget.reserved()).toBe(5)
    body.close()
    body.close()
    expect(budget.reserved()).toBe(0)
  })

  it('keeps the memory of one body for the oldest', async () => {
    const budget = openBudget(100, 30, manualTimer().later)
    const first = openBody(budget)
    const others = [openBody(budget), openBody(budget)]
    expect(await settled(others[0]?.reserve(40) ?? Promise.resolve(false))).toBe(true)
    expect(await settled(others[1]?.reserve(30) ?? Promise.resolve(false))).toBe(true)
    expect(await settled(others[1]?.reserve(1) ?? Promise.resolve(true))).toBe('waits')
    expect(await settled(first.reserve(30))).toBe(true)
    expect(budget.reserved()).toBe(100)
  })

  it('does not deadlock when each body reserves a little at a time', async () => {
    const budget = openBudget(100, 40, manualTimer().later)
    const bodies = Array.from({ length: 10 }, () => openBody(budget))
    let done = 0
    const whole = async (body: Reservation): Promise<void> => {
      for (let part = 0; part < 8; part += 1) expect(await body.reserve(5)).toBe(true)
      done += 1
      body.close()
    }
    await Promise.all(bodies.map(whole))
    expect([done, budget.reserved()]).toEqual([10, 0])
  })

  it('lets no small body overtake a waiting large one', async () => {
    const budget = openBudget(100, 10, manualTimer().later)
    const first = openBody(budget)
    const [holder, large, small] = [openBody(budget), openBody(budget), openBody(budget)]
    expect(await settled(holder.reserve(50))).toBe(true)
    const waiting = large.reserve(60)
    expect(small.tryReserve(1)).toBe(false)
    const after = small.reserve(1)
    expect(await settled(after)).toBe('waits')
    holder.close()
    expect([await waiting, await after]).toEqual([true, true])
    first.close()
  })

  it('fails after the timeout, and at once for more than the whole budget', async () => {
    const time = manualTimer()
    const budget = openBudget(100, 10, time.later)
    const [first, second] = [openBody(budget), openBody(budget)]
    expect(await settled(first.reserve(95))).toBe(true)
    const waiting = second.reserve(20)
    expect(await settled(waiting)).toBe('waits')
    time.pass()
    expect(await waiting).toBe(false)
    expect(await second.reserve(101)).toBe(false)
    expect([time.waiting(), budget.reserved()]).toEqual([0, 95])
  })

  it('serves the next body when a waiting one closes', async () => {
    const time = manualTimer()
    const budget = openBudget(100, 10, time.later)
    const [first, large, small] = [openBody(budget), openBody(budget), openBody(budget)]
    expect(await settled(first.reserve(50))).toBe(true)
    const waiting = large.reserve(60)
    const after = small.reserve(20)
    expect(await settled(after)).toBe('waits')
    large.close()
    expect([await waiting, await settled(after)]).toEqual([false, true])
  })

  it('queues a thousand bodies at most', async () => {
    const budget = openBudget(100, 50, manualTimer().later)
    const first = openBody(budget)
    expect(await first.reserve(100)).toBe(true)
    const waiting = Array.from({ length: 1000 }, () => openBody(budget).reserve(1))
    expect(await settled(openBody(budget).reserve(1))).toBe(false)
    first.close()
    expect((await Promise.all(waiting.slice(0, 50))).every(Boolean)).toBe(true)
  })
})

describe('a body that arrives slowly', () => {
  /** A clock, and timers that fire when it passes them. */
  function clock() {
    let now = 0
    const timers = new Set<{ readonly at: number; readonly work: () => void }>()
    return {
      monotonic: () => now,
      later: (work: () => void, ms: number) => {
        const timer = { at: now + ms, work }
        timers.add(timer)
        return () => {
          timers.delete(timer)
        }
      },
      pass: (ms: number) => {
        const until = now + ms
        for (;;) {
          const next = [...timers].filter(({ at }) => at <= until).sort((one, other) => one.at - other.at)[0]
          if (next === undefined) break
          timers.delete(next)
          now = Math.max(now, next.at)
          next.work()
        }
        now = until
      },
    }
  }
  const KIB = 1024
  function observed(budget: MemoryBudget) {
    const state = { isDropped: false }
    const reservation = budget.open(() => {
      state.isDropped = true
    })
    return { ...reservation, isDropped: () => state.isDropped }
  }

  it('is dropped while another waits, the slowest first, and only as many as that needs', async () => {
    const time = clock()
    const budget = openBudget(3000 * KIB, 3000 * KIB, time.later, time.monotonic)
    const [first, stalled, slow] = [observed(budget), observed(budget), observed(budget)]
    for (const body of [first, stalled, slow]) {
      expect(await body.reserve(500 * KIB)).toBe(true)
      body.arrived(500 * KIB)
    }
    const honest = openBody(budget)
    const waiting = honest.reserve(300 * KIB)
    const trickle = () => {
      first.arrived(400 * KIB)
      slow.arrived(100 * KIB)
    }
    time.pass(1100)
    trickle()
    expect(await settled(waiting)).toBe('waits')
    time.pass(1100)
    expect(await settled(waiting)).toBe(true)
    expect([first, stalled, slow].map((body) => body.isDropped())).toEqual([false, true, false])
    expect(budget.reserved()).toBe(1300 * KIB)
  })

  it('is kept while none waits, while it waits itself, and once it is complete', async () => {
    const time = clock()
    const budget = openBudget(100, 100, time.later, time.monotonic)
    const [stalled, complete, blocked] = [observed(budget), observed(budget), observed(budget)]
    expect(await stalled.reserve(10)).toBe(true)
    time.pass(60_000)
    expect(stalled.isDropped()).toBe(false)
    expect(await complete.reserve(20)).toBe(true)
    expect(await blocked.reserve(20)).toBe(true)
    complete.complete()
    stalled.complete()
    const waiting = blocked.reserve(60)
    time.pass(4000)
    expect([stalled, complete, blocked].map((body) => body.isDropped())).toEqual([false, false, false])
    expect(budget.waitingMs()).toBe(4000)
    time.pass(1000)
    expect(await waiting).toBe(false)
    expect(budget.waitingMs()).toBe(null)
  })
})
