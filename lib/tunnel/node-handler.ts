import type { IncomingMessage, ServerResponse } from 'node:http'
import { problem, toResponse } from './post'
import type { Tunnel } from './tunnel'

/** A listener of Node's `http` server, and a handler of Express. Never rejects. */
export type NodeHandler = (incoming: IncomingMessage, outgoing: ServerResponse) => Promise<void>

/** Mounts a tunnel in a Node server, before any body parser. For a program that also drains or closes its tunnel. */
export function nodeHandler(tunnel: Pick<Tunnel, 'handle'>): NodeHandler {
  return async (incoming, outgoing) => {
    const connection = new AbortController()
    outgoing.once('close', () => {
      if (!outgoing.writableFinished) connection.abort()
    })
    // Bytes that a parser made again from its result would not be those that the SDK sent.
    const isTaken = incoming.readableDidRead || incoming.readableEnded
    try {
      const response = isTaken ? toResponse(BODY_TAKEN) : await tunnel.handle(requestFrom(incoming, connection.signal))
      outgoing.writeHead(response.status, Object.fromEntries(response.headers))
      for await (const chunk of response.body ?? []) await written(outgoing, chunk)
      outgoing.end()
    } catch {
      // The client left, or the answer broke off: it must not look complete.
      outgoing.destroy()
    }
  }
}

/** Resolves when the client has taken the chunk, so that a long answer is never in memory as a whole. */
const written = (outgoing: ServerResponse, chunk: Uint8Array): Promise<void> =>
  new Promise((resolve, reject) => outgoing.write(chunk, (error) => (error ? reject(error) : resolve())))

const BODY_TAKEN = problem(
  500,
  'the body was read before the tunnel: mount the tunnel before body parsers such as express.text() or express.raw()',
)

function requestFrom(incoming: IncomingMessage, signal: AbortSignal): Request {
  // Handlers read path and query alone, and the host from its header.
  const path = incoming.url ?? '/'
  const url = URL.canParse(path, 'http://tunnel.invalid')
    ? new URL(path, 'http://tunnel.invalid')
    : 'http://tunnel.invalid/'
  const headers = new Headers()
  for (const [name, values] of Object.entries(incoming.headersDistinct))
    for (const value of values ?? []) headers.append(name, value)
  // The Request constructor throws for TRACE, which every handler refuses like other methods.
  if (incoming.method !== 'POST')
    return new Request(url, { headers, method: incoming.method === 'TRACE' ? 'OPTIONS' : (incoming.method ?? 'GET') })
  return new Request(url, { method: 'POST', headers, signal, body: bodyOf(incoming), ...{ duplex: 'half' } })
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
    // Reads nothing ahead: Node discards the body of a request that is refused by its headers.
    { highWaterMark: 0 },
  )
}
