import { expect, it, onTestFinished, vi } from 'vitest'
import { pause, SYSTEM_CLOCK } from '../../../lib/kit/clock'

it('goes on where a test has replaced the timers of the program that it tests', async () => {
  vi.useFakeTimers()
  onTestFinished(() => {
    vi.useRealTimers()
  })
  const began = SYSTEM_CLOCK.now()
  await pause(SYSTEM_CLOCK, 5)
  expect(SYSTEM_CLOCK.now()).toBeGreaterThan(began)
})

it('ends a pause as soon as its signal does, and one that has ended at once', async () => {
  const ending = new AbortController()
  const paused = pause(SYSTEM_CLOCK, 60_000, ending.signal)
  ending.abort()
  await paused
  await pause(SYSTEM_CLOCK, 60_000, ending.signal)
})
