import { AsyncLocalStorage } from 'node:async_hooks'
import type { Socket } from 'node:net'
import type { HttpBindings } from '@hono/node-server'
import type { MiddlewareHandler } from 'hono'
import { problem } from '../runtime/problem'
import { StoppingError } from '../runtime/thread-errors'

/** More would only wait in the thread that reads, where they cannot be cancelled. */
const READS_AT_ONCE = 4
/** Requests of a route that wait for a turn. */
const MOST_WAITING = 64
/** An answer that its client does not read holds this much memory at most before the next one. */
const MOST_UNREAD_BYTES = 1024 * 1024
export const BUSY_RETRY_SECONDS = 1

/** Too many requests wait for a turn: 503 with `Retry-After`. */
export class TooManyReadsError extends Error {
  constructor(route: string) {
    super(`${MOST_WAITING} requests to ${route} wait already`)
    this.name = 'TooManyReadsError'
  }
}

/** The client disconnected while its request waited: nobody reads the answer. */
export class RequestGoneError extends Error {
  constructor() {
    super('the client disconnected before its turn')
    this.name = 'RequestGoneError'
  }
}

interface Waiting {
  readonly isGone: () => boolean
  readonly begin: () => void
  readonly leave: (error: Error) => void
}

/** The request on whose behalf code runs. */
interface ReadingRequest {
  readonly route: string
  readonly isGone: () => boolean
}

interface ReadTurns {
  /** For the routes that read: remembers the request, and refuses one on a connection that does not read its answers. */
  readonly middleware: MiddlewareHandler<{ Bindings: HttpBindings }>
  /** Runs a read of the current request in its turn; at once outside of requests. */
  readonly takeTurn: <Value>(read: () => Promise<Value>) => Promise<Value>
  /** Rejects all waiting reads, and later ones. */
  readonly close: () => void
}

/**
 * Shares the thread that reads between requests: a few reads at once, the routes in turn. A waiting read whose client
 * disconnected is never begun, so abandoned requests cost nothing.
 */
export function createReadTurns(): ReadTurns {
  const current = new AsyncLocalStorage<ReadingRequest>()
  const queues = new Map<string, Waiting[]>()
  let handling = 0
  let running = 0
  let isClosed = false

  /** Node follows every promise of the process while a store is in use, which costs intake a tenth of its thread. */
  const handle = async (request: ReadingRequest, next: () => Promise<void>): Promise<void> => {
    handling += 1
    try {
      await current.run(request, next)
    } finally {
      handling -= 1
      if (handling === 0) current.disable()
    }
  }
  /** The first request of the route that waited longest for a turn. */
  const next = (): Waiting | null => {
    for (const [route, queue] of queues) {
      queues.delete(route)
      for (let first = queue.shift(); first !== undefined; first = queue.shift()) {
        if (first.isGone()) {
          first.leave(new RequestGoneError())
          continue
        }
        if (queue.length > 0) queues.set(route, queue)
        return first
      }
    }
    return null
  }
  const serve = (): void => {
    while (running < READS_AT_ONCE) {
      const one = next()
      if (one === null) return
      running += 1
      one.begin()
    }
  }
  const isFull = (route: string): boolean => {
    const queue = queues.get(route) ?? []
    if (queue.length < MOST_WAITING) return false
    const gone = queue.filter((one) => one.isGone())
    for (const one of gone) {
      queue.splice(queue.indexOf(one), 1)
      one.leave(new RequestGoneError())
    }
    return queue.length >= MOST_WAITING
  }
  const wait = ({ route, isGone }: ReadingRequest): Promise<void> =>
    new Promise((resolve, reject) => {
      const queue = queues.get(route) ?? []
      queue.push({ isGone, begin: resolve, leave: reject })
      queues.set(route, queue)
      serve()
    })

  return {
    middleware: async (c, next) => {
      const socket = c.env?.incoming?.socket
      const refusal = socket === undefined ? null : unreadAnswers(socket, c.env.outgoing)
      if (refusal !== null) {
        c.header('Retry-After', String(BUSY_RETRY_SECONDS))
        return problem(c, { status: 503, detail: refusal })
      }
      const route = c.req.path.split('/').slice(0, 3).join('/')
      return handle({ route, isGone: () => socket?.destroyed === true }, next)
    },
    takeTurn: async (read) => {
      const request = current.getStore()
      if (request === undefined) return read()
      if (isClosed) throw new StoppingError()
      if (isFull(request.route)) throw new TooManyReadsError(request.route)
      await wait(request)
      try {
        return await read()
      } finally {
        running -= 1
        serve()
      }
    },
    close: () => {
      isClosed = true
      const waiting = [...queues.values()].flat()
      queues.clear()
      for (const one of waiting) one.leave(new StoppingError())
    },
  }
}

const lastAnswers = new WeakMap<Socket, HttpBindings['outgoing']>()

/** A client that sends further requests without reading the answers would fill the memory with them. */
function unreadAnswers(socket: Socket, outgoing: HttpBindings['outgoing']): string | null {
  const last = lastAnswers.get(socket)
  if ((last === undefined || last.writableEnded) && socket.writableLength <= MOST_UNREAD_BYTES) {
    lastAnswers.set(socket, outgoing)
    return null
  }
  return 'an earlier answer of this connection is not read yet: read it first, or use another connection'
}
