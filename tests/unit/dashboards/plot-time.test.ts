import { describe, expect, it } from 'vitest'
import { extentOf, HOUR_MS, percentAt, plotWindow, QUARTER_MS, ticksOf } from '../../../dashboards/ui/plot-time'

const AT = Date.UTC(2026, 10, 20, 10, 7, 3)

describe('the window of a plot', () => {
  it('ends at the present, and moves in steps of a 900th of its range', () => {
    const window = plotWindow(AT, HOUR_MS)
    expect(window.endMs - window.startMs).toBe(HOUR_MS)
    expect(window.endMs - AT).toBeLessThan(4000)
    expect(plotWindow(window.endMs - 3999, HOUR_MS)).toEqual(window)
    expect(plotWindow(window.endMs + 1, HOUR_MS)).not.toEqual(window)
  })

  it('reaches beyond the present on request', () => {
    const window = plotWindow(AT, HOUR_MS, 60_000)
    expect(window.endMs - window.startMs).toBe(HOUR_MS + 60_000)
  })

  it('places times in percent', () => {
    const window = { startMs: 1000, endMs: 3000 }
    expect([1000, 1500, 3000, 4000].map((at) => percentAt(window, at))).toEqual([0, 25, 100, 150])
  })

  it('cuts a span of time at both edges, and has none outside', () => {
    const window = { startMs: 1000, endMs: 3000 }
    expect(extentOf(window, 500, 2000)).toEqual({ x: 0, width: 50 })
    expect(extentOf(window, 2500, 9000)).toEqual({ x: 75, width: 25 })
    expect([extentOf(window, 100, 999), extentOf(window, 3001, 4000)]).toEqual([null, null])
  })
})

describe('the ticks of a plot', () => {
  it.each([
    ['a quarter', QUARTER_MS, 5 * 60_000],
    ['an hour', HOUR_MS, 10 * 60_000],
    ['a day', 24 * HOUR_MS, 6 * HOUR_MS],
  ])('are round local times, at most seven in %s', (_, range, step) => {
    const window = plotWindow(AT, range)
    const ticks = ticksOf(window)
    expect(ticks.length).toBeGreaterThan(1)
    expect(ticks.length).toBeLessThanOrEqual(7)
    const zoneMs = new Date(AT).getTimezoneOffset() * 60_000
    for (const tick of ticks) {
      expect((tick - zoneMs) % step).toBe(0)
      expect(tick).toBeGreaterThanOrEqual(window.startMs)
      expect(tick).toBeLessThanOrEqual(window.endMs)
    }
  })
})
