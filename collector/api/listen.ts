import { type Server, type ServerResponse, STATUS_CODES } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { createAdaptorServer } from '@hono/node-server'
import type { Problem } from '../../lib/wire/errors'

type Fetch = Parameters<typeof createAdaptorServer>[0]['fetch']

export class PortTakenError extends Error {
  constructor(readonly port: number) {
    super(
      `port ${port} is taken, perhaps by another Waystation or by Spotlight: stop that program, or set WAYSTATION_PORT to another port`,
    )
    this.name = 'PortTakenError'
  }
}

interface Listening {
  readonly servers: readonly Server[]
  readonly port: number
}

/**
 * Skips address families that this machine lacks. Throws when the port is in use on any address.
 * @param onHttp2 a client speaks HTTP/2, as gRPC does
 */
export async function listenOnAll(
  fetch: Fetch,
  hosts: readonly string[],
  port: number,
  onHttp2: () => void,
): Promise<Listening> {
  const servers: Server[] = []
  let bound = port
  for (const host of hosts) {
    const server = createAdaptorServer({ fetch }) as Server
    // A slow client holds only its own connection, and only this long.
    server.requestTimeout = 60_000
    server.headersTimeout = 20_000
    answerUnreadable(server, onHttp2)
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

/** The first bytes are `PRI * HTTP/2.0` (RFC 9113 §3.4). */
const HTTP2_CODE = 'HPE_PAUSED_H2_UPGRADE'
const HTTP2_PORT = {
  status: 400,
  detail: 'this port speaks HTTP/1.1 and not HTTP/2 or gRPC: set OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf',
}

/** Error codes of Node's HTTP parser. Any other error means a malformed request. */
const UNREADABLE: Readonly<Record<string, { readonly status: number; readonly detail: string }>> = {
  HPE_HEADER_OVERFLOW: { status: 431, detail: 'the address and the headers exceed 16 KiB together' },
  [HTTP2_CODE]: HTTP2_PORT,
  ERR_HTTP_REQUEST_TIMEOUT: { status: 408, detail: 'the request did not arrive completely in time' },
}
const MALFORMED = {
  status: 400,
  detail: 'the address or a header is malformed: percent-encode non-ASCII characters (curl -G --data-urlencode)',
}

const MALFORMED_BODY = { status: 400, detail: 'the chunked encoding of the body is malformed' }

/** Answers requests that Node's parser rejects; they reach no route, and Node's own answer gives no reason. */
function answerUnreadable(server: Server, onHttp2: () => void): void {
  const answers = new WeakMap<Duplex, ServerResponse>()
  server.on('request', (request, response) => answers.set(request.socket, response))
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (error.code === HTTP2_CODE) onHttp2()
    const answer = answers.get(socket)
    // After an answer has begun, a second one would become part of its body.
    const isAnswering = answer?.headersSent === true && !answer.writableFinished
    if (!socket.writable || isAnswering || error.code === 'ECONNRESET') socket.destroy(error)
    else {
      const isWithinBody = answer?.headersSent === false
      const refusal = UNREADABLE[error.code ?? ''] ?? (isWithinBody ? MALFORMED_BODY : MALFORMED)
      socket.end(unreadable(refusal), () => socket.destroy())
    }
  })
}

function unreadable({ status, detail }: typeof MALFORMED): string {
  const body: Problem = { detail, causes: [] }
  const text = JSON.stringify(body)
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'Connection: close',
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(text)}`,
    `X-Sentry-Error: ${detail}`,
  ]
  return `${head.join('\r\n')}\r\n\r\n${text}`
}

/** Stops accepting connections and closes idle ones; resolves when the last connection has ended. */
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
