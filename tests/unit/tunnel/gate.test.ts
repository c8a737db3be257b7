import { describe, expect, it } from 'vitest'
import { createGate } from '../../../lib/tunnel/gate'

function gateAt() {
  const clock = { now: 1_000_000 }
  const changes: (string | null)[] = []
  return {
    clock,
    changes,
    gate: createGate(
      () => clock.now,
      (cause) => changes.push(cause),
    ),
  }
}

describe('after a failure', () => {
  it('the collector is left alone for a second, and then one envelope tries', () => {
    const { clock, gate } = gateAt()
    expect(gate.enter()).toBe(true)
    gate.failed('ECONNREFUSED')
    expect(gate.cause()).toBe('ECONNREFUSED')
    expect(gate.enter()).toBe(false)
    clock.now += 999
    expect(gate.enter()).toBe(false)
    clock.now += 1
    expect(gate.enter()).toBe(true)
    expect(gate.enter()).toBe(false)
    gate.failed('ECONNREFUSED')
    expect(gate.enter()).toBe(false)
    clock.now += 1000
    expect(gate.enter()).toBe(true)
    gate.succeeded()
    expect([gate.enter(), gate.enter()]).toEqual([true, true])
    expect(gate.cause()).toBeNull()
  })

  it('an outage is told once, and its end once', () => {
    const { clock, changes, gate } = gateAt()
    gate.succeeded()
    gate.failed('first')
    clock.now += 1000
    gate.failed('second')
    gate.succeeded()
    gate.succeeded()
    expect(changes).toEqual(['first', null])
  })

  it('a clock that is set back does not keep the collector alone', () => {
    const { clock, gate } = gateAt()
    gate.failed('x')
    clock.now -= 86_400_000
    expect(gate.enter()).toBe(true)
  })
})
