import { createHash } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { performance } from 'node:perf_hooks'

import { categoryOf } from '../../lib/protocol/data-category'
import { type Dsn, LOCAL_KEY } from '../../lib/protocol/dsn'
import { type Endpoint, frameRecord } from '../../lib/protocol/record'
import {
  type GivenScript,
  type PlayedAnswer,
  type ScriptedAnswer,
  type StandInState,
  scriptSchema,
} from '../../lib/wire/stand-in'
import { HeldPosts } from './held-posts'
import { type Performing, perform } from './perform'
import { REMEMBERED_BYTES, type ReceivedPost, ReceivedPosts } from './received-posts'
import { type Clock, ScriptPlayer } from './script'

/** Posts of which a person is told. */
const SHOWN_POSTS = 200

export interface StandInOptions extends Partial<Clock> {
  /** On loopback; a free one when left out. */
  readonly port?: number
  readonly later?: Performing['later']
  /** A rule took a post, and counts down. */
  readonly onTaken?: () => void
  /** A rule is used up or over. */
  readonly onRuleEnd?: () => void
}

/** Plays upstream: takes envelopes as Sentry would, answers as scripted, remembers what came, byte for byte. */
export interface StandIn {
  readonly dsn: Dsn
  /** Oldest first. */
  readonly received: () => readonly ReceivedPost[]
  /**
   * Replaces the script; an empty one answers 200 to everything.
   * @throws ZodError on one that cannot be played.
   */
  readonly play: (script: GivenScript) => void
  /** What is left of the script. */
  readonly answers: () => readonly PlayedAnswer[]
  readonly state: () => StandInState
  readonly forget: () => void
  /** Resolves when something more has come. */
  readonly nextPost: () => Promise<ReceivedPost>
  /** Cuts every connection that waits for an answer, and from now on each that would: nobody who stops waits for it. */
  readonly endHeld: () => void
  readonly close: () => Promise<void>
}

/** Listens on a loopback port. */
export async function startStandIn(options: StandInOptions = {}): Promise<StandIn> {
  const clock = { now: options.now ?? Date.now, monotonic: options.monotonic ?? (() => performance.now()) }
  const later = options.later ?? laterByTimer
  const player = new ScriptPlayer(clock)
  const posts = new ReceivedPosts()
  const held = new HeldPosts()
  const waiting: ((post: ReceivedPost) => void)[] = []

  const tellEnds = whenRulesEnd(player, later, options.onRuleEnd ?? (() => undefined))

  const server = createServer((request, response) => {
    readBody(request, response, (body) => {
      const categories = body === null ? [] : categoriesIn(request.url ?? '', body)
      const scripted = body === null ? TOO_LARGE : player.take(categories)
      const post = posts.add({
        at: clock.now(),
        path: request.url ?? '',
        headers: headersOf(request),
        body: body ?? Buffer.alloc(0),
        sha256: createHash('sha256')
          .update(body ?? '')
          .digest('hex'),
        categories,
        status: statusOf(scripted),
      })
      for (const resolve of waiting.splice(0)) resolve(post)
      if (scripted === null) {
        takeIt(response, post.body)
        return
      }
      options.onTaken?.()
      tellEnds.look()
      perform(response, scripted, { held, later })
    })
  })
  const port = await listen(server, options.port ?? 0)
  return {
    dsn: { protocol: 'http', ...LOCAL_KEY, host: `127.0.0.1:${port}`, path: '' },
    received: () => posts.all(),
    play: (script) => {
      player.load(scriptSchema.parse(script))
      tellEnds.begin()
    },
    answers: () => player.left(),
    state: () => ({
      now: clock.now(),
      answers: [...player.left()],
      keep: player.keep,
      received: posts.all().slice(-SHOWN_POSTS).reverse().map(shown),
    }),
    forget: () => posts.forget(),
    nextPost: () => new Promise((resolve) => waiting.push(resolve)),
    endHeld: () => held.end(),
    close: () => {
      tellEnds.end()
      return new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      })
    },
  }
}

/** Tells when rules are used up, and when their time is over: nobody posts at that moment. */
function whenRulesEnd(player: ScriptPlayer, later: Performing['later'], tell: () => void) {
  let known = 0
  let takeBack = (): void => undefined
  const wait = (): void => {
    takeBack()
    const ms = player.nextEnd()
    // A timer may be early by a part of a millisecond.
    takeBack = ms === null ? () => undefined : later(look, Math.ceil(ms) + 1)
  }
  const look = (): void => {
    const left = player.left().length
    if (left === known) return
    known = left
    wait()
    tell()
  }
  const begin = (): void => {
    known = player.left().length
    wait()
  }
  return { look, begin, end: () => takeBack() }
}

/** A body beyond what is remembered is not gathered, so that memory has an end. */
function readBody(request: IncomingMessage, response: ServerResponse, then: (body: Buffer | null) => void): void {
  const chunks: Buffer[] = []
  let bytes = 0
  request.on('data', (chunk: Buffer) => {
    bytes += chunk.length
    if (bytes <= REMEMBERED_BYTES) chunks.push(chunk)
    else chunks.length = 0
  })
  request.on('error', () => response.destroy())
  request.on('end', () => then(bytes > REMEMBERED_BYTES ? null : Buffer.concat(chunks)))
}

const TOO_LARGE: ScriptedAnswer = {
  does: 'answer',
  status: 413,
  headers: {},
  body: '{"detail":"the stand-in takes bodies of up to 128 MiB"}',
  gzip: false,
  delayMs: 0,
}

function categoriesIn(path: string, body: Uint8Array): readonly string[] {
  const framed = frameRecord(endpointOf(path), body)
  if (!framed.ok) return []
  return [...new Set(framed.value.items.map(({ header }) => categoryOf(header.type)))]
}

function endpointOf(path: string): Endpoint {
  const kind = /^\/api\/\w+\/(store|security)\//.exec(path)?.[1]
  if (kind === 'store') return 'store'
  return kind === 'security' ? 'security' : 'envelope'
}

function statusOf(scripted: ScriptedAnswer | null): number | null {
  if (scripted === null) return 200
  return scripted.does === 'hang' || scripted.does === 'reset' ? null : scripted.status
}

const headersOf = ({ headers }: IncomingMessage): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : (value ?? '')]),
  )

const shown = ({ n, at, path, categories, body, sha256, status }: ReceivedPost): StandInState['received'][number] => ({
  n,
  at,
  path,
  categories: [...categories],
  bytes: body.length,
  sha256,
  status,
})

/** As Sentry answers: with the event's id, where the header names one. */
function takeIt(response: ServerResponse, body: Uint8Array): void {
  const firstLine = Buffer.from(body.subarray(0, 4096)).toString('utf8').split('\n')[0] ?? ''
  const id = /"event_id":"([0-9a-f-]{32,36})"/.exec(firstLine)?.[1]
  response.writeHead(200, { 'content-type': 'application/json' })
  response.end(JSON.stringify(id === undefined ? {} : { id }))
}

function laterByTimer(work: () => void, ms: number): () => void {
  const timer = setTimeout(work, ms)
  return () => clearTimeout(timer)
}

function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', () => resolve((server.address() as AddressInfo).port))
  })
}
