import { createHash } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import type { Draw } from './draw'

/** An upstream that outlives every kill: it takes whole bodies, and counts how often each came. */
export interface CountingUpstream {
  readonly dsn: string
  /** How often a body came whole, by its SHA-256. */
  readonly arrivals: ReadonlyMap<string, number>
  /** By which endpoints a body came (`envelope`, `store` …), by its SHA-256. */
  readonly endpoints: ReadonlyMap<string, ReadonlySet<string>>
  /** Resolves when nobody is connected any more, so that what is still on its way has been counted. */
  readonly quiet: () => Promise<void>
  readonly close: () => Promise<void>
}

/**
 * Listens on a loopback port, a free one when none is given, and answers 200 to everything but a share.
 * @param slowMs one answer in four waits up to so long, so that a kill finds posts open
 * @param refusedShare of what comes, that is answered 413
 */
export async function startUpstream(draw: Draw, slowMs = 60, atPort = 0, refusedShare = 0): Promise<CountingUpstream> {
  const arrivals = new Map<string, number>()
  const endpoints = new Map<string, Set<string>>()
  const sockets = new Set<Socket>()
  let waiting: (() => void)[] = []
  const server = createServer((request, response) => {
    const hash = createHash('sha256')
    request.on('data', (chunk: Buffer) => hash.update(chunk))
    request.on('error', () => response.destroy())
    request.on('end', () => {
      const sha256 = hash.digest('hex')
      arrivals.set(sha256, (arrivals.get(sha256) ?? 0) + 1)
      const endpoint = /^\/api\/\w+\/(\w+)\//.exec(request.url ?? '')?.[1] ?? `${request.url}`
      endpoints.set(sha256, (endpoints.get(sha256) ?? new Set()).add(endpoint))
      const wait = draw.fraction() < 0.25 ? draw.between(slowMs / 10, slowMs) : 0
      response.statusCode = refusedShare > 0 && draw.fraction() < refusedShare ? 413 : 200
      const timer = setTimeout(() => response.end('{}'), wait)
      response.on('close', () => clearTimeout(timer))
    })
  })
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.on('error', () => socket.destroy())
    socket.on('close', () => {
      sockets.delete(socket)
      if (sockets.size > 0) return
      for (const resolve of waiting) resolve()
      waiting = []
    })
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(atPort, '127.0.0.1', resolve)
  })
  const { port } = server.address() as AddressInfo
  return {
    dsn: `http://oracle@127.0.0.1:${port}/1`,
    arrivals,
    endpoints,
    quiet: () => (sockets.size === 0 ? Promise.resolve() : new Promise((resolve) => waiting.push(resolve))),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
