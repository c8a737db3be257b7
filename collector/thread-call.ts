import { type MessagePort, parentPort, type ResourceLimits, Worker } from 'node:worker_threads'
import { isDamage } from './damage'

/**
 * Calls across a thread boundary: the main thread opens no database, so everything that touches one is asked for here.
 * Errors cross by their message and name; they are a thread's own bugs or its disk's trouble.
 */
interface Call {
  readonly id: number
  readonly method: string
  readonly args: readonly unknown[]
}

export type Answer =
  | { readonly id: number; readonly value: unknown }
  | { readonly id: number; readonly error: { readonly name: string; readonly message: string } }

interface News {
  readonly news: unknown
}

/** The methods of a thread: what crosses must survive structured clone. */
export type Methods = { readonly [name: string]: (...args: never[]) => unknown }

export interface ThreadHandle {
  readonly call: <Value>(method: string, ...args: readonly unknown[]) => Promise<Value>
  /** Ends the thread after what it was asked so far. */
  readonly stop: () => Promise<void>
  /** Ends the thread in the middle of whatever it does; open calls are rejected with the reason. */
  readonly kill: (reason: string) => void
}

/**
 * Starts a thread. One that dies by itself is reported once, so that the process can end with it: half a collector
 * must not stay up.
 */
export function startThread(options: {
  readonly entry: URL
  readonly data: unknown
  readonly limits?: ResourceLimits
  readonly onNews?: (news: unknown) => void
  readonly onDeath: (error: Error) => void
}): ThreadHandle {
  const worker = new Worker(options.entry, { workerData: options.data, resourceLimits: options.limits ?? {} })
  const open = new Map<number, { resolve: (value: unknown) => void; reject: (error: Error) => void }>()
  let lastId = 0
  let stopping = false

  const die = (error: Error): void => {
    for (const { reject } of open.values()) reject(error)
    open.clear()
    if (!stopping) options.onDeath(error)
    stopping = true
  }
  worker.on('error', (error) => die(new Error(plain(error).message)))
  worker.on('messageerror', (error) =>
    die(new Error(`an answer of a thread could not be read: ${plain(error).message}`)),
  )
  worker.on('exit', (code) =>
    die(new Error(`the thread ${options.entry.pathname.split('/').at(-1)} ended with code ${code}`)),
  )
  worker.on('message', (message: Answer | News) => {
    if ('news' in message) return options.onNews?.(message.news)
    const call = open.get(message.id)
    open.delete(message.id)
    // A damaged file must not be written to, and what a query finds the next commit would find too.
    if ('error' in message && isDamage(message.error)) die(new Error(message.error.message))
    if ('error' in message) call?.reject(Object.assign(new Error(message.error.message), { name: message.error.name }))
    else call?.resolve(message.value)
  })

  return {
    call: <Value>(method: string, ...args: readonly unknown[]): Promise<Value> =>
      new Promise<Value>((resolve, reject) => {
        if (stopping) return reject(new StoppingError())
        lastId += 1
        open.set(lastId, { resolve: resolve as (value: unknown) => void, reject })
        worker.postMessage({ id: lastId, method, args } satisfies Call)
      }),
    stop: async () => {
      stopping = true
      const ended = new Promise<void>((resolve) => worker.once('exit', () => resolve()))
      worker.postMessage({ id: 0, method: 'stop', args: [] } satisfies Call)
      await ended
    },
    kill: (reason) => {
      die(new Error(reason))
      void worker.terminate()
    },
  }
}

/** A thread was asked for something after it was asked to stop: nothing has failed, there is only nobody left to do it. */
export class StoppingError extends Error {
  constructor() {
    super('the collector is stopping')
    this.name = 'StoppingError'
  }
}

/** Inside a thread: the port to whoever started it. */
export function threadPort(): MessagePort {
  if (parentPort === null)
    throw new TypeError('this file is a thread of the collector: it is started by collector/main')
  return parentPort
}

/** Inside a thread: answers calls one by one, in order. `stop` runs `onStop` and ends the thread. */
export function answerCalls(port: MessagePort, methods: Methods, onStop: () => void): void {
  port.on('message', (call: Call) => {
    if (call.method === 'stop') {
      onStop()
      port.close()
      return
    }
    const given = answer(call, methods)
    try {
      port.postMessage(given)
    } catch (error) {
      // What cannot be cloned must not leave its caller waiting.
      port.postMessage({ id: call.id, error: plain(error) })
    }
  })
}

/** One call's answer; an error becomes part of it. */
function answer(call: Call, methods: Methods): Answer {
  try {
    return { id: call.id, value: invoke(call, methods) }
  } catch (error) {
    return { id: call.id, error: plain(error) }
  }
}

/** Runs the method that a call names, and lets its error through. */
export function invoke(call: Call, methods: Methods): unknown {
  const method = methods[call.method] as ((...args: readonly unknown[]) => unknown) | undefined
  if (method === undefined) throw new TypeError(`this thread has no method ${call.method}`)
  return method(...call.args)
}

export function plain(error: unknown): { name: string; message: string } {
  if (error instanceof Error) return { name: error.name, message: error.message }
  // The error that ended a thread arrives without its message when its class is a library's own; its code remains.
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : error
  return { name: 'Error', message: String(code) }
}

export type { Call }
