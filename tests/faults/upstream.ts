import { createHash } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import type { Random } from './random'

/** An upstream in the test process, which outlives the collector and counts how often each body arrived. */
export interface CountingUpstream {
  readonly dsn: string
  /** How often a complete body arrived, by its SHA-256. */
  readonly arrivals: ReadonlyMap<string, number>
  /** The endpoints at which a body arrived (`envelope`, `store` …), by its SHA-256. */
  readonly endpoints: ReadonlyMap<string, ReadonlySet<string>>
  /** Resolves when no connection is open, so that every body in flight was counted. */
  readonly settled: () => Promise<void>
  readonly close: () => Promise<void>
}

/**
 * Listens on a loopback port (any free one by default) and answers 200, or 413 or 503 to a share of the posts.
 * @param slowMs one answer in four is delayed by up to this, so that a kill finds open posts
 * @param refusedShare from 0 to 1
 * @param failingShare from 0 to 1: posts that are answered 503 and do not count as arrived
 */
export async function startUpstream(
  draw: Random,
  slowMs = 60,
  atPort = 0,
  refusedShare = 0,
  failingShare = 0,
): Promise<CountingUpstream> {
  const arrivals = new Map<string, number>()
  const endpoints = new Map<string, Set<string>>()
  const sockets = new Set<Socket>()
  let waiting: (() => void)[] = []
  const server = createServer((request, response) => {
    const hash = createHash('sha256')
    request.on('data', (chunk: Buffer) => hash.update(chunk))
    request.on('error', () => response.destroy())
    request.on('end', () => {
      if (failingShare > 0 && draw.fraction() < failingShare) {
        // Not accepted: it has to come again.
        response.writeHead(503).end('{}')
        return
      }
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
    settled: () => (sockets.size === 0 ? Promise.resolve() : new Promise((resolve) => waiting.push(resolve))),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
