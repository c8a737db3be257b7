import { Readable } from 'node:stream'
import type { Dispatcher } from 'undici'
import Agent from 'undici/lib/dispatcher/agent.js'
import { Slots } from '../runtime/slots'

/** An answer is read this far and no further: its connection can be used again where it ends before. */
const MAX_ANSWER_BYTES = 4 * 1024 * 1024
/** Of its headers, which undici reads to 16 KiB: not to read a long list of limits would mean to post the same again, for ever. */
const MAX_ANSWER_HEADER_BYTES = 256 * 1024
/** So much of it is kept; thirty answers of the most would be 120 MiB of what nobody looks at. */
const KEPT_ANSWER_BYTES = 64 * 1024
/** What is larger is written by and by: where it is answered before all of it was taken, no other post waits behind the rest. */
const WHOLE_BODY_BYTES = 64 * 1024
/** An upstream has an address for each endpoint; reports of browsers have more in theirs. */
const MOST_TARGETS = 16

export interface SendRequest {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
  /** For everything together: to connect, to send, to be answered and to read the answer. */
  readonly timeoutMs: number
  /** Cuts it off. */
  readonly signal: AbortSignal
}

export interface Answer {
  readonly status: number
  /** By names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>
  /** The beginning of its body. */
  readonly bytes: Uint8Array
}

/** Posts bytes; rejects with a `SendError` when no answer came. Redirects are answers like others: none is followed. */
export type Send = (request: SendRequest) => Promise<Answer>

/** No answer came. */
export class SendError extends Error {
  constructor(
    readonly why: 'timeout' | 'aborted' | 'failed',
    message: string,
    /** There was a connection: what was sent may have arrived. */
    readonly connected: boolean,
  ) {
    super(message)
    this.name = 'SendError'
  }
}

/**
 * What posts over connections that are kept open, by undici's innermost interface: without promises and streams a post takes
 * half of the processor's time that `node:http` takes, and a sixth of what `fetch` does.
 * @param sockets how many connections a host gets at most: of each upstream its own, or one would wait for the other's.
 */
export function createSend(sockets: number): Send {
  // How long all of it may take is told with each post.
  const timeout = { headersTimeout: 0, bodyTimeout: 0 }
  const agent = new Agent({ connections: sockets, pipelining: 1, maxHeaderSize: MAX_ANSWER_HEADER_BYTES, ...timeout })
  const targetOf = remembered(MOST_TARGETS, (url) => {
    const { origin, pathname, search } = new URL(url)
    return { origin, path: `${pathname}${search}` }
  })
  return (given) =>
    new Promise((resolve, reject) => {
      if (given.signal.aborted) return reject(new SendError('aborted', 'cut off', false))
      const onAnswer = (answer: Answer): void => {
        end()
        resolve(answer)
      }
      const onFailure = (error: SendError): void => {
        end()
        reject(error)
      }
      const post = new Post(onAnswer, onFailure)
      const { timeoutMs, signal, body } = given
      const headers = { ...sendable(given.headers), 'content-length': String(body.length) }
      const timer = setTimeout(() => post.fail('timeout', `no answer within ${timeoutMs / 1000} s`), timeoutMs)
      const cuts = cutsOf(signal)
      const slot = cuts.add(() => post.fail('aborted', 'cut off'))
      const end = (): void => {
        clearTimeout(timer)
        cuts.remove(slot)
      }
      agent.dispatch({ ...targetOf(given.url), method: 'POST', headers, body: bodyOf(body) }, post)
    })
}

/** One post, as undici tells of it. It ends once: what is told afterwards is nobody's. */
class Post implements Dispatcher.DispatchHandler {
  readonly #onAnswer: (answer: Answer) => void
  readonly #onFailure: (error: SendError) => void
  /** There is a connection, and it is being written. */
  #controller: Dispatcher.DispatchController | null = null
  #hasEnded = false
  #status = 0
  #headers: Answer['headers'] = {}
  readonly #chunks: Uint8Array[] = []
  #kept = 0
  #size = 0

  constructor(onAnswer: (answer: Answer) => void, onFailure: (error: SendError) => void) {
    this.#onAnswer = onAnswer
    this.#onFailure = onFailure
  }

  fail(why: SendError['why'], message: string): void {
    if (this.#hasEnded) return
    this.#hasEnded = true
    this.#onFailure(new SendError(why, message, this.#controller !== null))
    this.#controller?.abort(new Error(message))
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    // Its time was over before it had a connection.
    if (this.#hasEnded) controller.abort(new Error('ended'))
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: Answered): void {
    this.#status = status
    this.#headers = headersOf(headers)
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
    controller.abort(new Error('longer than it is read'))
  }

  onResponseEnd(): void {
    this.#answered()
  }

  onResponseError(_: unknown, error: NodeJS.ErrnoException): void {
    // The connection was closed: undici has a word of its own for that.
    const code = error.code === 'UND_ERR_SOCKET' ? 'ECONNRESET' : error.code
    this.fail('failed', code ?? error.message)
  }

  #answered(): void {
    if (this.#hasEnded) return
    this.#hasEnded = true
    this.#onAnswer({ status: this.#status, headers: this.#headers, bytes: Buffer.concat(this.#chunks) })
  }
}

/** What no header may hold. A post that undici refuses for it would take a connection of the pool with it. */
const UNSENDABLE = /[^\t\x20-\x7e\x80-\xff]/g

const sendable = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, value.replace(UNSENDABLE, '?')]))

/** Its length is told by headers, so that it is not chunked. */
function bodyOf(body: Uint8Array): Uint8Array | Readable {
  if (body.length <= WHOLE_BODY_BYTES) return body
  const pieces = Readable.from(piecesOf(body), { objectMode: false })
  // Why it is not read to its end the post is told.
  return pieces.on('error', () => undefined)
}

function* piecesOf(body: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < body.length; at += WHOLE_BODY_BYTES) yield body.subarray(at, at + WHOLE_BODY_BYTES)
}

type Answered = Readonly<Record<string, string | string[] | undefined>>

function headersOf(headers: Answered): Answer['headers'] {
  const lines: Record<string, string | undefined> = {}
  for (const name in headers) {
    const value = headers[name]
    if (!Array.isArray(value)) lines[name] = value
    // A proxy may have set it beside the server: two waits are none that can be read.
    else lines[name] = name === 'retry-after' ? value[0] : value.join(', ')
  }
  return lines
}

const cutsBySignal = new WeakMap<AbortSignal, Slots<() => void>>()

/** What a signal cuts off, with one listener for all. */
function cutsOf(signal: AbortSignal): Slots<() => void> {
  const known = cutsBySignal.get(signal)
  if (known !== undefined) return known
  const cuts = new Slots<() => void>()
  cutsBySignal.set(signal, cuts)
  signal.addEventListener('abort', () => {
    for (const cut of cuts.all()) cut()
  })
  return cuts
}

/** Keeps what was made of the last few words. */
function remembered<Made>(most: number, make: (word: string) => Made): (word: string) => Made {
  const made = new Map<string, Made>()
  return (word) => {
    const known = made.get(word)
    if (known !== undefined) return known
    const fresh = make(word)
    if (made.size >= most) made.clear()
    made.set(word, fresh)
    return fresh
  }
}
