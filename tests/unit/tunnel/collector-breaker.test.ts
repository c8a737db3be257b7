import { expect, it } from 'vitest'
import { createCollectorBreaker } from '../../../lib/tunnel/post'

function breakerAt() {
  const clock = { now: 1_000_000 }
  const changes: (string | null)[] = []
  return {
    clock,
    changes,
    breaker: createCollectorBreaker(
      () => clock.now,
      (cause) => changes.push(cause),
    ),
  }
}

it('the circuit breaker lets one envelope try again after a second', () => {
  const { clock, breaker } = breakerAt()
  expect(breaker.tryPass()).toBe(true)
  breaker.failed('ECONNREFUSED')
  expect(breaker.cause()).toBe('ECONNREFUSED')
  expect(breaker.tryPass()).toBe(false)
  clock.now += 999
  expect(breaker.tryPass()).toBe(false)
  clock.now += 1
  expect(breaker.tryPass()).toBe(true)
  expect(breaker.tryPass()).toBe(false)
  breaker.failed('ECONNREFUSED')
  expect(breaker.tryPass()).toBe(false)
  clock.now += 1000
  expect(breaker.tryPass()).toBe(true)
  breaker.succeeded()
  expect([breaker.tryPass(), breaker.tryPass()]).toEqual([true, true])
  expect(breaker.cause()).toBeNull()
})

it('the circuit breaker reports an outage once, and its end once', () => {
  const { clock, changes, breaker } = breakerAt()
  breaker.succeeded()
  breaker.failed('first')
  clock.now += 1000
  breaker.failed('second')
  breaker.succeeded()
  breaker.succeeded()
  expect(changes).toEqual(['first', null])
})

it('the circuit breaker lets an envelope try after the clock was set back', () => {
  const { clock, breaker } = breakerAt()
  breaker.failed('x')
  clock.now -= 86_400_000
  expect(breaker.tryPass()).toBe(true)
})
