import { Readable } from 'node:stream'
import type { Dispatcher } from 'undici'
import { Slots } from '../runtime/slots'

/** An answer is read up to this size. A shorter one leaves its connection usable for the next post. */
const MAX_ANSWER_BYTES = 4 * 1024 * 1024
/** undici's default is 16 KiB. A longer list of limits would fail the post, and the same post would be repeated forever. */
const MAX_ANSWER_HEADER_BYTES = 256 * 1024
/** Bytes of an answer that are kept: thirty answers of 4 MiB would take 120 MiB that nobody reads. */
const KEPT_ANSWER_BYTES = 64 * 1024
/** A larger body is written in pieces of this size: an early answer then need not wait until all of it is written. */
const PIECE_BYTES = 64 * 1024
/** An upstream has one address per endpoint. Security reports add a query. */
const MAX_TARGETS = 16

export interface SendRequest {
  readonly url: string
  /** `GET` only without a body. */
  readonly method?: 'GET' | 'POST'
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
  /** For everything: connecting, sending, and reading the answer. */
  readonly timeoutMs: number
  readonly signal: AbortSignal
}

export interface UpstreamAnswer {
  readonly status: number
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly bytes: Uint8Array
}

/** Posts bytes. Rejects with a `SendError` when no answer came. Redirects are answers and are not followed. */
export type Send = (request: SendRequest) => Promise<UpstreamAnswer>

export class SendError extends Error {
  constructor(
    readonly reason: 'timeout' | 'aborted' | 'failed',
    message: string,
    /** There was a connection: the request may have arrived. */
    readonly connected: boolean,
  ) {
    super(message)
    this.name = 'SendError'
  }
}

/**
 * Keeps connections alive on undici's dispatcher: without promises and streams a post takes half of the CPU time of
 * `node:http`, and a sixth of `fetch`. Use one sender per upstream, so that none waits for another's `sockets`.
 */
export function createSend(sockets: number): Send {
  // Each post has its own timeout.
  const timeout = { headersTimeout: 0, bodyTimeout: 0 }
  const options = { connections: sockets, pipelining: 1, maxHeaderSize: MAX_ANSWER_HEADER_BYTES, ...timeout }
  let loading: Promise<Dispatcher> | null = null
  const loadAgent = async (): Promise<Dispatcher> => {
    const { default: Agent } = await import('undici/lib/dispatcher/agent.js')
    return new Agent(options)
  }
  const targetOf = memoized(MAX_TARGETS, (url) => {
    const { origin, pathname, search } = new URL(url)
    return { origin, path: `${pathname}${search}` }
  })
  return (request) =>
    new Promise((resolve, reject) => {
      if (request.signal.aborted) return reject(new SendError('aborted', 'aborted', false))
      const onAnswer = (answer: UpstreamAnswer): void => {
        end()
        resolve(answer)
      }
      const onFailure = (error: SendError): void => {
        end()
        reject(error)
      }
      const post = new Post(onAnswer, onFailure)
      const { timeoutMs, signal, body, method = 'POST' } = request
      const length = method === 'GET' ? {} : { 'content-length': String(body.length) }
      const headers = { ...sendable(request.headers), ...length }
      const timer = setTimeout(() => post.fail('timeout', `no answer within ${timeoutMs / 1000} s`), timeoutMs)
      const aborts = abortsOf(signal)
      const slot = aborts.add(() => post.fail('aborted', 'aborted'))
      const end = (): void => {
        clearTimeout(timer)
        aborts.remove(slot)
      }
      // The first post loads undici, which a collector without an upstream never needs. Posts keep their order.
      loading ??= loadAgent()
      loading
        .then((agent) => {
          const target = targetOf(request.url)
          agent.dispatch({ ...target, method, headers, body: method === 'GET' ? null : bodyOf(body) }, post)
        })
        .catch(reject)
    })
}

/** Posts without the sender's address. Records from a time when it was passed on still contain it. */
export const withoutAddress =
  (send: Send): Send =>
  (request) => {
    const { 'x-forwarded-for': _, ...headers } = request.headers
    return send({ ...request, headers })
  }

/** The undici handler of one post. It settles once and ignores later events. */
class Post implements Dispatcher.DispatchHandler {
  readonly #onAnswer: (answer: UpstreamAnswer) => void
  readonly #onFailure: (error: SendError) => void
  /** Set when there is a connection and the request is being written. */
  #controller: Dispatcher.DispatchController | null = null
  #hasEnded = false
  #status = 0
  #headers: UpstreamAnswer['headers'] = {}
  readonly #chunks: Uint8Array[] = []
  #kept = 0
  #size = 0

  constructor(onAnswer: (answer: UpstreamAnswer) => void, onFailure: (error: SendError) => void) {
    this.#onAnswer = onAnswer
    this.#onFailure = onFailure
  }

  fail(reason: SendError['reason'], message: string): void {
    if (this.#hasEnded) return
    this.#hasEnded = true
    this.#onFailure(new SendError(reason, message, this.#controller !== null))
    this.#controller?.abort(new Error(message))
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    // It timed out before it had a connection.
    if (this.#hasEnded) controller.abort(new Error('ended'))
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: RawHeaders): void {
    this.#status = status
    this.#headers = joinedHeaders(headers)
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Uint8Array): void {
    if (this.#hasEnded) return
    this.#size += chunk.length
    if (this.#kept < KEPT_ANSWER_BYTES) {
      const piece = chunk.subarray(0, KEPT_ANSWER_BYTES - this.#kept)
      this.#chunks.push(piece)
      this.#kept += piece.length
    }
    if (this.#size < MAX_ANSWER_BYTES) return
    this.#answered()
    controller.abort(new Error('the answer is longer than 4 MiB'))
  }

  onResponseEnd(): void {
    this.#answered()
  }

  onResponseError(_: unknown, error: NodeJS.ErrnoException): void {
    // undici has its own code for a closed connection.
    const code = error.code === 'UND_ERR_SOCKET' ? 'ECONNRESET' : error.code
    this.fail('failed', code ?? error.message)
  }

  #answered(): void {
    if (this.#hasEnded) return
    this.#hasEnded = true
    this.#onAnswer({ status: this.#status, headers: this.#headers, bytes: Buffer.concat(this.#chunks) })
  }
}

/** Characters that are invalid in a header. undici would refuse the post, and drop a connection of the pool with it. */
const UNSENDABLE = /[^\t\x20-\x7e\x80-\xff]/g

const sendable = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, value.replace(UNSENDABLE, '?')]))

/** A body in pieces is not chunked: the headers have its length. */
function bodyOf(body: Uint8Array): Uint8Array | Readable {
  if (body.length <= PIECE_BYTES) return body
  const pieces = Readable.from(piecesOf(body), { objectMode: false })
  // The post reports why the body was not read to its end.
  return pieces.on('error', () => undefined)
}

function* piecesOf(body: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < body.length; at += PIECE_BYTES) yield body.subarray(at, at + PIECE_BYTES)
}

type RawHeaders = Readonly<Record<string, string | string[] | undefined>>

function joinedHeaders(headers: RawHeaders): UpstreamAnswer['headers'] {
  const lines: Record<string, string | undefined> = {}
  for (const name in headers) {
    const value = headers[name]
    if (!Array.isArray(value)) lines[name] = value
    // A proxy may add its own Retry-After: two joined values could not be parsed.
    else lines[name] = name === 'retry-after' ? value[0] : value.join(', ')
  }
  return lines
}

const abortsBySignal = new WeakMap<AbortSignal, Slots<() => void>>()

/** The functions that a signal calls when it aborts, with one listener for all of them. */
function abortsOf(signal: AbortSignal): Slots<() => void> {
  const known = abortsBySignal.get(signal)
  if (known !== undefined) return known
  const aborts = new Slots<() => void>()
  abortsBySignal.set(signal, aborts)
  signal.addEventListener('abort', () => {
    for (const abort of aborts.all()) abort()
  })
  return aborts
}

function memoized<Made>(most: number, make: (text: string) => Made): (text: string) => Made {
  const cache = new Map<string, Made>()
  return (text) => {
    const known = cache.get(text)
    if (known !== undefined) return known
    const made = make(text)
    if (cache.size >= most) cache.clear()
    cache.set(text, made)
    return made
  }
}
