import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { afterEach, describe, expect, it } from 'vitest'
import { tooLate, within } from '../../../collector/launch/within'

const servers = new Set<Server>()
afterEach(() => {
  for (const server of servers) {
    server.closeAllConnections()
    server.close()
  }
  servers.clear()
})

/** One that accepts and says nothing. @returns its address, and what resolves when it was asked */
async function silentServer(): Promise<{ readonly url: string; readonly asked: Promise<void> }> {
  const server = createServer()
  servers.add(server)
  const asked = new Promise<void>((resolve) => {
    server.once('request', () => resolve())
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked }
}

function collectGarbage(): void {
  setFlagsFromString('--expose-gc')
  const gc: unknown = runInNewContext('gc')
  if (typeof gc === 'function') gc()
}

const forEver = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason)
    signal.addEventListener('abort', () => reject(signal.reason))
  })

describe('work that has so much time', () => {
  it('is ended when the time is over, also where nothing is left but an open request', async () => {
    const { url, asked } = await silentServer()
    const stop = new AbortController()
    const asking = within(300, stop.signal, (signal) => fetch(url, { signal }))
    const ended = asking.catch((error: unknown) => error)
    // On a busy machine the time may be over before the request has arrived.
    await Promise.race([asked, ended])
    collectGarbage()
    const cause: unknown = await ended
    expect(tooLate(cause)).toBe('not within 0.3 s')
  })

  it('is ended by who stops it, with the reason, also before it has begun', async () => {
    const stop = new AbortController()
    const work = within(60_000, stop.signal, forEver)
    stop.abort('interrupted')
    await expect(work).rejects.toBe('interrupted')
    await expect(within(60_000, stop.signal, forEver)).rejects.toBe('interrupted')
  })

  it('gives what it came to, and ends what is still under way', async () => {
    const seen: AbortSignal[] = []
    const done = within(60_000, null, async (signal) => {
      seen.push(signal)
      return 7
    })
    expect(await done).toBe(7)
    expect(seen.map(({ aborted }) => aborted)).toEqual([true])
    expect(tooLate(seen[0]?.reason)).toBeNull()
  })

  it('that failed by itself was not too late', async () => {
    expect(tooLate(new Error('no', { cause: new TypeError('fetch failed') }))).toBeNull()
    expect(tooLate('not within 1 s')).toBeNull()
  })
})
