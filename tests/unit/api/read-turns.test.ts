import { Hono } from 'hono'
import { describe, expect, it } from 'vitest'
import { createReadTurns, RequestGoneError, TooManyReadsError } from '../../../collector/api/read-turns'
import { StoppingError } from '../../../collector/runtime/thread-errors'

/** Reads that end when the test says so, each begun by a request to a path. */
function reads() {
  const turns = createReadTurns()
  const begun: string[] = []
  const ends = new Map<string, () => void>()
  const app = new Hono<{ Bindings: { incoming: { socket: object }; outgoing: object } }>()
  app.use('/query/*', turns.middleware as never)
  app.get('/query/*', async (c) => {
    await turns.takeTurn(async () => {
      begun.push(c.req.path)
      await new Promise<void>((resolve) => ends.set(c.req.path, resolve))
    })
    return c.text('read')
  })
  app.onError((error, c) => c.text(error.name, error instanceof RequestGoneError ? 400 : 503))
  const request = (path: string, socket: object = { destroyed: false, writableLength: 0 }) =>
    Promise.resolve(app.request(path, {}, { incoming: { socket }, outgoing: { writableEnded: false } }))
  return { turns, begun, request, end: (path: string) => ends.get(path)?.() }
}
const settle = () => new Promise((resolve) => setImmediate(resolve))

describe('the turns of reads', () => {
  it('are four at once, and routes take them alternately', async () => {
    const { begun, request, end } = reads()
    const all = ['a/1', 'a/2', 'a/3', 'a/4', 'a/5', 'a/6', 'b/1'].map((path) => request(`/query/${path}`))
    await settle()
    expect(begun).toEqual(['/query/a/1', '/query/a/2', '/query/a/3', '/query/a/4'])
    for (const path of begun.slice()) end(path)
    await settle()
    // Of the waiting ones, one of each route comes before the second of one route.
    expect(begun.slice(4)).toEqual(['/query/a/5', '/query/b/1', '/query/a/6'])
    for (const path of begun) end(path)
    expect((await Promise.all(all)).map(({ status }) => status)).toEqual(all.map(() => 200))
  })

  it('are taken again after a time without requests', async () => {
    const { begun, request, end } = reads()
    const first = request('/query/a/0')
    await settle()
    end('/query/a/0')
    await first
    const all = [1, 2, 3, 4, 5].map((n) => request(`/query/a/${n}`))
    await settle()
    expect(begun).toHaveLength(5)
    end('/query/a/1')
    await settle()
    for (const path of begun) end(path)
    await Promise.all(all)
    expect(begun).toHaveLength(6)
  })

  it('are never taken by a request whose connection closed while it waited', async () => {
    const { begun, request, end } = reads()
    const first = [1, 2, 3, 4].map((n) => request(`/query/a/${n}`))
    const socket = { destroyed: false, writableLength: 0 }
    const gone = request('/query/a/gone', socket)
    const last = request('/query/a/last')
    await settle()
    socket.destroyed = true
    for (const path of begun.slice()) end(path)
    expect(await (await gone).text()).toBe('RequestGoneError')
    await settle()
    expect(begun.at(-1)).toBe('/query/a/last')
    end('/query/a/last')
    await Promise.all([...first, last])
    expect(begun).not.toContain('/query/a/gone')
  })

  it('are refused when 64 requests of the route wait, but not when some of them have gone', async () => {
    const { turns, request } = reads()
    const sockets = Array.from({ length: 68 }, () => ({ destroyed: false, writableLength: 0 }))
    const waiting = sockets.map((socket, n) => request(`/query/a/${n}`, socket))
    await settle()
    expect(await (await request('/query/a/more')).text()).toBe(new TooManyReadsError('').name)
    const other = request('/query/b/1')
    for (const socket of sockets.slice(4, 8)) socket.destroyed = true
    const again = request('/query/a/again')
    await settle()
    expect((await Promise.all(waiting.slice(4, 8))).map(({ status }) => status)).toEqual([400, 400, 400, 400])
    turns.close()
    expect(await (await again).text()).toBe(new StoppingError().name)
    expect(await (await other).text()).toBe(new StoppingError().name)
    expect(await (await request('/query/a/late')).text()).toBe(new StoppingError().name)
  })

  it('are refused on a connection that does not read its answers', async () => {
    const { request } = reads()
    const socket = { destroyed: false, writableLength: 0 }
    const first = request('/query/a/1', socket)
    expect((await request('/query/a/2', socket)).status).toBe(503)
    expect(
      (await request('/query/a/3', { destroyed: false, writableLength: 2 ** 21 })).headers.get('retry-after'),
    ).toBe('1')
    await Promise.race([first, settle()])
  })

  it('are not needed outside of requests', async () => {
    expect(await createReadTurns().takeTurn(async () => 7)).toBe(7)
  })
})
