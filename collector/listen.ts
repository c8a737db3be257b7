import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createAdaptorServer } from '@hono/node-server'

/** What answers a request; the adapter's own bindings come as its second argument. */
type Answer = Parameters<typeof createAdaptorServer>[0]['fetch']

/** A port that somebody else holds: what it is, and what to change. */
export class PortTakenError extends Error {
  constructor(readonly port: number) {
    super(
      `port ${port} is taken, perhaps by another Waystation or by Spotlight: stop it, or set WAYSTATION_PORT to another port`,
    )
    this.name = 'PortTakenError'
  }
}

/**
 * Listens on every address with one port. An address family that this machine does not have is left out; a port that
 * is taken on any of them is an error, for half of the SDKs would reach somebody else.
 */
export async function listenOnAll(
  fetch: Answer,
  hosts: readonly string[],
  port: number,
): Promise<{ readonly servers: readonly Server[]; readonly port: number }> {
  const servers: Server[] = []
  let bound = port
  for (const host of hosts) {
    const server = createAdaptorServer({ fetch }) as Server
    // Slow senders hold nothing but their own connection, and not for ever.
    server.requestTimeout = 60_000
    server.headersTimeout = 20_000
    const result = await listen(server, host, bound)
    if (result === 'no such address' && hosts.length > 1) continue
    if (typeof result !== 'number') {
      await closeAll(servers)
      throw result === 'taken' ? new PortTakenError(bound) : new Error(`cannot listen on ${host}:${bound}: ${result}`)
    }
    bound = result
    servers.push(server)
  }
  if (servers.length === 0) throw new Error(`cannot listen on any of ${hosts.join(', ')}`)
  return { servers, port: bound }
}

/** Stops taking connections and closes idle ones; resolves when the last open one has ended. */
export async function closeAll(servers: readonly Server[]): Promise<void> {
  await Promise.all(
    servers.map(
      (server) =>
        new Promise<void>((resolve) => {
          server.close(() => resolve())
          server.closeIdleConnections()
        }),
    ),
  )
}

function listen(server: Server, host: string, port: number): Promise<number | string> {
  return new Promise((resolve) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE') resolve('taken')
      else if (error.code === 'EADDRNOTAVAIL' || error.code === 'EAFNOSUPPORT') resolve('no such address')
      else resolve(error.message)
    })
    server.listen({ host, port, ipv6Only: host.includes(':') }, () => resolve((server.address() as AddressInfo).port))
  })
}
