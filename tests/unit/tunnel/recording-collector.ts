import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { REFUSALS_PATH } from '../../../lib/tunnel/refusals'

interface Received {
  readonly method: string | undefined
  readonly url: string | undefined
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

export type Play = (received: Received, response: ServerResponse) => void

export interface RecordingCollector {
  readonly url: string
  readonly port: number
  readonly received: readonly Received[]
  readonly receipts: () => readonly unknown[]
  /** Sets the answer to later requests. */
  play(play: Play): void
  close(): Promise<void>
}

export const ok: Play = (_received, response) => {
  response.writeHead(200, { 'content-type': 'application/json' }).end('{"id":"stored"}')
}

export const status =
  (code: number, headers: Record<string, string> = {}, body = '{}'): Play =>
  (_received, response) => {
    response.writeHead(code, { 'content-type': 'application/json', ...headers }).end(body)
  }

/** A server in place of the collector that records requests, except reports of refusals. */
export async function startCollector(port = 0): Promise<RecordingCollector> {
  const received: Received[] = []
  let current: Play = ok
  const server = createServer((incoming, response) => {
    const chunks: Buffer[] = []
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
    incoming.on('end', () => {
      const { method, url, headers } = incoming
      // Counts of refusals come in the background.
      if (url === REFUSALS_PATH) return void response.writeHead(204).end()
      const one = { method, url, headers, body: Buffer.concat(chunks) }
      received.push(one)
      current(one, response)
    })
  })
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  const address = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${address.port}`,
    port: address.port,
    received,
    receipts: () => received.map(({ headers }) => headers['x-waystation-receipt']),
    play(play) {
      current = play
    },
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

/** An unused port. */
export async function freePort(): Promise<number> {
  const server = await startCollector()
  await server.close()
  return server.port
}
