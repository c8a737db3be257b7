import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Tunnel } from './tunnel'

/** Mounts the tunnel in a plain `node:http` server: `if (req.url === '/tunnel') return listener(req, res)`. */
export function nodeListener(tunnel: Tunnel): (incoming: IncomingMessage, outgoing: ServerResponse) => Promise<void> {
  return async (incoming, outgoing) => {
    const response = await tunnel.handle(requestFrom(incoming))
    const body = Buffer.from(await response.arrayBuffer())
    outgoing.writeHead(response.status, Object.fromEntries(response.headers))
    outgoing.end(body)
  }
}

function requestFrom(incoming: IncomingMessage): Request {
  // The tunnel never looks at the address it was reached by.
  const url = 'http://tunnel.invalid/tunnel'
  const headers = new Headers()
  for (const [name, values] of Object.entries(incoming.headersDistinct))
    for (const value of values ?? []) headers.append(name, value)
  // All the others are refused alike, and a Request cannot be made of each of them (TRACE throws).
  if (incoming.method !== 'POST') return new Request(url, { headers })
  return new Request(url, { method: 'POST', headers, body: bodyOf(incoming), ...{ duplex: 'half' } })
}

function bodyOf(incoming: IncomingMessage): ReadableStream<Uint8Array> {
  const chunks: AsyncIterator<Buffer> = incoming[Symbol.asyncIterator]()
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const next = await chunks.next()
        if (next.done) controller.close()
        else controller.enqueue(next.value)
      },
      cancel() {
        incoming.destroy()
      },
    },
    // Nothing is read ahead: a request that is refused by its headers keeps its body to itself, and Node discards it.
    { highWaterMark: 0 },
  )
}
