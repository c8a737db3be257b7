import { describe, expect, it } from 'vitest'
import { countRecords, recordAt, type StorePlan, TRACES, VALUES } from '../../bench/store-records'

const PLAN: StorePlan = { segments: 1000, newest: 1_800_000_000_000 }
const all = Array.from({ length: countRecords(PLAN) }, (_, index) => recordAt(PLAN, index + 1))
const textOf = (index: number): string => Buffer.from(all[index]?.body ?? []).toString()

describe('the records of a benchmark store', () => {
  it('are the same for the same number, so that an interrupted fill can continue', () => {
    expect(recordAt(PLAN, 123)).toEqual(all[122])
    expect(new Set(all.map(({ receipt }) => receipt)).size).toBe(all.length)
  })

  it('hold the requested number of segments, and one error per ten segments', () => {
    const categories = all.map(({ quantities }) => quantities[0]?.category)
    const many = (category: string): number => categories.filter((one) => one === category).length
    expect([many('transaction'), many('error'), many('span')]).toEqual([1000 + 50, 100, 101])
  })

  it('hold rare values only in the oldest records', () => {
    const rare = all.flatMap((_, index) => (textOf(index).includes(VALUES.environment.rare) ? [index] : []))
    expect(rare.length).toBeGreaterThan(0)
    expect(Math.max(...rare)).toBeLessThan(20)
  })

  it('hold one trace of a hundred full containers', () => {
    const long = all.filter(({ body }) => Buffer.from(body).includes(TRACES.long))
    const spans = long.reduce((sum, { quantities }) => sum + (quantities[0]?.quantity ?? 0), 0)
    expect([long.length, spans]).toEqual([100, 100_000])
  })
})
