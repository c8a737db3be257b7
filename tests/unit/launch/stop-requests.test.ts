import { EventEmitter } from 'node:events'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { listenForStop } from '../../../collector/launch/stop-requests.js'

/** The part of a process that the module uses. */
class FakeProcess extends EventEmitter {
  ppid = 100
  env: Record<string, string> = {}
}

const listen = (self: FakeProcess) => listenForStop({ process: self, now: () => performance.now() })

describe('requests to stop', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  test.each([
    ['SIGINT', 'interrupted'],
    ['SIGTERM', 'terminated'],
    ['SIGHUP', 'terminated'],
  ])('begin with %s', (signal, reason) => {
    const self = new FakeProcess()
    const stop = listen(self)
    self.emit(signal)
    expect(stop.first.reason).toBe(reason)
    expect(stop.again.aborted).toBe(false)
    stop.close()
  })

  test('do not count the second SIGINT that npm sends after one Ctrl-C', () => {
    const self = new FakeProcess()
    const stop = listen(self)
    self.emit('SIGINT')
    vi.advanceTimersByTime(50)
    self.emit('SIGINT')
    expect(stop.again.aborted).toBe(false)
    stop.close()
  })

  test('abort `again` after a second Ctrl-C', () => {
    const self = new FakeProcess()
    const stop = listen(self)
    self.emit('SIGINT')
    vi.advanceTimersByTime(400)
    self.emit('SIGINT')
    expect(stop.again.aborted).toBe(true)
    stop.close()
  })

  test('include the death of the npm that started this process', () => {
    const self = new FakeProcess()
    self.env.npm_lifecycle_event = 'start'
    const stop = listen(self)
    vi.advanceTimersByTime(5_000)
    expect(stop.first.aborted).toBe(false)
    self.ppid = 1
    vi.advanceTimersByTime(600)
    expect(stop.first.reason).toBe('orphaned')
    stop.close()
  })

  test('do not include the death of a shell that started this process in the background', () => {
    const self = new FakeProcess()
    const stop = listen(self)
    self.ppid = 1
    vi.advanceTimersByTime(5_000)
    expect(stop.first.aborted).toBe(false)
    stop.close()
  })

  test('do not count the end of npm after the same Ctrl-C', () => {
    const self = new FakeProcess()
    self.env.npm_lifecycle_event = 'start'
    const stop = listen(self)
    self.emit('SIGINT')
    self.ppid = 1
    vi.advanceTimersByTime(5_000)
    expect(stop.again.aborted).toBe(false)
    stop.close()
  })
})
