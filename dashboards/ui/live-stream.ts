import { isObject } from '../../lib/protocol/json-value'
import type { JournalFact } from '../../lib/wire/journal'

/** `live`: facts arrive as they happen. `reconnecting`: the stream broke. `unreachable`: it could not be opened again. */
export type Connection = 'connecting' | 'live' | 'reconnecting' | 'unreachable'

interface StreamSource {
  readonly readyState: number
  readonly addEventListener: (type: string, listener: (event: MessageEvent<string>) => void) => void
  readonly close: () => void
}

export interface StreamListener {
  /** @param retryInMs until the stream is opened again; `null` while it is open or opening */
  readonly onConnection: (connection: Connection, retryInMs: number | null) => void
  readonly onFact: (fact: JournalFact) => void
  /** Facts may have been missed: read everything again. */
  readonly onStale: () => void
}

/** Three heartbeats; the stream sends one every 5 s. */
const SILENCE_MS = 15_000
const RETRY_MS = [500, 1000, 2000, 5000] as const

/** Follows the stream; returns a function that stops it. EventSource gives up on a 502 and does not notice silence. */
export function followStream(open: () => StreamSource, listener: StreamListener, timers: Timers): () => void {
  let source: StreamSource | null = null
  let timer: number | null = null
  let failures = 0
  let opened = false

  const arm = (run: () => void, ms: number): void => {
    if (timer !== null) timers.clear(timer)
    timer = timers.set(run, ms)
  }
  const onActivity = (): void => arm(fail, SILENCE_MS)
  const fail = (): void => {
    source?.close()
    source = null
    failures += 1
    const retryInMs = RETRY_MS[Math.min(failures, RETRY_MS.length) - 1] ?? 5000
    listener.onConnection(failures === 1 && opened ? 'reconnecting' : 'unreachable', retryInMs)
    arm(connect, retryInMs)
  }
  const connect = (): void => {
    const current = open()
    source = current
    const whenCurrent = (handle: (event: MessageEvent<string>) => void) => (event: MessageEvent<string>) => {
      if (source === current) handle(event)
    }
    onActivity()
    current.addEventListener(
      'open',
      whenCurrent(() => {
        onActivity()
        failures = 0
        opened = true
        listener.onConnection('live', null)
        listener.onStale()
      }),
    )
    current.addEventListener('beat', whenCurrent(onActivity))
    current.addEventListener(
      'reset',
      whenCurrent(() => {
        onActivity()
        listener.onStale()
      }),
    )
    current.addEventListener(
      'journal',
      whenCurrent((event) => {
        onActivity()
        const fact: unknown = JSON.parse(event.data)
        if (isFact(fact)) listener.onFact(fact)
      }),
    )
    current.addEventListener('error', whenCurrent(fail))
  }
  connect()
  return () => {
    if (timer !== null) timers.clear(timer)
    source?.close()
    source = null
  }
}

/**
 * Shares one stream between all readers of a page: browsers open six connections per origin, and each copy of a fact costs
 * time. A reader that joins an open stream learns its state at once.
 * @param open opens the stream; returns a function that closes it
 */
export function shareStream(open: (listener: StreamListener) => () => void): (listener: StreamListener) => () => void {
  const listeners = new Set<StreamListener>()
  let close: (() => void) | null = null
  let state: Parameters<StreamListener['onConnection']> | null = null
  const shared: StreamListener = {
    onConnection: (...given) => {
      state = given
      for (const { onConnection } of listeners) onConnection(...given)
    },
    onFact: (fact) => {
      for (const { onFact } of listeners) onFact(fact)
    },
    onStale: () => {
      for (const { onStale } of listeners) onStale()
    },
  }
  return (listener) => {
    listeners.add(listener)
    if (close === null) close = open(shared)
    else if (state !== null) listener.onConnection(...state)
    return () => {
      listeners.delete(listener)
      if (listeners.size > 0) return
      close?.()
      close = null
      state = null
    }
  }
}

/** Trusts the fields of a fact: they have the version of the answers that the page reads. */
const isFact = (value: unknown): value is JournalFact => isObject(value) && typeof value.kind === 'string'

export interface Timers {
  readonly now: () => number
  readonly set: (run: () => void, ms: number) => number
  readonly clear: (id: number) => void
}

export const browserTimers: Timers = {
  now: () => performance.now(),
  set: (run, ms) => window.setTimeout(run, ms),
  clear: (id) => window.clearTimeout(id),
}

export interface Coalesced {
  /** Requests one more run. Requests before it starts are combined. */
  readonly request: () => void
  /** The same without waiting, for when something else is to be read than before. */
  readonly requestNow: () => void
  readonly stop: () => void
}

/** Runs at most four times a second, one at a time, and pauses three times as long as a run. `run` must not reject. */
export function coalesce(run: () => Promise<void>, timers: Timers, gapMs = 250): Coalesced {
  let running = false
  let requested = false
  let isUrgent = false
  let stopped = false
  let timer: number | null = null
  let notBefore = Number.NEGATIVE_INFINITY

  const start = (): void => {
    timer = null
    requested = false
    isUrgent = false
    running = true
    const startedAt = timers.now()
    void run().finally(() => {
      running = false
      const took = timers.now() - startedAt
      notBefore = startedAt + Math.max(gapMs, took * 4)
      if (requested) plan()
    })
  }
  const plan = (): void => {
    if (stopped || timer !== null) return
    const wait = isUrgent ? 0 : notBefore - timers.now()
    if (wait <= 0) start()
    else timer = timers.set(start, wait)
  }
  const request = (): void => {
    requested = true
    if (!running) plan()
  }
  return {
    request,
    requestNow: () => {
      if (timer !== null) timers.clear(timer)
      timer = null
      isUrgent = true
      request()
    },
    stop: () => {
      stopped = true
      requested = false
      if (timer !== null) timers.clear(timer)
      timer = null
    },
  }
}

/** `local`: an action on this page, to be shown at once. `stream`: a fact of the live stream, one of perhaps many. */
export type Change = 'local' | 'stream'

const listeners = new Set<(change: Change) => void>()

/** Facts that can change the status banner. */
const DELIVERY_FACTS: ReadonlySet<JournalFact['kind']> = new Set([
  'delivered',
  'decided',
  'pending',
  'cleared',
  'changed',
])

/** Notifies components without a stream of a fact that a board received. */
export function notifyFact({ kind }: Pick<JournalFact, 'kind'>): void {
  if (DELIVERY_FACTS.has(kind)) notify('stream')
}

/** Notifies components without a stream of an action on this page. */
export const notifyDone = (): void => notify('local')

/** @returns a function that removes the listener */
export function onChange(listener: (change: Change) => void): () => void {
  listeners.add(listener)
  return () => {
    listeners.delete(listener)
  }
}

function notify(change: Change): void {
  for (const listener of listeners) listener(change)
}
