import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import { hasCode } from './process-group.js'

const LOOPBACKS = ['127.0.0.1', '::1'] as const
const HIGHEST_PORT = 65_535
/** How far beyond a taken port a free one is looked for. */
const TRIES = 50
const ASK_TIMEOUT_MS = 1_000

export type PortState = 'free' | 'taken' | 'forbidden'

/**
 * May we listen on this port, on every one of these addresses?
 * Both loopbacks are also called: on macOS an address can be listened on beside somebody who listens on all of them.
 */
export async function portState(port: number, hosts: readonly string[]): Promise<PortState> {
  const answers = await Promise.all(LOOPBACKS.map((host) => isAnswered(port, host)))
  if (answers.includes(true)) return 'taken'
  for (const host of hosts) {
    const state = await tryToListen(port, host)
    if (state !== 'free') return state
  }
  return 'free'
}

/** The first free port from `from` on; `null` when there is none near. */
export async function nextFreePort(from: number, hosts: readonly string[]): Promise<number | null> {
  for (let port = from; port < from + TRIES && port <= HIGHEST_PORT; port++) {
    if ((await portState(port, hosts)) === 'free') return port
  }
  return null
}

/** A port that the system says is free, on all of these addresses. */
export async function anyFreePort(hosts: readonly string[]): Promise<number> {
  for (let attempt = 0; attempt < TRIES; attempt++) {
    const server = createServer().listen(0, hosts[0])
    await once(server, 'listening')
    const address = server.address()
    server.close()
    await once(server, 'close')
    if (address === null || typeof address === 'string') throw new Error('a TCP server has no port')
    if ((await portState(address.port, hosts)) === 'free') return address.port
  }
  throw new Error(`no port is free on ${hosts.join(' and ')}`)
}

/** Who most likely holds the collector's port, as the end of a sentence. */
export async function whoHolds(port: number): Promise<string> {
  const waystation = await askHttp(`http://127.0.0.1:${port}/health/live`)
  const isOurs =
    waystation?.ok === true && /waystation/i.test(`${await waystation.text()} ${waystation.headers.get('server')}`)
  if (isOurs) return 'another Waystation holds it'
  const spotlight = await askHttp(`http://127.0.0.1:${port}/health`)
  // Spotlight names itself so, and looks for this very word to find its own.
  if (spotlight?.headers.get('x-powered-by') === 'spotlight-by-sentry') return "Sentry's Spotlight holds it"
  return 'another program holds it, perhaps another Waystation or Spotlight'
}

async function askHttp(url: string): Promise<Response | null> {
  try {
    return await fetch(url, { signal: AbortSignal.timeout(ASK_TIMEOUT_MS), redirect: 'manual' })
  } catch (cause) {
    // Whoever listens need not speak HTTP; then it is not one of those we know.
    if (cause instanceof Error) return null
    throw cause
  }
}

async function tryToListen(port: number, host: string): Promise<PortState> {
  const server = createServer()
  try {
    server.listen({ port, host, exclusive: true, ipv6Only: host.includes(':') })
    await once(server, 'listening')
    return 'free'
  } catch (cause) {
    if (hasCode(cause, 'EADDRINUSE')) return 'taken'
    if (hasCode(cause, 'EACCES')) return 'forbidden'
    // A machine without IPv6 has no ::1, and nobody can be in the way there.
    if (hasCode(cause, 'EADDRNOTAVAIL', 'EAFNOSUPPORT')) return 'free'
    throw cause
  } finally {
    server.close()
  }
}

/** Does somebody take a connection there, within a second? */
export async function isAnswered(port: number, host: string): Promise<boolean> {
  const socket = connect({ port, host, timeout: ASK_TIMEOUT_MS })
  try {
    await Promise.race([
      once(socket, 'connect'),
      once(socket, 'timeout').then(() => Promise.reject(new Error('silent'))),
    ])
    return true
  } catch (cause) {
    if (cause instanceof Error) return false
    throw cause
  } finally {
    socket.destroy()
  }
}
