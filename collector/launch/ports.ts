import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import { hasCode } from './processes.js'

const LOOPBACKS = ['127.0.0.1', '::1'] as const
const HIGHEST_PORT = 65_535
/** How many ports are tried. */
const TRIES = 50
const PROBE_TIMEOUT_MS = 1_000
/**
 * A port of any number is chosen from 20000 to 31999. Operating systems give outgoing connections a port above: Linux from
 * 32768, macOS and Windows from 49152. Such a port may be taken between its test and its use.
 */
const CHOSEN_FROM = 20_000
const CHOSEN_COUNT = 12_000

type PortState = 'free' | 'taken' | 'forbidden'

/**
 * On all of these addresses. Also connects to both loopback addresses: macOS lets a program listen on one address while
 * another listens on all of them.
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

/** Returns the first free port from `from` on, or null when none of the next ports is free. */
export async function nextFreePort(from: number, hosts: readonly string[]): Promise<number | null> {
  for (let port = from; port < from + TRIES && port <= HIGHEST_PORT; port++) {
    if ((await portState(port, hosts)) === 'free') return port
  }
  return null
}

/**
 * Returns a free port from 20000 to 31999. Another program may take it before its user listens, so two programs that start
 * at once should rarely get the same one.
 * @param random from 0 to 1
 */
export async function anyFreePort(hosts: readonly string[], random: () => number = Math.random): Promise<number> {
  for (let attempt = 0; attempt < TRIES; attempt++) {
    const port = CHOSEN_FROM + Math.floor(random() * CHOSEN_COUNT)
    if ((await portState(port, hosts)) === 'free') return port
  }
  throw new Error(`no port is free on ${hosts.join(' and ')}`)
}

/** Describes the program that most likely listens on the collector's port, as the end of a sentence. */
export async function describeHolder(port: number): Promise<string> {
  const waystation = await request(`http://127.0.0.1:${port}/health/live`)
  const isOurs =
    waystation?.ok === true && /waystation/i.test(`${await waystation.text()} ${waystation.headers.get('server')}`)
  if (isOurs) return 'another Waystation uses it'
  const spotlight = await request(`http://127.0.0.1:${port}/health`)
  // Spotlight sends this header, and searches for it to find its own servers.
  if (spotlight?.headers.get('x-powered-by') === 'spotlight-by-sentry') return "Sentry's Spotlight uses it"
  return 'another program uses it, perhaps another Waystation or Spotlight'
}

async function request(url: string): Promise<Response | null> {
  try {
    return await fetch(url, { signal: AbortSignal.timeout(PROBE_TIMEOUT_MS), redirect: 'manual' })
  } catch (cause) {
    // The program may not speak HTTP.
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
    // A machine without IPv6 has no ::1.
    if (hasCode(cause, 'EADDRNOTAVAIL', 'EAFNOSUPPORT')) return 'free'
    throw cause
  } finally {
    server.close()
  }
}

/** Tests whether a program accepts a connection within a second. */
export async function isAnswered(port: number, host: string): Promise<boolean> {
  const socket = connect({ port, host, timeout: PROBE_TIMEOUT_MS })
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
