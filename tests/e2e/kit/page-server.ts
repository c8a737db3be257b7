import { createServer, type IncomingHttpHeaders, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { localTunnel, nodeHandler } from '../../../lib/tunnel/local-tunnel'

interface SeenByOther {
  readonly method: string
  readonly url: string
  readonly headers: IncomingHttpHeaders
}

export interface PageServer {
  /** A page with the browser's SDK, whose tunnel is of its own origin. */
  readonly url: string
  /** Another origin, which a page may call. */
  readonly otherUrl: string
  readonly seenByOther: () => readonly SeenByOther[]
  readonly close: () => Promise<void>
}

/** ms after which `/late` is answered: longer than the idle time of a test. */
const LATE_MS = 1_000

/** A page without the SDK. */
const PLAIN = '<!doctype html><title>Plain</title><h1>Plain</h1>'

const script = fileURLToPath(new URL('./page.ts', import.meta.url))

/** Serves a page that sends to a collector by its DSN, without an app around it. */
export async function startPageServer(dsn: string): Promise<PageServer> {
  const { outputFiles } = await build({
    entryPoints: [script],
    bundle: true,
    minify: true,
    format: 'iife',
    sourcemap: 'inline',
    write: false,
  })
  const page = `<!doctype html><html data-dsn="${dsn}"><title>Under test</title><h1>Under test</h1><script src="/page.js"></script></html>`
  const tunnel = localTunnel({ dsn })
  const toTunnel = nodeHandler(tunnel)
  const pages = createServer((incoming, outgoing) => {
    if (incoming.url === '/tunnel') return void toTunnel(incoming, outgoing)
    if (incoming.url === '/page.js')
      return void outgoing.writeHead(200, { 'content-type': 'text/javascript' }).end(outputFiles[0]?.text)
    if (incoming.url === '/late') return void setTimeout(() => outgoing.end('late'), LATE_MS)
    if (incoming.method !== 'GET' || incoming.url === '/favicon.ico') return void outgoing.writeHead(404).end()
    const html = { 'content-type': 'text/html; charset=utf-8' }
    if (incoming.url === '/plain') return void outgoing.writeHead(200, html).end(PLAIN)
    if (incoming.url === '/missing') return void outgoing.writeHead(404, html).end(PLAIN)
    if (incoming.url === '/failing') return void outgoing.writeHead(500).end()
    if (incoming.url === '/text') return void outgoing.writeHead(200, { 'content-type': 'text/plain' }).end('text')
    if (incoming.url === '/moved') return void outgoing.writeHead(302, { location: '/moved-to' }).end()
    if (incoming.url === '/slow-image') return
    if (incoming.url === '/unfinished')
      return void outgoing.writeHead(200, html).end('<title>Unfinished</title><img src="/slow-image">')
    outgoing.writeHead(200, html).end(page)
  })
  const seen: SeenByOther[] = []
  const other = createServer((incoming, outgoing) => {
    seen.push({ method: incoming.method ?? '', url: incoming.url ?? '', headers: incoming.headers })
    // A preflight finds nothing that allows it: a request that needs one fails.
    outgoing.writeHead(200, { 'access-control-allow-origin': '*' }).end('answered')
  })
  const url = await listen(pages, 'localhost')
  const otherUrl = await listen(other, '127.0.0.1')
  return {
    url,
    otherUrl,
    seenByOther: () => seen,
    close: async () => {
      await Promise.all([pages, other].map(close))
      await tunnel.close()
    },
  }
}

const listen = (server: Server, name: string): Promise<string> =>
  new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve(`http://${name}:${(server.address() as AddressInfo).port}`))
  })

const close = (server: Server): Promise<void> =>
  new Promise((resolve) => {
    server.close(() => resolve())
    server.closeAllConnections()
  })
