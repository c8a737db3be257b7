import { describe, expect, it } from 'vitest'
import { DelayedRecords } from '../../../collector/relay/deferred-posts'
import { HandClock } from './relay-parts'

const one = (seq: number) => ({ seq, bytes: 10 })

function holding() {
  const clock = new HandClock()
  const freed: number[] = []
  let skew = 0
  const held = new DelayedRecords({ now: () => clock.now() + skew, later: clock.later }, (those) =>
    freed.push(...those.map(({ seq }) => seq)),
  )
  return {
    clock,
    freed,
    held,
    setClock: (ms: number) => {
      skew = ms
    },
  }
}

describe('a delayed record', () => {
  it('is freed at its end, together with all that end at that time', () => {
    const { clock, freed, held } = holding()
    held.add(one(7), 60_000)
    held.add(one(3), 59_500)
    held.add(one(5), 120_000)
    clock.pass(59_999)
    expect([freed, held.size]).toEqual([[], 3])
    clock.pass(1)
    expect([freed, held.size, held.has(3), held.has(5)]).toEqual([[7, 3], 1, false, true])
    clock.pass(60_000)
    expect([freed, held.size]).toEqual([[7, 3, 5], 0])
  })

  it('waits for the same time however the clock is set', () => {
    const { clock, freed, held, setClock } = holding()
    held.add(one(1), 60_000)
    setClock(-86_400_000)
    clock.pass(60_000)
    expect(freed).toEqual([1])
  })

  it('waits at least a second, also for an end in the past', () => {
    const { clock, held } = holding()
    clock.pass(10_000)
    held.add(one(1), 9000)
    expect(clock.next).toBe(1000)
  })

  it('shares its timer: 10,000 records need two', () => {
    let timers = 0
    const later = () => {
      timers += 1
      return () => undefined
    }
    const held = new DelayedRecords({ now: () => 0, later }, () => undefined)
    for (let seq = 1; seq <= 10_000; seq += 1) held.add(one(seq), 60_000 + (seq % 1000))
    expect([held.size, timers]).toEqual([10_000, 2])
  })

  it('is freed before its delay ends by a release that names it, while other records wait', () => {
    const { clock, freed, held } = holding()
    for (const seq of [1, 2, 3]) held.add(one(seq), 60_000)
    held.release([2, 9])
    expect([freed, held.size, held.has(2)]).toEqual([[2], 2, false])
    held.release([2])
    held.add(one(2), 90_000)
    clock.pass(60_000)
    expect([freed, held.size]).toEqual([[2, 1, 3], 1])
    clock.pass(30_000)
    expect([freed, held.size]).toEqual([[2, 1, 3, 2], 0])
  })

  it('is not freed after the end of the relay', () => {
    const { clock, freed, held } = holding()
    held.add(one(1), 5000)
    held.end()
    clock.pass(5000)
    expect([freed, held.size]).toEqual([[], 0])
  })
})
