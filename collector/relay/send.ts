import { type ClientRequest, Agent as HttpAgent, type IncomingMessage, request as requestByHttp } from 'node:http'
import { Agent as HttpsAgent, request as requestByHttps } from 'node:https'
import { Slots } from '../slots'

/** An answer is read this far and no further: its connection can be used again where it ends before. */
const MAX_ANSWER_BYTES = 4 * 1024 * 1024
/** Of its headers, which Node reads to 16 KiB: not to read a long list of limits would mean to post the same again, for ever. */
const MAX_ANSWER_HEADER_BYTES = 256 * 1024
/** So much of it is kept; thirty answers of the most would be 120 MiB of what nobody looks at. */
const KEPT_ANSWER_BYTES = 64 * 1024
/** An upstream has an address for each door; reports of browsers have more in theirs. */
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
 * What posts over connections that are kept open. `fetch` does the same for three times the work of the processor: of each
 * post it made two streams, four abort signals and a dozen promises, more than all the rest of an envelope's way.
 * @param sockets how many connections a host gets at most: of each upstream its own, or one would wait for the other's.
 */
export function createSend(sockets: number): Send {
  const agents = {
    'http:': new HttpAgent({ keepAlive: true, maxSockets: sockets, scheduling: 'lifo' }),
    'https:': new HttpsAgent({ keepAlive: true, maxSockets: sockets, scheduling: 'lifo' }),
  }
  const targetOf = remembered(MOST_TARGETS, (url) => {
    const { protocol, host, hostname, port, pathname, search } = new URL(url)
    const secure = protocol === 'https:'
    const agent = secure ? agents['https:'] : agents['http:']
    const fixed = { method: 'POST', agent, maxHeaderSize: MAX_ANSWER_HEADER_BYTES }
    // An address of IPv6 stands in brackets in a URL alone.
    const to = { hostname: hostname.replace(/^\[(.*)\]$/, '$1'), port, path: `${pathname}${search}` }
    return { host, secure, options: { ...to, ...fixed } }
  })
  return (given) =>
    new Promise((resolve, reject) => {
      const { host, secure, options } = targetOf(given.url)
      const request = (secure ? requestByHttps : requestByHttp)({ ...options, headers: headersFor(host, given) })
      let connected = false
      let settled = false
      /** @returns false when something else came first. */
      const settle = (): boolean => {
        if (settled) return false
        settled = true
        clearTimeout(timer)
        cuts.remove(slot)
        return true
      }
      const fail = (why: SendError['why'], message: string): void => {
        if (!settle()) return
        request.destroy()
        reject(new SendError(why, message, connected))
      }
      const onAbort = (): void => fail('aborted', 'cut off')
      const timer = setTimeout(() => fail('timeout', `no answer within ${given.timeoutMs / 1000} s`), given.timeoutMs)
      const cuts = cutsOf(given.signal)
      const slot = cuts.add(onAbort)
      whenConnected(request, secure, () => {
        connected = true
      })
      const onError = (error: NodeJS.ErrnoException): void => fail('failed', error.code ?? error.message)
      request.on('error', onError)
      request.on('response', (response) => {
        response.on('error', onError)
        // Cut off in the middle of an answer: what it meant to say is not known.
        response.on('aborted', () => fail('failed', 'ECONNRESET'))
        readSome(response, (bytes) => {
          if (settle()) resolve({ status: response.statusCode ?? 0, headers: headersOf(response), bytes })
          // Answered before all of it was taken: its connection would wait for the rest for ever.
          if (!request.writableFinished) request.destroy()
        })
      })
      if (given.signal.aborted) onAbort()
      else request.end(given.body)
    })
}

function whenConnected(request: ClientRequest, secure: boolean, then: () => void): void {
  request.on('socket', (socket) => {
    if (!socket.connecting) then()
    else socket.once(secure ? 'secureConnect' : 'connect', then)
  })
}

/** Hands over the beginning of the answer once all of it came, or the most; what follows is not waited for. */
function readSome(response: IncomingMessage, done: (bytes: Uint8Array) => void): void {
  const chunks: Buffer[] = []
  let kept = 0
  let size = 0
  response.on('data', (chunk: Buffer) => {
    size += chunk.length
    if (kept < KEPT_ANSWER_BYTES) {
      const piece = chunk.subarray(0, KEPT_ANSWER_BYTES - kept)
      chunks.push(piece)
      kept += piece.length
    }
    if (size < MAX_ANSWER_BYTES) return
    done(Buffer.concat(chunks))
    response.destroy()
  })
  response.on('end', () => done(Buffer.concat(chunks)))
}

/** One list, as Node writes them: given as an object each is looked at and kept by itself, for a third of a post's work. */
function headersFor(host: string, { headers, body }: SendRequest): string[] {
  const list = ['host', host]
  for (const [name, value] of Object.entries(headers)) list.push(name, value)
  list.push('content-length', String(body.length))
  return list
}

function headersOf({ headers }: IncomingMessage): Answer['headers'] {
  const lines: Record<string, string | undefined> = {}
  for (const name in headers) {
    const value = headers[name]
    lines[name] = Array.isArray(value) ? value.join(', ') : value
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
