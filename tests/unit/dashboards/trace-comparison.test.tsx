import { renderToStaticMarkup } from 'react-dom/server'
import { describe, expect, it } from 'vitest'
import { compare, usualText, withinTraceText } from '../../../dashboards/traces/comparison'
import { compareWithin, keepAnswers } from '../../../dashboards/traces/use-usual'
import { histogramOf, UsualDistribution } from '../../../dashboards/traces/usual-distribution'
import type { TraceSpan } from '../../../lib/wire/trace-columns'
import { spanIn, traceOf } from './drawn-trace'

/** 1 ms, 2 ms … in an order that is not theirs. */
const steps = (count: number): readonly number[] =>
  Array.from({ length: count }, (_, at) => (((at * 13) % count) + 1) * 1000)

describe('a duration among others', () => {
  it.each([
    [0, 5000, false, 'The first one like it: nothing to compare with.'],
    [7, 5000, false, 'Only 7 like it: too few to compare.'],
    [19, 5000, false, 'Only 19 like it: too few to compare.'],
    [20, 19_500, false, 'p50 10.0 ms, p95 19.0 ms of 20. Slower than 95 %.'],
    [200, 196_500, true, 'p50 100 ms, p95 190 ms of the last 200. Slower than 98 %.'],
    [200, 199_500, true, 'p50 100 ms, p95 190 ms of the last 200. Slower than 99 %.'],
    [200, 999_000, true, 'p50 100 ms, p95 190 ms of the last 200. Slower than all.'],
    [200, 30_500, true, 'p50 100 ms, p95 190 ms of the last 200. Faster than 85 %.'],
    [200, 1, true, 'p50 100 ms, p95 190 ms of the last 200. Faster than all.'],
  ])('of %i, as a sentence', (count, us, isCut, text) => {
    expect(usualText(compare(us, steps(count)), isCut)).toBe(text)
  })

  it('is as long as all when all are equal', () => {
    const others = new Array<number>(20).fill(1000)
    expect(usualText(compare(1000, others), false)).toBe('p50 1.00 ms, p95 1.00 ms of 20. As long as all.')
  })

  it('is slow from 30 % above the p95 on, and never among fewer than 20', () => {
    expect(compare(189_999 * 1.3, steps(200)).isSlow).toBe(false)
    expect(compare(190_000 * 1.3, steps(200)).isSlow).toBe(true)
    expect(compare(999_000, steps(19)).isSlow).toBe(false)
  })

  it('has a histogram with every duration, which ends at the longest', () => {
    const { bars, fromUs, toUs } = histogramOf(compare(150_000, steps(200)))
    expect([bars.length, bars.reduce((sum, count) => sum + count, 0), fromUs, toUs]).toEqual([24, 200, 1000, 200_000])
  })

  it('has a histogram that ends at twice the p95, with what is longer in its last bar', () => {
    const outliers = [...steps(98), 9_000_000, 9_500_000]
    const { bars, toUs } = histogramOf(compare(50_000, outliers))
    expect([toUs, bars.at(-1)]).toEqual([190_000, 2])
    expect(histogramOf(compare(12_000_000, outliers)).toUs).toBe(12_000_000)
    expect(histogramOf(compare(5, new Array<number>(20).fill(5))).bars[0]).toBe(20)
  })
})

describe('an inner span', () => {
  const query = (at: number, ms: number, more: Partial<TraceSpan> = {}): TraceSpan =>
    spanIn(`s${at}`, { op: 'db', name: `SELECT ${at}`, startUs: 0, endUs: ms * 1000, ...more })
  const queries = Array.from({ length: 12 }, (_, at) => query(at, at + 1))
  const [first, second, last] = [query(0, 1), query(1, 2), query(11, 12)]

  it('is compared with the spans of its operation in the trace', () => {
    const others = [
      query(20, 99, { op: 'db.sql' }),
      query(21, 99, { service: 'cart' }),
      query(22, 99, { name: 'DELETE 1' }),
    ]
    const all = [...queries, ...others]
    expect(withinTraceText(compareWithin(last, all))).toBe('Slowest of 12 like it in this trace.')
    expect(withinTraceText(compareWithin(first, all))).toBe('Fastest of 12 like it in this trace.')
    expect(withinTraceText(compareWithin(second, all))).toBe('Slower than 1 of the 11 others like it in this trace.')
    expect(withinTraceText(compareWithin(first, [first, query(1, 1)]))).toBe(
      'As long as the 1 other like it in this trace.',
    )
    expect(withinTraceText(compareWithin(first, [first, ...others]))).toBeNull()
  })

  it('has a histogram with a text from 20 others on', () => {
    const many = Array.from({ length: 21 }, (_, at) => query(at, at + 1))
    const draw = (spans: readonly TraceSpan[]) =>
      renderToStaticMarkup(<UsualDistribution trace={traceOf({ spans })} span={first} />)
    expect(draw(many.slice(0, 20))).not.toContain('<svg')
    expect(draw(many)).toContain('aria-label="20 durations from 2.00 ms to 21.0 ms; this one took 1.00 ms"')
    expect(draw([first])).toBe('')
  })
})

describe('answers that are kept', () => {
  it('are read again after 10 s, and after a failure', async () => {
    let [clock, reads, isBroken] = [0, 0, false]
    const keep = keepAnswers(
      async (key) => {
        reads += 1
        if (isBroken) throw new Error('no answer')
        return `${key} ${reads}`
      },
      () => clock,
    )
    expect(await Promise.all([keep('a'), keep('a'), keep('b')])).toEqual(['a 1', 'a 1', 'b 2'])
    clock = 9999
    expect(await keep('a')).toBe('a 1')
    clock = 10_000
    isBroken = true
    await expect(keep('a')).rejects.toThrow('no answer')
    isBroken = false
    expect(await keep('a')).toBe('a 4')
  })
})
