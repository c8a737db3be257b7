import { describe, expect, it } from 'vitest'
import {
  around,
  barOf,
  firstWindow,
  fractionOf,
  fullWindow,
  pan,
  partOf,
  showsAll,
  ticks,
  within,
  zoom,
} from '../../../dashboards/traces/time-axis'

const full = { startUs: 1_000_000, endUs: 2_000_000 }

describe('the whole window', () => {
  const DAY = 86_400_000_000
  const segment = { startUs: 900 * DAY, endUs: 900 * DAY + 5000 }

  it('holds the segments, and the spans and errors that reach beyond them', () => {
    const spans = [
      { startUs: segment.startUs - 20, endUs: segment.startUs },
      { startUs: segment.endUs, endUs: segment.endUs + 300 },
    ]
    const { startUs, endUs } = fullWindow([segment], spans, [{ timestampUs: segment.endUs + 4000 }])
    expect([startUs - segment.startUs, endUs - segment.endUs]).toEqual([-20, 4000])
  })

  it('leaves out what another clock timed: a day away from every segment', () => {
    const spans = [segment, { startUs: 1000, endUs: 1_003_000_000 }]
    expect(fullWindow([segment], spans, [{ timestampUs: segment.endUs + DAY }])).toEqual(segment)
  })

  it('holds every span where there is no segment, and is never of zero length', () => {
    const spans = [
      { startUs: 20, endUs: 5000 },
      { startUs: 10, endUs: 30 },
    ]
    expect(fullWindow([], spans, [{ timestampUs: 9000 }])).toEqual({ startUs: 10, endUs: 9000 })
    expect(fullWindow([], [{ startUs: 10, endUs: 10 }], [])).toEqual({ startUs: 10, endUs: 1010 })
    expect(fullWindow([], [], [])).toEqual({ startUs: 0, endUs: 1000 })
  })
})

describe('the first view of a trace', () => {
  const segments = [
    { startUs: 1000, endUs: 2000 },
    { startUs: 1500, endUs: 3000 },
  ]

  it('fits its segments with some air, whatever came much later', () => {
    expect(firstWindow(segments, { startUs: 900, endUs: 90_000_000 })).toEqual({ startUs: 900, endUs: 3100 })
  })

  it('shows no more than there is', () => {
    expect(firstWindow(segments, { startUs: 1000, endUs: 3000 })).toEqual({ startUs: 1000, endUs: 3000 })
  })

  it('is everything where there is no segment', () => {
    expect(firstWindow([], full)).toEqual(full)
  })
})

describe('a zoomed window', () => {
  it('keeps the moment at the anchor where it is', () => {
    const closer = zoom(full, full, 0.5, 0.25)
    expect(closer).toEqual({ startUs: 1_125_000, endUs: 1_625_000 })
    expect(fractionOf(closer, 1_250_000)).toBe(0.25)
  })

  it('never shows more than there is, nor less than 20 µs', () => {
    expect(zoom(full, full, 10)).toEqual(full)
    const closest = zoom(full, full, 1e-12)
    expect(closest.endUs - closest.startUs).toBe(20)
  })

  it('stops at the ends when it is moved', () => {
    const part = { startUs: 1_100_000, endUs: 1_300_000 }
    expect(pan(part, full, 0.5)).toEqual({ startUs: 1_200_000, endUs: 1_400_000 })
    expect(pan(part, full, -9)).toEqual({ startUs: 1_000_000, endUs: 1_200_000 })
    expect(pan(part, full, 99)).toEqual({ startUs: 1_800_000, endUs: 2_000_000 })
  })

  it('fits a span with air on both sides', () => {
    expect(around({ startUs: 1_500_000, endUs: 1_600_000 }, full)).toEqual({ startUs: 1_495_000, endUs: 1_605_000 })
    expect(around(full, full)).toEqual(full)
  })

  it('is the part between two places, in either order', () => {
    expect(partOf(full, 0.75, 0.25)).toEqual({ startUs: 1_250_000, endUs: 1_750_000 })
  })

  it('shows all when it covers the trace', () => {
    expect(showsAll(full, full)).toBe(true)
    expect(showsAll({ startUs: 1_000_001, endUs: 2_000_000 }, full)).toBe(false)
    expect(within({ startUs: 0, endUs: 9_000_000 }, full)).toEqual(full)
  })
})

describe('the ticks of the axis', () => {
  it('stand at round times after the start of the trace', () => {
    expect(ticks(full, full.startUs, 7).map((tick) => tick.offsetUs)).toEqual([
      0, 200_000, 400_000, 600_000, 800_000, 1_000_000,
    ])
    expect(ticks({ startUs: 1_333_000, endUs: 1_337_000 }, full.startUs, 4).map((tick) => tick.offsetUs)).toEqual([
      333_000, 334_000, 335_000, 336_000, 337_000,
    ])
  })

  it.each([1, 13, 999, 12_345, 86_400_000_000])('are few and evenly spaced in a window of %i µs', (width) => {
    const marks = ticks({ startUs: 7, endUs: 7 + width }, 0, 7)
    expect(marks.length).toBeLessThanOrEqual(8)
    const steps = new Set(marks.slice(1).map((tick, at) => tick.offsetUs - (marks[at]?.offsetUs ?? 0)))
    expect(steps.size).toBeLessThanOrEqual(1)
  })
})

describe('a bar', () => {
  it('has its place in the window', () => {
    expect(barOf({ startUs: 1_250_000, endUs: 1_500_000 }, full)).toEqual({
      left: 0.25,
      width: 0.25,
      outside: null,
      label: 'after',
    })
  })

  it('writes its duration where there is room', () => {
    expect(barOf({ startUs: 1_500_000, endUs: 1_990_000 }, full).label).toBe('before')
    expect(barOf({ startUs: 1_000_000, endUs: 2_000_000 }, full).label).toBe('inside')
  })

  it('is cut off just outside the window, and says when it lies beyond it', () => {
    const window = { startUs: 1_400_000, endUs: 1_600_000 }
    expect(barOf({ startUs: 1_000_000, endUs: 2_000_000 }, window)).toMatchObject({ left: -0.01, outside: null })
    expect(barOf({ startUs: 1_000_000, endUs: 1_100_000 }, window).outside).toBe('before')
    expect(barOf({ startUs: 1_700_000, endUs: 1_800_000 }, window).outside).toBe('after')
  })
})
