import { Hono } from 'hono'
import { describe, expect, it } from 'vitest'
import { LiveHub, MAX_LISTENERS } from '../../../collector/api/live-hub'
import { GATHER_MS, streamRoutes } from '../../../collector/api/live-stream'
import { createMirrorWait } from '../../../collector/api/mirror-wait'
import type { JournalFact } from '../../../lib/wire/journal'

const fact = (n: number): JournalFact => ({ n, at: 0, kind: 'refused', seq: null })
const facts = (from: number, to: number): JournalFact[] =>
  Array.from({ length: to - from + 1 }, (_, index) => fact(from + index))

/** A trimmed journal that begins at this number. */
const journalFrom = (oldest: number) => ({
  journal: async (after: number, limit: number) => ({
    facts: facts(Math.max(oldest, after + 1), 9000).slice(0, limit),
    next: 9000,
    oldest,
  }),
})

async function firstMessage(response: Response): Promise<string> {
  const reader = response.body?.getReader()
  const { value } = (await reader?.read()) ?? {}
  await reader?.cancel()
  return new TextDecoder().decode(value)
}

describe('the live stream', () => {
  it('waits for a number of another collector when it resumes there, without a reset, and else begins at once', async () => {
    const hub = new LiveHub(96)
    const app = new Hono()
    app.use('/query/*', createMirrorWait({ reach: () => null, head: async () => 98 }, hub))
    app.route('/query', streamRoutes(hub, journalFrom(1)))
    app.get('/query/overview', (c) => c.text(`head ${hub.head}`))
    expect(await firstMessage(await app.request('/query/stream'))).toContain('{"journal":96}')
    const resumed = app.request('/query/stream?after=98')
    const overview = app.request('/query/overview')
    // Their handlers have read the head of the shared record.
    await new Promise(setImmediate)
    hub.publish([fact(97), fact(98)])
    expect(await firstMessage(await resumed)).toContain('event: beat\ndata: {"journal":98}')
    expect(await (await overview).text()).toBe('head 98')
  })

  it('resumes from the journal, and sends a reset when facts were trimmed', async () => {
    const routes = streamRoutes(new LiveHub(9000), journalFrom(6000))
    expect(await firstMessage(await routes.request('/stream?after=5999'))).toContain('id: 6000')
    expect(await firstMessage(await routes.request('/stream?after=5998'))).toContain('event: reset')
  })

  it(`sends the facts of ${GATHER_MS} ms in one piece`, async () => {
    const hub = new LiveHub(0)
    const pauses: number[] = []
    let resume = (): void => undefined
    const routes = streamRoutes(hub, journalFrom(1), (ms) => {
      pauses.push(ms)
      return new Promise((resolve) => (resume = resolve))
    })
    const reader = (await routes.request('/stream')).body?.getReader()
    const piece = async () => new TextDecoder().decode((await reader?.read())?.value).match(/(?<=id: )\d+/g)
    expect(await piece()).toBeNull()
    hub.publish([fact(1)])
    expect(await piece()).toEqual(['1'])
    await expect.poll(() => pauses).toEqual([GATHER_MS])
    hub.publish([fact(2)])
    hub.publish([fact(3), fact(4)])
    resume()
    expect(await piece()).toEqual(['2', '3', '4'])
    await reader?.cancel()
  })

  it('sends facts of this collector alone, which repeat the newest number, also to a client that comes back', async () => {
    const hub = new LiveHub(3)
    const routes = streamRoutes(hub, journalFrom(1), () => Promise.resolve())
    const open = async (after: string) => {
      const reader = (await routes.request(`/stream${after}`)).body?.getReader()
      const piece = async () => new TextDecoder().decode((await reader?.read())?.value).match(/(?<=id: |event: )\w+/g)
      return { piece, close: () => reader?.cancel() }
    }
    const first = await open('')
    expect(await first.piece()).toEqual(['beat'])
    hub.publish([fact(4), { ...fact(4), kind: 'digested' }])
    expect(await first.piece()).toEqual(['journal', '4', 'journal', '4'])
    hub.publish([{ ...fact(4), kind: 'evicted' }])
    expect(await first.piece()).toEqual(['journal', '4'])
    const [second, third] = [await open('?after=4'), await open('?after=3')]
    expect(await second.piece()).toEqual(['journal', '4', 'journal', '4'])
    expect(await third.piece()).toEqual(['journal', '4', 'journal', '4', 'journal', '4'])
    for (const one of [first, second, third]) await one.close()
  })

  it('sends a reset when numbers begin again, as those of another record', async () => {
    const hub = new LiveHub(10)
    const reader = (await streamRoutes(hub, journalFrom(1)).request('/stream')).body?.getReader()
    const piece = async () => new TextDecoder().decode((await reader?.read())?.value)
    expect(await piece()).toContain('beat')
    hub.publish([fact(1), fact(2)])
    expect(await piece()).toContain('event: reset')
    expect(await piece()).toContain('id: 2')
    expect([hub.head, hub.since(0)?.length]).toEqual([2, 2])
    await reader?.cancel()
  })

  it(`refuses the next listener after ${MAX_LISTENERS} with 503`, async () => {
    const hub = new LiveHub(0)
    const stops = Array.from({ length: MAX_LISTENERS }, () => hub.listen(() => undefined))
    const routes = streamRoutes(hub, journalFrom(1))
    const refused = await routes.request('/stream')
    expect([refused.status, await refused.json()]).toMatchObject([
      503,
      { detail: expect.stringContaining('close some') },
    ])
    stops[0]?.()
    const open = await routes.request('/stream')
    expect(open.status).toBe(200)
    await open.body?.cancel()
  })

  it('disconnects a client that does not read', async () => {
    const hub = new LiveHub(0)
    for (let n = 1; n < MAX_LISTENERS; n += 1) hub.listen(() => undefined)
    const open = await streamRoutes(hub, journalFrom(1)).request('/stream')
    await expect.poll(() => hub.isFull).toBe(true)
    // The first write never ends, so the others queue.
    for (let n = 0; n < 12; n += 1) {
      hub.publish(facts(1 + n * 2000, 2000 + n * 2000))
      await new Promise((resolve) => setImmediate(resolve))
    }
    expect(hub.isFull).toBe(false)
    await open.body?.cancel()
  })
})
