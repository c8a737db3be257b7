/*
 * Preloaded into the app. On SIGTERM Next waits for all open responses, but a live stream never ends by itself: this
 * module closes all connections after a second, which is enough for normal requests.
 */
import { subscribe } from 'node:diagnostics_channel'

const GRACE_MS = 1000

/** @type {Set<import('node:http').Server>} */
const servers = new Set()
subscribe('http.server.request.start', (message) => {
  if (typeof message === 'object' && message !== null && 'server' in message) {
    servers.add(/** @type {import('node:http').Server} */ (message.server))
  }
})

process.once('SIGTERM', () => {
  // A listener replaces Node's default action, and Next adds its own listener only once it listens on its port.
  if (process.listenerCount('SIGTERM') === 0) process.exit(143)
  setTimeout(() => {
    for (const server of servers) server.closeAllConnections()
  }, GRACE_MS).unref()
})
