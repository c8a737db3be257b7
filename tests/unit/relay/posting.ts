import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach } from 'vitest'
import { createSend, type SendError, type SendRequest } from '../../../collector/relay/http-sender'

/** Closed after each test. */
export const servers: { close: () => unknown }[] = []
afterEach(() => {
  for (const server of servers.splice(0)) server.close()
})

/** @returns the address of its envelope endpoint. */
export async function serve(
  listener: RequestListener,
  host = '127.0.0.1',
): Promise<{ readonly url: string; readonly server: Server }> {
  const server = createServer(listener)
  server.listen(0, host)
  await once(server, 'listening')
  servers.push({ close: () => server.closeAllConnections() ?? server.close() })
  const named = host.includes(':') ? `[${host}]` : host
  return { url: `http://${named}:${(server.address() as AddressInfo).port}/api/1/envelope/`, server }
}

export const send = createSend(2)
export const to = (url: string, given: Partial<SendRequest> = {}): SendRequest => ({
  url,
  headers: { 'content-type': 'application/x-sentry-envelope' },
  body: new TextEncoder().encode('{}\n'),
  timeoutMs: 5000,
  signal: new AbortController().signal,
  ...given,
})
/** The error of a post that must fail. */
export const failing = (request: SendRequest): Promise<SendError> =>
  send(request).then(
    () => Promise.reject(new Error('it was answered')),
    (error: SendError) => error,
  )
