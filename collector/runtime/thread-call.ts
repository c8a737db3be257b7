import { setPriority } from 'node:os'
import { performance } from 'node:perf_hooks'
import { platform } from 'node:process'
import { type MessagePort, parentPort, type ResourceLimits, Worker, workerData } from 'node:worker_threads'
import { Slots } from './slots'
import { codeOf, isDamage } from './sqlite-errors'
import { StoppingError } from './thread-errors'

/** An error as it crosses between threads: structured clone would drop the code of an error, and its class. */
export interface PlainError {
  readonly name: string
  readonly message: string
  readonly code: string | null
}

/**
 * The main thread opens no database: it calls a thread. Calls made in one turn of the event loop cross together, and so
 * do their answers, because a crossing costs more than most calls.
 */
interface Call {
  /** Reused once the call was answered. */
  readonly id: number
  readonly method: string
  readonly args: readonly unknown[]
}

export type CallResult =
  | { readonly id: number; readonly value: unknown }
  | { readonly id: number; readonly error: PlainError }

/** A message from a thread: answers to calls, or news that no call asked for. */
type FromThread = readonly CallResult[] | { readonly news: unknown }

/** The methods of a thread. Arguments and results must survive structured clone. */
export type Methods = { readonly [name: string]: (...args: never[]) => unknown }

/** The methods of a thread as its caller sees them. */
export type ThreadCalls<Of extends Methods> = {
  readonly [Name in keyof Of]: (...args: Parameters<Of[Name]>) => Promise<ReturnType<Of[Name]>>
}

/**
 * The methods of `own`, and beyond them every method of a thread, none of which has to be listed: each other property is a
 * function that calls the method of its name. Has no `then`, so that `await` does not take it for a promise.
 */
export function withCalls<Of extends Methods, Own extends object>(
  own: Own,
  call: (method: keyof Of & string, args: readonly unknown[]) => Promise<unknown>,
): Own & ThreadCalls<Of> {
  const made = new Map<string, (...args: readonly unknown[]) => Promise<unknown>>()
  return new Proxy(own as Own & ThreadCalls<Of>, {
    get: (target, method) => {
      if (typeof method !== 'string' || method === 'then' || Object.hasOwn(own, method))
        return Reflect.get(target, method)
      const known = made.get(method) ?? ((...args: readonly unknown[]) => call(method, args))
      made.set(method, known)
      return known
    },
  })
}

export interface ThreadHandle {
  readonly call: <Value>(method: string, ...args: readonly unknown[]) => Promise<Value>
  /** Ends the thread after the calls made so far. */
  readonly stop: () => Promise<void>
  /** Ends the thread at once; open calls are rejected with the reason. Resolves when its memory is free. */
  readonly kill: (reason: string) => Promise<void>
}

/** Limits V8's young generation: its default of 48 MB for each of four threads is more than all that they keep. */
const SMALL_YOUNG: ResourceLimits = { maxYoungGenerationSizeMb: 16 }

/** @param options.onDeath called once when the thread dies by itself. The process must end with it. */
export function startThread(options: {
  readonly entry: URL
  readonly data: object | null
  /** The thread loads its code at once and waits in `awaitTurn` until this resolves. */
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
  // A rejection is reported by the part that failed.
  options.after?.then(begin, () => undefined)
  const open = new Slots<{ readonly resolve: (value: unknown) => void; readonly reject: (error: Error) => void }>()
  let waiting: Call[] = []
  let stopping = false

  const die = (error: Error): void => {
    for (const { reject } of open.all()) reject(error)
    if (!stopping) options.onDeath(error)
    stopping = true
  }
  worker.on('error', (error) => die(fromPlainError(toPlainError(error))))
  worker.on('messageerror', (error) =>
    die(new Error(`an answer of a thread could not be read: ${toPlainError(error).message}`)),
  )
  worker.on('exit', (code) =>
    die(new Error(`the thread ${options.entry.pathname.split('/').at(-1)} ended with code ${code}`)),
  )
  const endCall = (answer: CallResult): void => {
    const call = open.remove(answer.id)
    if (!('error' in answer)) {
      call?.resolve(answer.value)
      return
    }
    const error = fromPlainError(answer.error)
    // A damaged file must not be written to: the collector stops, even when only a query found the damage.
    if (isDamage(error)) die(error)
    call?.reject(error)
  }
  worker.on('message', (message: FromThread) => {
    if ('news' in message) options.onNews?.(message.news)
    else for (const answer of message) endCall(answer)
  })
  const cross = (): void => {
    const calls = waiting
    waiting = []
    try {
      worker.postMessage(calls, calls.flatMap(memoryOfCall))
    } catch (error) {
      for (const call of calls) sendAlone(call, error)
    }
  }
  /** A call whose arguments cannot be cloned fails; the others of its turn are sent. */
  const sendAlone = (call: Call, error: unknown): void => {
    try {
      worker.postMessage([call], memoryOfCall(call))
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
    kill: async (reason) => {
      die(new Error(reason))
      await worker.terminate()
    },
  }
}

/** The id of a call whose answer nobody awaits. */
const UNANSWERED = -1

/** Inside a thread: the port to the thread that started it. */
export function threadPort(): MessagePort {
  if (parentPort === null)
    throw new TypeError('this file is a thread of the collector: it is started by collector/main')
  return parentPort
}

/** Inside a thread: blocks until `after` of `startThread` resolved. */
export function awaitTurn(): void {
  const { turn } = workerData as { readonly turn: Int32Array | null }
  if (turn !== null) Atomics.wait(turn, 0, 0)
}

/** Only on Linux, where a priority belongs to a thread; never in a thread for which intake waits. @param nice 1 to 19; 19 is the lowest priority. */
export function giveWay(nice: number): void {
  if (platform === 'linux') setPriority(0, nice)
}

/** An answer is sent at the latest this long after it is ready, even when more calls of its turn follow. */
const MAX_ANSWER_DELAY_MS = 2

/** Inside a thread: answers calls one by one, in order. `stop` runs `onStop` and ends the thread. */
export function answerCalls(port: MessagePort, methods: Methods, onStop: () => void): void {
  port.on('message', (calls: readonly Call[]) => {
    let answers: CallResult[] = []
    let since = performance.now()
    for (const call of calls) {
      if (call.method === 'stop') {
        sendAnswers(port, answers)
        onStop()
        port.close()
        return
      }
      answers.push(answer(call, methods))
      if (performance.now() - since < MAX_ANSWER_DELAY_MS) continue
      sendAnswers(port, answers)
      answers = []
      since = performance.now()
    }
    sendAnswers(port, answers)
  })
}

const transferred = new WeakMap<object, readonly ArrayBuffer[]>()

/** Marks an argument or a result whose memory moves to the other side instead of being copied; it is empty here afterwards. */
export function transfer<Value extends object>(value: Value, memory: readonly ArrayBuffer[]): Value {
  transferred.set(value, memory)
  return value
}

const memoryOf = (value: unknown): readonly ArrayBuffer[] =>
  typeof value === 'object' && value !== null ? (transferred.get(value) ?? []) : []
const memoryOfCall = ({ args }: Call): ArrayBuffer[] => args.flatMap(memoryOf)
const memoryOfAnswer = (answer: CallResult): readonly ArrayBuffer[] => ('value' in answer ? memoryOf(answer.value) : [])

export function sendAnswers(port: MessagePort, answers: readonly CallResult[]): void {
  if (answers.length === 0) return
  try {
    port.postMessage(answers, answers.flatMap(memoryOfAnswer))
  } catch (error) {
    // An answer that cannot be cloned becomes an error, and the others are sent.
    const [only, ...others] = answers
    if (others.length > 0) for (const one of answers) sendAnswers(port, [one])
    else if (only !== undefined) port.postMessage([{ id: only.id, error: toPlainError(error) }])
  }
}

export function answer(call: Call, methods: Methods): CallResult {
  try {
    return { id: call.id, value: invoke(call, methods) }
  } catch (error) {
    return { id: call.id, error: toPlainError(error) }
  }
}

export function invoke(call: Call, methods: Methods): unknown {
  const method = methods[call.method] as ((...args: readonly unknown[]) => unknown) | undefined
  if (method === undefined) throw new TypeError(`this thread has no method ${call.method}`)
  return method(...call.args)
}

export function toPlainError(error: unknown): PlainError {
  const code = codeOf(error)
  if (error instanceof Error) return { name: error.name, message: error.message, code }
  // An uncaught SqliteError arrives as an object that has only its code.
  return { name: 'Error', message: code ?? String(error), code }
}

/** The error that crossed, to be thrown on this side: an `Error` with the name and the code of the original. */
export function fromPlainError({ name, message, code }: PlainError): Error {
  return Object.assign(new Error(message), { name }, code === null ? {} : { code })
}

export type { Call }
