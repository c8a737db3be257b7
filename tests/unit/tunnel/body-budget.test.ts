import { describe, expect, it, vi } from 'vitest'
import { createBodyBudget } from '../../../lib/tunnel/body-budget'

const KIB = 1024

function budgetOf(smallLaneBytes: number, largeLaneBytes: number) {
  const clock = { time: 0 }
  return { clock, budget: createBodyBudget({ monotonic: () => clock.time, smallLaneBytes, largeLaneBytes }) }
}

describe('createBodyBudget', () => {
  it('has 16 MiB for the first 64 KiB of bodies, and 40 MiB for the rest', () => {
    const budget = createBodyBudget()
    expect(budget.open(vi.fn()).take(64 * KIB + 40 * KIB * KIB)).toBe(true)
    expect(budget.open(vi.fn()).take(64 * KIB + 1)).toBe(false)
    for (let body = 1; body < 256; body += 1) expect(budget.open(vi.fn()).take(64 * KIB)).toBe(true)
    expect(budget.open(vi.fn()).take(1)).toBe(false)
  })

  it('keeps memory for small bodies while large ones use up theirs', () => {
    const { budget } = budgetOf(256 * KIB, 100 * KIB)
    expect(budget.open(vi.fn()).take(164 * KIB)).toBe(true)
    expect(budget.open(vi.fn()).take(65 * KIB)).toBe(false)
    expect(budget.open(vi.fn()).take(64 * KIB)).toBe(true)
  })

  it('drops the slowest incomplete body that is at least a second old', () => {
    const { clock, budget } = budgetOf(1000, 0)
    const [slow, fast, complete] = [vi.fn(), vi.fn(), vi.fn()]
    expect(budget.open(slow).take(100)).toBe(true)
    expect(budget.open(fast).take(800)).toBe(true)
    const third = budget.open(complete)
    expect(third.take(50)).toBe(true)
    third.complete()
    clock.time = 999
    expect(budget.open(vi.fn()).take(100)).toBe(false)
    clock.time = 1000
    expect(budget.open(vi.fn()).take(100)).toBe(true)
    expect([slow, fast, complete].map((dropped) => dropped.mock.calls.length)).toEqual([1, 0, 0])
  })

  it('gives a dropped body no more memory', () => {
    const { clock, budget } = budgetOf(1000, 0)
    const slow = budget.open(vi.fn())
    slow.take(600)
    clock.time = 1000
    expect(budget.open(vi.fn()).take(1000)).toBe(true)
    expect(slow.take(1)).toBe(false)
    slow.close()
    expect(budget.reserved()).toBe(1000)
  })

  it('frees the bytes of a closed body once', () => {
    const { budget } = budgetOf(1000, 0)
    const body = budget.open(vi.fn())
    body.take(700)
    body.close()
    body.close()
    expect(budget.reserved()).toBe(0)
  })
})
