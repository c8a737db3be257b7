import { type ClientRequest, Agent as HttpAgent, type IncomingMessage, request as requestByHttp } from 'node:http'
import { Agent as HttpsAgent, request as requestByHttps } from 'node:https'

/** An answer is read this far and no further: its connection can be used again where it ends before. */
const MAX_ANSWER_BYTES = 4 * 1024 * 1024
/** Of its headers, which Node reads to 16 KiB: not to read a long list of limits would mean to post the same again, for ever. */
const MAX_ANSWER_HEADER_BYTES = 256 * 1024
/** So much of it is kept; thirty answers of the most would be 120 MiB of what nobody looks at. */
const KEPT_ANSWER_BYTES = 64 * 1024

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
  return (given) =>
    new Promise((resolve, reject) => {
      const url = new URL(given.url)
      const secure = url.protocol === 'https:'
      const options = {
        method: 'POST',
        headers: { ...given.headers, 'content-length': String(given.body.length) },
        agent: secure ? agents['https:'] : agents['http:'],
        maxHeaderSize: MAX_ANSWER_HEADER_BYTES,
      }
      const request = (secure ? requestByHttps : requestByHttp)(url, options)
      let connected = false
      let settled = false
      /** @returns false when something else came first. */
      const settle = (): boolean => {
        if (settled) return false
        settled = true
        clearTimeout(timer)
        given.signal.removeEventListener('abort', onAbort)
        return true
      }
      const fail = (why: SendError['why'], message: string): void => {
        if (!settle()) return
        request.destroy()
        reject(new SendError(why, message, connected))
      }
      const onAbort = (): void => fail('aborted', 'cut off')
      const timer = setTimeout(() => fail('timeout', `no answer within ${given.timeoutMs / 1000} s`), given.timeoutMs)
      given.signal.addEventListener('abort', onAbort)
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

const headersOf = ({ headers }: IncomingMessage): Answer['headers'] =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : value]),
  )
