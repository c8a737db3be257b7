import { Writable } from 'node:stream'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { beginProgress } from '../../../collector/launch/progress.js'

class Sink extends Writable {
  text = ''
  constructor(readonly isTTY: boolean) {
    super()
  }
  override _write(chunk: Buffer, _: string, done: () => void): void {
    this.text += chunk.toString()
    done()
  }
}

describe('progress', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  test('counts the seconds in one line of a terminal', () => {
    const out = new Sink(true)
    const progress = beginProgress('Building', { out })
    vi.advanceTimersByTime(2_000)
    progress.end('Built')
    expect(out.text).toBe('Building …\rBuilding … 1 s\rBuilding … 2 s\r\u001b[KBuilt (2 s)\n')
  })

  test('writes a line at the start, every ten seconds and at the end, where there is no terminal', () => {
    const out = new Sink(false)
    const progress = beginProgress('Building', { out })
    vi.advanceTimersByTime(25_000)
    progress.end('Built')
    expect(out.text).toBe('Building …\nBuilding … 10 s\nBuilding … 20 s\nBuilt (25 s)\n')
  })
})
