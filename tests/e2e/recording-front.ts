import { createServer, request as forward, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface TunnelPost {
  readonly body: Buffer
  readonly headers: IncomingMessage['headers']
  readonly status: number
}

export interface RecordingFront {
  /** The address that the browser opens: a recording proxy in front of the app. */
  readonly url: string
  /** Every envelope that was posted to a path of the tunnel, in the order of the answers. */
  readonly posts: () => readonly TunnelPost[]
  readonly close: () => Promise<void>
}

/**
 * Starts a proxy between browser and app that records the bytes of each post to the tunnel. Playwright does not report
 * requests that a page sends on unload, and much telemetry is sent then.
 */
export async function startRecordingFront(appUrl: string): Promise<RecordingFront> {
  const target = new URL(appUrl)
  const posts: TunnelPost[] = []
  const server = createServer((incoming, outgoing) => {
    const isEnvelope = incoming.method === 'POST' && /^\/(?:tunnel|t\/)/.test(incoming.url ?? '')
    const body: Buffer[] = []
    const onward = forward(
      { host: '127.0.0.1', port: target.port, method: incoming.method, path: incoming.url, headers: incoming.headers },
      (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
        answer.pipe(outgoing)
        if (isEnvelope)
          posts.push({ body: Buffer.concat(body), headers: incoming.headers, status: answer.statusCode ?? 0 })
      },
    )
    onward.on('error', () => outgoing.destroy())
    incoming.on('data', (chunk: Buffer) => body.push(chunk))
    // A page that unloads may close its connection before the answer; its request is still forwarded completely.
    incoming.pipe(onward)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://localhost:${(server.address() as AddressInfo).port}`,
    posts: () => posts,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
