/*
 * Preloaded into the app: on SIGTERM Next waits for every open response, and a board's live stream never ends by
 * itself. After a moment for requests that are nearly done, what is still open is closed.
 */
import { subscribe } from 'node:diagnostics_channel'

const MOMENT_MS = 1000

/** @type {Set<import('node:http').Server>} */
const servers = new Set()
subscribe('http.server.request.start', (message) => {
  if (typeof message === 'object' && message !== null && 'server' in message) {
    servers.add(/** @type {import('node:http').Server} */ (message.server))
  }
})

process.once('SIGTERM', () => {
  // Having a listener switches off Node's own answer to the signal, and Next installs its own only once it listens.
  if (process.listenerCount('SIGTERM') === 0) process.exit(143)
  setTimeout(() => {
    for (const server of servers) server.closeAllConnections()
  }, MOMENT_MS).unref()
})
