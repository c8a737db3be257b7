import { createHash } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { performance } from 'node:perf_hooks'

import { categoryOfItem } from '../../lib/protocol/data-category'
import { type Dsn, LOCAL_KEY } from '../../lib/protocol/dsn'
import { type Endpoint, parseRecord } from '../../lib/protocol/record'
import { isOtlp, STAMP_HEADER } from '../../lib/protocol/request'
import { type StartTimer, startTimer } from '../../lib/time'
import {
  type GivenScript,
  type PlayedAnswer,
  type ScriptedAnswer,
  type StandInState,
  scriptSchema,
} from '../../lib/wire/stand-in'
import { perform, UnansweredPosts } from './perform'
import { type Clock, ScriptPlayer, watchRules } from './script'

/** Received posts that stay in memory; older ones are dropped. */
const MAX_POSTS = 5000
const MAX_POST_BYTES = 128 * 1024 * 1024
/** Posts in the state that boards show. */
const SHOWN_POSTS = 200

export interface StandInOptions extends Partial<Clock> {
  readonly port?: number
  readonly later?: StartTimer
  /** The script changed: it was replaced, or a rule is used up or over. */
  readonly onChange?: () => void
}

interface ReceivedPost {
  readonly n: number
  readonly at: number
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
  readonly sha256: string
  /** Data categories of its items, each once; none where the body cannot be parsed. */
  readonly categories: readonly string[]
  readonly status: number | null
}

/** The mock upstream: accepts posts as Sentry does, answers by a script, and keeps what it received, byte for byte. */
export interface StandIn {
  readonly dsn: Dsn
  readonly received: () => readonly ReceivedPost[]
  /** An empty script answers 200 to every post. @throws ZodError where the script is invalid. */
  readonly play: (script: GivenScript) => void
  readonly answers: () => readonly PlayedAnswer[]
  readonly state: () => StandInState
  readonly forget: () => void
  readonly nextPost: () => Promise<ReceivedPost>
  /** Resets every unanswered post, and each later one that would hang: a stop must not wait for them. */
  readonly resetUnanswered: () => void
  readonly close: () => Promise<void>
}

export async function startStandIn(options: StandInOptions = {}): Promise<StandIn> {
  const clock = { now: options.now ?? Date.now, monotonic: options.monotonic ?? (() => performance.now()) }
  const later = options.later ?? startTimer
  const onChange = options.onChange ?? (() => undefined)
  const player = new ScriptPlayer(clock)
  const rules = watchRules(player, later, onChange)
  const posts = new ReceivedPosts()
  const unanswered = new UnansweredPosts()
  const waiting: ((post: ReceivedPost) => void)[] = []

  const server = createServer((request, response) => {
    readBody(request, response, (body) => {
      const categories = body === null ? [] : categoriesIn(request.url ?? '', body)
      const answer =
        body === null ? TOO_LARGE : player.take(categories, request.headers[STAMP_HEADER]?.toString() ?? null)
      const post = posts.add({
        at: clock.now(),
        path: request.url ?? '',
        headers: joinedHeaders(request),
        body: body ?? Buffer.alloc(0),
        sha256: createHash('sha256')
          .update(body ?? '')
          .digest('hex'),
        categories,
        status: statusOf(answer),
      })
      for (const resolve of waiting.splice(0)) resolve(post)
      if (answer === null) {
        accept(response, post.path, post.body)
        return
      }
      rules.check()
      perform(response, answer, { unanswered, later })
    })
  })
  const port = await listen(server, options.port ?? 0)
  return {
    dsn: { protocol: 'http', ...LOCAL_KEY, host: `127.0.0.1:${port}`, path: '' },
    received: () => posts.all(),
    play: (script) => {
      player.load(scriptSchema.parse(script))
      rules.scriptLoaded()
      onChange()
    },
    answers: () => player.left(),
    state: () => ({
      now: clock.now(),
      answers: [...player.left()],
      received: posts.all().slice(-SHOWN_POSTS).reverse().map(summaryOf),
    }),
    forget: () => posts.clear(),
    nextPost: () => new Promise((resolve) => waiting.push(resolve)),
    resetUnanswered: () => unanswered.end(),
    close: () => {
      rules.end()
      return new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      })
    },
  }
}

class ReceivedPosts {
  #posts: ReceivedPost[] = []
  #bytes = 0
  #count = 0

  add(post: Omit<ReceivedPost, 'n'>): ReceivedPost {
    this.#count += 1
    const numbered = { n: this.#count, ...post }
    this.#posts.push(numbered)
    this.#bytes += post.body.length
    while (this.#posts.length > MAX_POSTS || this.#bytes > MAX_POST_BYTES)
      this.#bytes -= this.#posts.shift()?.body.length ?? this.#bytes
    return numbered
  }

  all(): readonly ReceivedPost[] {
    return [...this.#posts]
  }

  clear(): void {
    this.#posts = []
    this.#bytes = 0
  }
}

/** Passes `null` for a body above 128 MiB, which is not kept in memory. */
function readBody(request: IncomingMessage, response: ServerResponse, then: (body: Buffer | null) => void): void {
  const chunks: Buffer[] = []
  let bytes = 0
  request.on('data', (chunk: Buffer) => {
    bytes += chunk.length
    if (bytes <= MAX_POST_BYTES) chunks.push(chunk)
    else chunks.length = 0
  })
  request.on('error', () => response.destroy())
  request.on('end', () => then(bytes > MAX_POST_BYTES ? null : Buffer.concat(chunks)))
}

const TOO_LARGE: ScriptedAnswer = {
  does: 'answer',
  status: 413,
  headers: {},
  body: '{"detail":"the stand-in accepts bodies of up to 128 MiB"}',
  gzip: false,
  delayMs: 0,
}

function categoriesIn(path: string, body: Uint8Array): readonly string[] {
  const framed = parseRecord(endpointOf(path), body)
  if (!framed.ok) return []
  return [...new Set(framed.value.items.map(({ header }) => categoryOfItem(header)))]
}

/** The paths of Sentry, and those of any OTLP/HTTP endpoint. */
const OTLP_PATH = /(?:^|\/)v1\/(traces|logs|metrics)\/?(?:\?|$)/

const ENDPOINT_OF_PATH: ReadonlyMap<string, Endpoint> = new Map([
  ['store', 'store'],
  ['security', 'security'],
  ['minidump', 'minidump'],
  ['unreal', 'unreal'],
  ['nel', 'nel'],
  ['cron', 'cron'],
  ['events', 'attachments'],
])

function endpointOf(path: string): Endpoint {
  const signal = OTLP_PATH.exec(path)?.[1]
  if (signal === 'traces' || signal === 'logs' || signal === 'metrics') return `otlp_${signal}`
  const kind = /^\/api\/\w+\/(\w+)\//.exec(path)?.[1] ?? ''
  return ENDPOINT_OF_PATH.get(kind) ?? 'envelope'
}

function statusOf(answer: ScriptedAnswer | null): number | null {
  if (answer === null) return 200
  return answer.does === 'answer' ? answer.status : null
}

const joinedHeaders = ({ headers }: IncomingMessage): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : (value ?? '')]),
  )

const summaryOf = ({
  n,
  at,
  path,
  categories,
  body,
  sha256,
  status,
}: ReceivedPost): StandInState['received'][number] => ({
  n,
  at,
  path,
  categories: [...categories],
  bytes: body.length,
  sha256,
  status,
})

/** Answers 200 with the event id of the envelope header, as Sentry does; to OTLP with `{}`. */
function accept(response: ServerResponse, path: string, body: Uint8Array): void {
  const firstLine = Buffer.from(body.subarray(0, 4096)).toString('utf8').split('\n')[0] ?? ''
  const id = isOtlp(endpointOf(path)) ? undefined : /"event_id":"([0-9a-f-]{32,36})"/.exec(firstLine)?.[1]
  response.writeHead(200, { 'content-type': 'application/json' })
  response.end(JSON.stringify(id === undefined ? {} : { id }))
}

function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', () => resolve((server.address() as AddressInfo).port))
  })
}
