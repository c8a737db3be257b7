import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, it, vi } from 'vitest'
import { runWithTimeout, sleep, startTimer, timeoutMessage, whenAborted, withTimeout } from '../../lib/time'

const never = new Promise<never>(() => undefined)

it('startTimer runs the work once, unless it is cancelled', () => {
  vi.useFakeTimers()
  try {
    const work = vi.fn()
    startTimer(work, 100)
    startTimer(work, 100)()
    vi.advanceTimersByTime(1000)
    expect(work).toHaveBeenCalledTimes(1)
  } finally {
    vi.useRealTimers()
  }
})

it('sleep resolves after the time, or when the signal aborts', async () => {
  const pending = new Map<() => void, number>()
  const timer = (work: () => void, ms: number): (() => void) => {
    pending.set(work, ms)
    return () => void pending.delete(work)
  }
  const whole = sleep(500, undefined, timer)
  expect([...pending.values()]).toEqual([500])
  for (const work of [...pending.keys()]) work()
  await whole

  const stop = new AbortController()
  const cut = sleep(500, stop.signal, timer)
  stop.abort()
  await cut
  await sleep(500, stop.signal, timer)
  expect(pending.size).toBe(0)
})

it('whenAborted resolves with null when the signal aborts, or at once when it already has', async () => {
  const stop = new AbortController()
  const aborted = whenAborted(stop.signal)
  stop.abort('stopped')
  expect(await aborted).toBeNull()
  expect(await whenAborted(stop.signal)).toBeNull()
})

it('withTimeout resolves with the value, the fallback, or rejects with the error of the work', async () => {
  const cancelled = vi.fn()
  const isDue = (work: () => void): (() => void) => {
    work()
    return cancelled
  }
  expect(await withTimeout(Promise.resolve(7), 60_000, null)).toBe(7)
  expect(await withTimeout(never, 1, 'late', isDue)).toBe('late')
  expect(cancelled).toHaveBeenCalledTimes(1)
  await expect(withTimeout(Promise.reject(new Error('no')), 60_000, null)).rejects.toThrow('no')
})

const untilAborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason)
    signal.addEventListener('abort', () => reject(signal.reason))
  })

function collectGarbage(): void {
  setFlagsFromString('--expose-gc')
  const gc: unknown = runInNewContext('gc')
  if (typeof gc === 'function') gc()
}

it('runWithTimeout aborts the work after the time, even when only an open request refers to the signal', async () => {
  const server = createServer()
  const requested = new Promise<void>((resolve) => {
    server.once('request', () => resolve())
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const ended = runWithTimeout(300, new AbortController().signal, (signal) => fetch(url, { signal })).catch(
    (error: unknown) => error,
  )
  // On a busy machine the time may be over before the request arrives.
  await Promise.race([requested, ended])
  collectGarbage()
  expect(timeoutMessage(await ended)).toBe('timed out after 0.3 s')
  server.closeAllConnections()
  server.close()
})

it('runWithTimeout aborts the work with the reason of the caller, also when that was aborted before', async () => {
  const stop = new AbortController()
  const work = runWithTimeout(60_000, stop.signal, untilAborted)
  stop.abort('interrupted')
  await expect(work).rejects.toBe('interrupted')
  await expect(runWithTimeout(60_000, stop.signal, untilAborted)).rejects.toBe('interrupted')
})

it('runWithTimeout returns the result and aborts what the work left open', async () => {
  const seen: AbortSignal[] = []
  const result = await runWithTimeout(60_000, null, async (signal) => {
    seen.push(signal)
    return 7
  })
  expect(result).toBe(7)
  expect(seen.map(({ aborted }) => aborted)).toEqual([true])
  expect(timeoutMessage(seen[0]?.reason)).toBeNull()
})

it('timeoutMessage finds a timeout among the causes, and returns null for other errors', () => {
  const late = new DOMException('timed out after 1 s', 'TimeoutError')
  expect(timeoutMessage(new TypeError('fetch failed', { cause: late }))).toBe('timed out after 1 s')
  expect(timeoutMessage(new Error('no', { cause: new TypeError('fetch failed') }))).toBeNull()
  expect(timeoutMessage('timed out after 1 s')).toBeNull()
})
