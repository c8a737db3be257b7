import { createHash } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { STAND_IN_KEY } from '../../lib/config/environment'
import type { Dsn } from '../../lib/protocol/dsn'
import { type Script, ScriptPlayer } from './script'

/** So much of what came is remembered, oldest forgotten first. */
const REMEMBERED_POSTS = 5000
const REMEMBERED_BYTES = 128 * 1024 * 1024

export interface ReceivedPost {
  readonly n: number
  readonly at: number
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
  readonly sha256: string
  /** What it was answered; `null` when the connection was cut. */
  readonly status: number | null
}

/** Plays upstream: takes envelopes as Sentry would, answers as scripted, remembers what came, byte for byte. */
export interface StandIn {
  readonly dsn: Dsn
  readonly received: () => readonly ReceivedPost[]
  /** Replaces the script; an empty one answers 200 to everything. */
  readonly play: (script: Script) => void
  readonly script: () => Script
  readonly forget: () => void
  /** Resolves when something more has come. */
  readonly nextPost: () => Promise<ReceivedPost>
  readonly close: () => Promise<void>
}

/** Listens on a loopback port; 0 takes a free one. */
export async function startStandIn(
  options: { readonly port?: number; readonly now?: () => number } = {},
): Promise<StandIn> {
  const now = options.now ?? Date.now
  const player = new ScriptPlayer()
  const waiting: ((post: ReceivedPost) => void)[] = []
  let posts: ReceivedPost[] = []
  let count = 0

  const remember = (request: IncomingMessage, body: Buffer, status: number | null): void => {
    count += 1
    const headers = Object.fromEntries(
      Object.entries(request.headers).map(([name, value]) => [
        name,
        Array.isArray(value) ? value.join(', ') : (value ?? ''),
      ]),
    )
    const sha256 = createHash('sha256').update(body).digest('hex')
    const post: ReceivedPost = { n: count, at: now(), path: request.url ?? '', headers, body, sha256, status }
    posts = trim([...posts, post])
    for (const resolve of waiting.splice(0)) resolve(post)
  }

  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('error', () => response.destroy())
    request.on('end', () => {
      const body = Buffer.concat(chunks)
      const scripted = player.next()
      if (scripted?.reset) {
        remember(request, body, null)
        request.socket.destroy()
        return
      }
      remember(request, body, scripted?.status ?? 200)
      const timer = setTimeout(() => answer(response, body, scripted), scripted?.delayMs ?? 0)
      response.on('close', () => clearTimeout(timer))
    })
  })
  const port = await listen(server, options.port ?? 0)
  return {
    dsn: { protocol: 'http', ...STAND_IN_KEY, host: `127.0.0.1:${port}`, path: '' },
    received: () => posts,
    play: (script) => player.load(script),
    script: () => ({ answers: [...player.left] }),
    forget: () => {
      posts = []
    },
    nextPost: () => new Promise((resolve) => waiting.push(resolve)),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

function answer(response: ServerResponse, body: Buffer, scripted: ReturnType<ScriptPlayer['next']>): void {
  if (scripted !== null) {
    response.writeHead(scripted.status, scripted.headers)
    response.end(scripted.body)
    return
  }
  const id = /"event_id":"([0-9a-f-]{32,36})"/.exec(body.subarray(0, 4096).toString('utf8').split('\n')[0] ?? '')?.[1]
  response.writeHead(200, { 'content-type': 'application/json' })
  response.end(JSON.stringify(id === undefined ? {} : { id }))
}

function trim(posts: ReceivedPost[]): ReceivedPost[] {
  let bytes = 0
  let from = posts.length
  while (from > 0 && posts.length - from < REMEMBERED_POSTS && bytes < REMEMBERED_BYTES) {
    from -= 1
    bytes += posts[from]?.body.length ?? 0
  }
  return posts.slice(from)
}

function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', () => resolve((server.address() as AddressInfo).port))
  })
}
