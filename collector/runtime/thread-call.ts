import { setPriority } from 'node:os'
import { performance } from 'node:perf_hooks'
import { platform } from 'node:process'
import { type MessagePort, parentPort, type ResourceLimits, Worker, workerData } from 'node:worker_threads'
import { isDamage } from './damage'
import { Slots } from './slots'
import { StoppingError } from './stopping'

/**
 * Calls across a thread boundary: the main thread opens no database, so everything that touches one is asked for here.
 * Errors cross by their message and name; they are a thread's own bugs or its disk's trouble. Calls that are made in one
 * turn of the event loop cross together, and so do their answers: a crossing costs more than most of what it asks for.
 */
interface Call {
  /** Whose answer it is; given anew once it was answered. */
  readonly id: number
  readonly method: string
  readonly args: readonly unknown[]
}

export type Answer =
  | { readonly id: number; readonly value: unknown }
  | { readonly id: number; readonly error: { readonly name: string; readonly message: string } }

/** What comes from a thread: answers, or news. */
type FromThread = readonly Answer[] | { readonly news: unknown }

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
 * What a thread makes and drops between two collections. V8's own 48 MB for each of four threads would be more than all
 * that they keep.
 */
const SMALL_YOUNG: ResourceLimits = { maxYoungGenerationSizeMb: 16 }

/**
 * Starts a thread. One that dies by itself is reported once, so that the process can end with it: half a collector
 * must not stay up.
 */
export function startThread(options: {
  readonly entry: URL
  readonly data: object | null
  /** What it needs: it is started at once, and goes on when this is there. Most of its start is to read its code. */
  readonly after?: Promise<unknown> | undefined
  readonly limits?: ResourceLimits
  readonly onNews?: (news: unknown) => void
  readonly onDeath: (error: Error) => void
}): ThreadHandle {
  const turn = options.after === undefined ? null : new Int32Array(new SharedArrayBuffer(4))
  const worker = new Worker(options.entry, {
    workerData: { ...options.data, turn },
    resourceLimits: options.limits ?? SMALL_YOUNG,
  })
  const begin = (): void => {
    if (turn === null) return
    Atomics.store(turn, 0, 1)
    Atomics.notify(turn, 0)
  }
  // What it needs and does not get is told by whoever failed.
  options.after?.then(begin, () => undefined)
  const open = new Slots<{ readonly resolve: (value: unknown) => void; readonly reject: (error: Error) => void }>()
  let waiting: Call[] = []
  let stopping = false

  const die = (error: Error): void => {
    for (const { reject } of open.all()) reject(error)
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
  const settle = (answer: Answer): void => {
    const call = open.remove(answer.id)
    // A damaged file must not be written to, and what a query finds the next commit would find too.
    if ('error' in answer && isDamage(answer.error)) die(new Error(answer.error.message))
    if ('error' in answer) call?.reject(Object.assign(new Error(answer.error.message), { name: answer.error.name }))
    else call?.resolve(answer.value)
  }
  worker.on('message', (message: FromThread) => {
    if ('news' in message) options.onNews?.(message.news)
    else for (const answer of message) settle(answer)
  })
  const cross = (): void => {
    const calls = waiting
    waiting = []
    try {
      worker.postMessage(calls)
    } catch (error) {
      for (const call of calls) sendAlone(call, error)
    }
  }
  /** What cannot be cloned fails alone. */
  const sendAlone = (call: Call, error: unknown): void => {
    try {
      worker.postMessage([call])
    } catch {
      open.remove(call.id)?.reject(error instanceof Error ? error : new Error(String(error)))
    }
  }
  const send = (call: Call): void => {
    waiting.push(call)
    if (waiting.length === 1) setImmediate(cross)
  }

  return {
    call: <Value>(method: string, ...args: readonly unknown[]): Promise<Value> =>
      new Promise<Value>((resolve, reject) => {
        if (stopping) return reject(new StoppingError())
        const id = open.add({ resolve: resolve as (value: unknown) => void, reject })
        send({ id, method, args })
      }),
    stop: async () => {
      stopping = true
      const ended = new Promise<void>((resolve) => worker.once('exit', () => resolve()))
      send({ id: UNANSWERED, method: 'stop', args: [] })
      await ended
    },
    kill: (reason) => {
      die(new Error(reason))
      void worker.terminate()
    },
  }
}

/** The number of a call that nobody waits for. */
const UNANSWERED = -1

/** Inside a thread: the port to whoever started it. */
export function threadPort(): MessagePort {
  if (parentPort === null)
    throw new TypeError('this file is a thread of the collector: it is started by collector/main')
  return parentPort
}

/** Inside a thread: waits until what it needs is there (`after`). */
export function awaitTurn(): void {
  const { turn } = workerData as { readonly turn: Int32Array | null }
  if (turn !== null) Atomics.wait(turn, 0, 0)
}

/**
 * Inside a thread: lets others go first. On Linux a priority belongs to a thread, elsewhere to the whole process.
 * @param nice 1 to 19, the most patient.
 */
export function giveWay(nice: number): void {
  if (platform === 'linux') setPriority(0, nice)
}

/** Whoever is answered does not wait longer than this for who was asked after. */
const HELD_BACK_MS = 2

/** Inside a thread: answers calls one by one, in order. `stop` runs `onStop` and ends the thread. */
export function answerCalls(port: MessagePort, methods: Methods, onStop: () => void): void {
  port.on('message', (calls: readonly Call[]) => {
    let answers: Answer[] = []
    let since = performance.now()
    for (const call of calls) {
      if (call.method === 'stop') {
        giveAnswers(port, answers)
        onStop()
        port.close()
        return
      }
      answers.push(answer(call, methods))
      if (performance.now() - since < HELD_BACK_MS) continue
      giveAnswers(port, answers)
      answers = []
      since = performance.now()
    }
    giveAnswers(port, answers)
  })
}

const handedOver = new WeakMap<object, readonly ArrayBuffer[]>()

/** Inside a thread: a value as it is, whose memory goes to the caller instead of being copied. Here it is empty from then on. */
export function handOver<Value extends object>(value: Value, memory: readonly ArrayBuffer[]): Value {
  handedOver.set(value, memory)
  return value
}

const memoryOf = (answer: Answer): readonly ArrayBuffer[] => {
  const value = 'value' in answer ? answer.value : null
  return typeof value === 'object' && value !== null ? (handedOver.get(value) ?? []) : []
}

/** Inside a thread: gives answers together. */
export function giveAnswers(port: MessagePort, answers: readonly Answer[]): void {
  if (answers.length === 0) return
  try {
    port.postMessage(answers, answers.flatMap(memoryOf))
  } catch (error) {
    // What cannot be cloned must not leave its caller waiting, nor any other's.
    const [only, ...others] = answers
    if (others.length > 0) for (const one of answers) giveAnswers(port, [one])
    else if (only !== undefined) port.postMessage([{ id: only.id, error: plain(error) }])
  }
}

/** Inside a thread: one call's answer; an error becomes part of it. */
export function answer(call: Call, methods: Methods): Answer {
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
