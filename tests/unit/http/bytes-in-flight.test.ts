import { describe, expect, it } from 'vitest'
import { openBytesInFlight, type Seat } from '../../../collector/http/bytes-in-flight'

/** Time that passes when the test says so. */
function handTime() {
  const waits = new Set<() => void>()
  return {
    later: (work: () => void) => {
      waits.add(work)
      return () => {
        waits.delete(work)
      }
    },
    pass: () => {
      for (const work of [...waits]) work()
    },
    waiting: () => waits.size,
  }
}

const settled = async (promise: Promise<boolean>): Promise<boolean | 'waits'> => {
  const next = new Promise<'waits'>((resolve) => setImmediate(() => resolve('waits')))
  return Promise.race([promise, next])
}

describe('the budget of bodies in flight', () => {
  it('is held, given back and left', async () => {
    const budget = openBytesInFlight(100, 10, handTime().later)
    const seat = budget.enter()
    expect(await seat.take(10)).toBe(true)
    expect(await seat.take(5)).toBe(true)
    seat.give(10)
    expect(budget.held()).toBe(5)
    seat.leave()
    seat.leave()
    expect(budget.held()).toBe(0)
  })

  it('keeps what one body may need for the first, which gets it however full it is', async () => {
    const budget = openBytesInFlight(100, 30, handTime().later)
    const first = budget.enter()
    const others = [budget.enter(), budget.enter()]
    expect(await settled(others[0]?.take(40) ?? Promise.resolve(false))).toBe(true)
    expect(await settled(others[1]?.take(30) ?? Promise.resolve(false))).toBe(true)
    expect(await settled(others[1]?.take(1) ?? Promise.resolve(true))).toBe('waits')
    expect(await settled(first.take(30))).toBe(true)
    expect(budget.held()).toBe(100)
  })

  it('never ends in everybody waiting for everybody, though each takes a bit at a time', async () => {
    const budget = openBytesInFlight(100, 40, handTime().later)
    const seats = Array.from({ length: 10 }, () => budget.enter())
    let done = 0
    const whole = async (seat: Seat): Promise<void> => {
      for (let part = 0; part < 8; part += 1) expect(await seat.take(5)).toBe(true)
      done += 1
      seat.leave()
    }
    await Promise.all(seats.map(whole))
    expect([done, budget.held()]).toEqual([10, 0])
  })

  it('lets nobody overtake, so that a large body does not wait for ever behind small ones', async () => {
    const budget = openBytesInFlight(100, 10, handTime().later)
    const first = budget.enter()
    const [holder, large, small] = [budget.enter(), budget.enter(), budget.enter()]
    expect(await settled(holder.take(50))).toBe(true)
    const asked = large.take(60)
    expect(small.takeNow(1)).toBe(false)
    const after = small.take(1)
    expect(await settled(after)).toBe('waits')
    holder.leave()
    expect([await asked, await after]).toEqual([true, true])
    first.leave()
  })

  it('is not waited for longer than timeout, nor by whom it could never hold', async () => {
    const time = handTime()
    const budget = openBytesInFlight(100, 10, time.later)
    const [first, second] = [budget.enter(), budget.enter()]
    expect(await settled(first.take(95))).toBe(true)
    const asked = second.take(20)
    expect(await settled(asked)).toBe('waits')
    time.pass()
    expect(await asked).toBe(false)
    expect(await second.take(101)).toBe(false)
    expect([time.waiting(), budget.held()]).toEqual([0, 95])
  })

  it('gives who stops waiting out of the way of those behind', async () => {
    const time = handTime()
    const budget = openBytesInFlight(100, 10, time.later)
    const [first, large, small] = [budget.enter(), budget.enter(), budget.enter()]
    expect(await settled(first.take(50))).toBe(true)
    const asked = large.take(60)
    const after = small.take(20)
    expect(await settled(after)).toBe('waits')
    large.leave()
    expect([await asked, await settled(after)]).toEqual([false, true])
  })

  it('is waited for by a thousand at most', async () => {
    const budget = openBytesInFlight(100, 50, handTime().later)
    const first = budget.enter()
    expect(await first.take(100)).toBe(true)
    const waiting = Array.from({ length: 1000 }, () => budget.enter().take(1))
    expect(await settled(budget.enter().take(1))).toBe(false)
    first.leave()
    expect((await Promise.all(waiting.slice(0, 50))).every(Boolean)).toBe(true)
  })
})
