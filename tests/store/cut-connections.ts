import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** A proxy in front of PostgreSQL that can cut a connection at a query. */
export interface CuttingProxy {
  /** The address of the same database, through the proxy. */
  readonly url: string
  /**
   * Cuts the connection of the next query that runs a prepared statement, by default that of a batch: before the server
   * gets it, or after the server has answered it.
   */
  readonly cutNext: (at: 'request' | 'answer', statement?: string) => void
  /** Cuts all connections, and each new one, until it is called with false. */
  readonly refuse: (refuses: boolean) => void
  /** How many connections were cut. */
  readonly cuts: () => number
  readonly close: () => Promise<void>
}

/** ReadyForQuery: the server has committed and waits for the next query. */
const READY = Buffer.from([0x5a, 0, 0, 0, 5])

export async function startCuttingProxy(databaseUrl: string): Promise<CuttingProxy> {
  const target = new URL(databaseUrl)
  const sockets = new Set<Socket>()
  let next: { readonly at: 'request' | 'answer'; readonly bind: Buffer } | null = null
  let cuts = 0
  let isRefusing = false
  const server = createServer((client) => {
    if (isRefusing) {
      client.destroy()
      return
    }
    const upstream = connect(Number(target.port), target.hostname)
    let dropsAnswer = false
    const cut = (): void => {
      cuts += 1
      client.destroy()
      upstream.destroy()
    }
    client.on('data', (chunk: Buffer) => {
      if (next !== null && chunk.includes(next.bind)) {
        dropsAnswer = next.at === 'answer'
        next = null
        if (!dropsAnswer) return cut()
      }
      upstream.write(chunk)
    })
    upstream.on('data', (chunk: Buffer) => {
      if (!dropsAnswer) client.write(chunk)
      else if (chunk.includes(READY)) cut()
    })
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(socket)
      // A cut connection ends with an error on one of its sides.
      socket.on('error', () => other.destroy())
      socket.on('close', () => {
        sockets.delete(socket)
        other.destroy()
      })
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = new URL(databaseUrl)
  url.port = String((server.address() as AddressInfo).port)
  return {
    url: url.href,
    cutNext: (at, statement = 'commit_batch') => {
      // A Bind message has the name of the statement after that of its portal, which is empty.
      next = { at, bind: Buffer.from(`\0${statement}\0`) }
    },
    refuse: (refuses) => {
      isRefusing = refuses
      if (refuses) for (const socket of sockets) socket.destroy()
    },
    cuts: () => cuts,
    close: async () => {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}
