import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import * as Sentry from '@sentry/nextjs'
import { LAB_TAG } from '../../../../lib/contract/values'
import { maySend } from '../../../../lib/guard/access'
import type { ReceivedTraceHeaders } from '../../actions/calls'

const KEY = Symbol.for('waystation.neighbour')

/** Opens the neighbour, an HTTP service with the same SDK, once, and returns its port. The process may still end. */
export function openNeighbour(): Promise<number> {
  const shared = globalThis as typeof globalThis & { [KEY]?: Promise<number> }
  shared[KEY] ??= listen(createServer(answer))
  return shared[KEY]
}

async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1').unref()
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the neighbour listens on no port')
  return address.port
}

function answer(request: IncomingMessage, response: ServerResponse): void {
  const origin = request.headers.origin ?? null
  if (!maySend(origin, [])) {
    response.writeHead(403).end()
    return
  }
  if (origin !== null) response.setHeader('access-control-allow-origin', origin)
  response.setHeader('vary', 'Origin')
  if (request.method === 'OPTIONS') {
    response.setHeader('access-control-allow-methods', 'GET')
    response.setHeader('access-control-allow-headers', 'sentry-trace, baggage, traceparent, content-type')
    response.writeHead(204).end()
    return
  }
  const received: ReceivedTraceHeaders = {
    sentryTrace: header(request, 'sentry-trace'),
    baggage: header(request, 'baggage'),
  }
  inSegment(request, received, () => {
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(received))
  })
}

/** Creates the segment of a request: Next does so only for its own server, and the SDK leaves it to Next. */
function inSegment(request: IncomingMessage, received: ReceivedTraceHeaders, work: () => void): void {
  const incoming = { sentryTrace: received.sentryTrace ?? undefined, baggage: received.baggage ?? undefined }
  Sentry.withIsolationScope(() =>
    Sentry.continueTrace(incoming, () =>
      Sentry.startSpan(
        {
          name: `${request.method} /neighbour`,
          op: 'http.server',
          forceTransaction: true,
          attributes: {
            [LAB_TAG]: true,
            'sentry.segment.name.source': 'route',
            'http.request.method': request.method,
            'http.response.status_code': 200,
            'url.path': '/neighbour',
          },
        },
        work,
      ),
    ),
  )
}

function header(request: IncomingMessage, name: string): string | null {
  const value = request.headers[name]
  return typeof value === 'string' ? value : null
}
