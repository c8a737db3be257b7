import { expect, it, onTestFinished, vi } from 'vitest'
import { pause, SYSTEM_CLOCK } from '../../../lib/kit/clock'

it('is independent of fake timers', async () => {
  vi.useFakeTimers()
  onTestFinished(() => {
    vi.useRealTimers()
  })
  const began = SYSTEM_CLOCK.now()
  await pause(SYSTEM_CLOCK, 5)
  expect(SYSTEM_CLOCK.now()).toBeGreaterThan(began)
})

it('ends a pause when its signal aborts', async () => {
  const ending = new AbortController()
  const paused = pause(SYSTEM_CLOCK, 60_000, ending.signal)
  ending.abort()
  await paused
  await pause(SYSTEM_CLOCK, 60_000, ending.signal)
})
