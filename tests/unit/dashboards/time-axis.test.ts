import { describe, expect, it } from 'vitest'
import {
  around,
  firstWindow,
  fractionOf,
  fullWindow,
  pan,
  partOf,
  placeOf,
  showsAll,
  sideOf,
  ticks,
  timedElsewhere,
  trackProperties,
  within,
  zoom,
} from '../../../dashboards/traces/time-axis'

const full = { startUs: 1_000_000, endUs: 2_000_000 }

describe('the whole window', () => {
  const DAY = 86_400_000_000
  const segment = { startUs: 900 * DAY, endUs: 900 * DAY + 5000 }

  it('covers segments, and spans and errors beyond them', () => {
    const spans = [
      { startUs: segment.startUs - 20, endUs: segment.startUs },
      { startUs: segment.endUs, endUs: segment.endUs + 300 },
    ]
    const { startUs, endUs } = fullWindow([segment], spans, [{ timestampUs: segment.endUs + 4000 }])
    expect([startUs - segment.startUs, endUs - segment.endUs]).toEqual([-20, 4000])
  })

  it('leaves out spans a day away from every segment', () => {
    const spans = [segment, { startUs: 1000, endUs: 1_003_000_000 }]
    expect(fullWindow([segment], spans, [{ timestampUs: segment.endUs + DAY }])).toEqual(segment)
  })

  it('leaves out the start of segments and spans that start in 1970', () => {
    const today = { startUs: 1_795_000_000_000_000, endUs: 1_795_000_000_400_000 }
    const wrong = [
      { startUs: 0, endUs: 2000 },
      { startUs: 49_757_618_873, endUs: today.endUs },
    ]
    expect(fullWindow([today, ...wrong], wrong, [])).toEqual(today)
    expect(fullWindow([], [today, ...wrong], [])).toEqual(today)
    expect(firstWindow([...wrong, today], today)).toEqual(today)
    expect(wrong.map((span) => timedElsewhere(span, today))).toEqual([true, true])
    expect(timedElsewhere(today, today)).toBe(false)
    const [first] = wrong
    expect(fullWindow(wrong.slice(0, 1), [], [])).toEqual(first)
  })

  it('covers all spans without a segment, and is never of zero length', () => {
    const spans = [
      { startUs: 20, endUs: 5000 },
      { startUs: 10, endUs: 30 },
    ]
    expect(fullWindow([], spans, [{ timestampUs: 9000 }])).toEqual({ startUs: 10, endUs: 9000 })
    expect(fullWindow([], [{ startUs: 10, endUs: 10 }], [])).toEqual({ startUs: 10, endUs: 1010 })
    expect(fullWindow([], [], [])).toEqual({ startUs: 0, endUs: 1000 })
  })
})

describe('the initial window', () => {
  const segments = [
    { startUs: 1000, endUs: 2000 },
    { startUs: 1500, endUs: 3000 },
  ]

  it('fits the segments with a margin, without spans that came much later', () => {
    expect(firstWindow(segments, { startUs: 900, endUs: 90_000_000 })).toEqual({ startUs: 900, endUs: 3100 })
  })

  it('stays inside the trace', () => {
    expect(firstWindow(segments, { startUs: 1000, endUs: 3000 })).toEqual({ startUs: 1000, endUs: 3000 })
  })

  it('is the whole trace without a segment', () => {
    expect(firstWindow([], full)).toEqual(full)
  })
})

describe('a zoomed window', () => {
  it('keeps the time at the anchor in place', () => {
    const closer = zoom(full, full, 0.5, 0.25)
    expect(closer).toEqual({ startUs: 1_125_000, endUs: 1_625_000 })
    expect(fractionOf(closer, 1_250_000)).toBe(0.25)
  })

  it('stays inside the trace, above 20 µs and a 20,000th of the trace', () => {
    expect(zoom(full, full, 10)).toEqual(full)
    const closest = zoom(full, full, 1e-12)
    expect(closest.endUs - closest.startUs).toBe(50)
    const short = { startUs: 0, endUs: 10_000 }
    expect(zoom(short, short, 1e-12)).toMatchObject({ startUs: 4990, endUs: 5010 })
  })

  it('stops at the ends when panned', () => {
    const part = { startUs: 1_100_000, endUs: 1_300_000 }
    expect(pan(part, full, 0.5)).toEqual({ startUs: 1_200_000, endUs: 1_400_000 })
    expect(pan(part, full, -9)).toEqual({ startUs: 1_000_000, endUs: 1_200_000 })
    expect(pan(part, full, 99)).toEqual({ startUs: 1_800_000, endUs: 2_000_000 })
  })

  it('fits a span with a margin', () => {
    expect(around({ startUs: 1_500_000, endUs: 1_600_000 }, full)).toEqual({ startUs: 1_495_000, endUs: 1_605_000 })
    expect(around(full, full)).toEqual(full)
  })

  it('is the range between two positions, in either order', () => {
    expect(partOf(full, 0.75, 0.25)).toEqual({ startUs: 1_250_000, endUs: 1_750_000 })
  })

  it('shows everything when it covers the trace', () => {
    expect(showsAll(full, full)).toBe(true)
    expect(showsAll({ startUs: 1_000_001, endUs: 2_000_000 }, full)).toBe(false)
    expect(within({ startUs: 0, endUs: 9_000_000 }, full)).toEqual(full)
  })
})

it('the ticks of the axis are at round offsets from the start', () => {
  expect(ticks(full, full.startUs, 7).map((tick) => tick.offsetUs)).toEqual([
    0, 200_000, 400_000, 600_000, 800_000, 1_000_000,
  ])
  expect(ticks({ startUs: 1_333_000, endUs: 1_337_000 }, full.startUs, 4).map((tick) => tick.offsetUs)).toEqual([
    333_000, 334_000, 335_000, 336_000, 337_000,
  ])
})

it.each([1, 13, 999, 12_345, 86_400_000_000])(
  'the ticks of the axis are few and evenly spaced in a window of %i µs',
  (width) => {
    const marks = ticks({ startUs: 7, endUs: 7 + width }, 0, 7)
    expect(marks.length).toBeLessThanOrEqual(8)
    const steps = new Set(marks.slice(1).map((tick, at) => tick.offsetUs - (marks[at]?.offsetUs ?? 0)))
    expect(steps.size).toBeLessThanOrEqual(1)
  },
)

it('a bar has its place on the whole axis, which the window moves and widens', () => {
  expect(placeOf({ startUs: 1_250_000, endUs: 1_500_000 }, full)).toEqual({ left: '25%', width: '25%' })
  expect(trackProperties({ startUs: 1_500_000, endUs: 1_750_000 }, full)).toEqual({
    '--track-left': '-200%',
    '--track-width': '400%',
  })
})

it.each([
  [1_000_000, 1_100_000, 'earlier'],
  [1_700_000, 1_800_000, 'later'],
  [1_450_000, 1_500_000, 'after'],
  [1_000_000, 2_000_000, 'before'],
])('a bar from %i to %i is, or has its label, on the side: %s', (startUs, endUs, side) => {
  expect(sideOf({ startUs, endUs }, { startUs: 1_400_000, endUs: 1_600_000 })).toBe(side)
})
