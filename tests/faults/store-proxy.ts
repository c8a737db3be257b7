import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** The network between collectors and PostgreSQL, and its address: a failover leads it to another server. */
export interface StoreProxy {
  /** The address of the same database, through the proxy. */
  readonly url: string
  /** No byte arrives any more, in both directions, and no connection ends. */
  readonly hold: () => void
  /** The bytes that were held arrive, as packets do that TCP sends again. */
  readonly release: () => void
  /** Ends all connections, and refuses others. */
  readonly cut: () => void
  /** Accepts connections again. */
  readonly restore: () => void
  /** Leads new connections to another port, and ends the others. */
  readonly lead: (port: number) => void
  readonly close: () => Promise<void>
}

/** @param databaseUrl an address over TCP */
export async function startStoreProxy(databaseUrl: string): Promise<StoreProxy> {
  const target = new URL(databaseUrl)
  let port = Number(target.port)
  let isHeld = false
  let isCut = false
  const pairs = new Set<readonly [client: Socket, upstream: Socket]>()

  const server = createServer((client) => {
    if (isCut) {
      client.destroy()
      return
    }
    const upstream = connect(port, target.hostname)
    const pair = [client, upstream] as const
    pairs.add(pair)
    for (const [socket, other] of [pair, [upstream, client]] as const) {
      socket.on('data', (chunk: Buffer) => other.write(chunk))
      socket.on('end', () => other.end())
      // A cut connection ends with an error on one of its sides.
      socket.on('error', () => other.destroy())
      socket.on('close', () => {
        if (client.destroyed && upstream.destroyed) pairs.delete(pair)
      })
      if (isHeld) socket.pause()
    }
  })
  const endAll = (): void => {
    for (const pair of pairs) for (const socket of pair) socket.destroy()
  }
  const setHeld = (held: boolean): void => {
    isHeld = held
    for (const pair of pairs)
      for (const socket of pair)
        if (held) socket.pause()
        else socket.resume()
  }
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = new URL(databaseUrl)
  url.port = String((server.address() as AddressInfo).port)
  return {
    url: url.href,
    hold: () => setHeld(true),
    release: () => setHeld(false),
    cut: () => {
      isCut = true
      endAll()
    },
    restore: () => {
      isCut = false
    },
    lead: (to) => {
      port = to
      endAll()
    },
    close: async () => {
      endAll()
      server.close()
      await once(server, 'close')
    },
  }
}
