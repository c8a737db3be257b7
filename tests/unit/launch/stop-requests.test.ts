import { EventEmitter } from 'node:events'
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { listenForStop } from '../../../collector/launch/stop-requests.js'

/** The part of a process that the module uses. */
class FakeProcess extends EventEmitter {
  ppid = 100
  env: Record<string, string> = {}
}

/** A process that listens for requests until the test ends. */
function listening(env: FakeProcess['env'] = {}) {
  const self = Object.assign(new FakeProcess(), { env })
  const stop = listenForStop({ process: self, now: () => performance.now() })
  onTestFinished(() => stop.close())
  return { self, stop }
}

describe('requests to stop', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  test.each([
    ['SIGINT', 'interrupted'],
    ['SIGTERM', 'terminated'],
    ['SIGHUP', 'terminated'],
  ])('begin with %s', (signal, reason) => {
    const { self, stop } = listening()
    self.emit(signal)
    expect(stop.first.reason).toBe(reason)
    expect(stop.again.aborted).toBe(false)
  })

  test.each([
    ['do not count the second SIGINT that npm sends after one Ctrl-C', 50, false],
    ['abort `again` after a second Ctrl-C', 400, true],
  ])('%s', (_what, ms, isAgain) => {
    const { self, stop } = listening()
    self.emit('SIGINT')
    vi.advanceTimersByTime(ms)
    self.emit('SIGINT')
    expect(stop.again.aborted).toBe(isAgain)
  })

  test('include the death of the npm that started this process', () => {
    const { self, stop } = listening({ npm_lifecycle_event: 'start' })
    vi.advanceTimersByTime(5_000)
    expect(stop.first.aborted).toBe(false)
    self.ppid = 1
    vi.advanceTimersByTime(600)
    expect(stop.first.reason).toBe('orphaned')
  })

  test('do not include the death of a shell that started this process in the background', () => {
    const { self, stop } = listening()
    self.ppid = 1
    vi.advanceTimersByTime(5_000)
    expect(stop.first.aborted).toBe(false)
  })

  test('do not count the end of npm after the same Ctrl-C', () => {
    const { self, stop } = listening({ npm_lifecycle_event: 'start' })
    self.emit('SIGINT')
    self.ppid = 1
    vi.advanceTimersByTime(5_000)
    expect(stop.again.aborted).toBe(false)
  })
})
