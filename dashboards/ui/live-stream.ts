import { parseJournalMessage } from '../../lib/wire/collector-client'
import type { JournalFact } from '../../lib/wire/journal'

/** `live` facts come as they happen · `reconnecting` the stream broke · `unreachable` it could not be opened again. */
export type Connection = 'connecting' | 'live' | 'reconnecting' | 'unreachable'

export interface StreamSource {
  readonly readyState: number
  readonly addEventListener: (type: string, listener: (event: MessageEvent<string>) => void) => void
  readonly close: () => void
}

export interface StreamListener {
  readonly onConnection: (connection: Connection) => void
  readonly onFact: (fact: JournalFact) => void
  /** What is shown may be out of date in ways the facts do not tell: read again. */
  readonly onStale: () => void
}

/** Three beats of the stream, which beats each 5 s. */
const SILENCE_MS = 15_000
const RETRY_MS = [500, 1000, 2000, 5000] as const

/**
 * Follows the live stream until stopped. An EventSource reconnects by itself after a broken connection, but gives up
 * for good on an answer that is not 200 (the app's pass-through answers 502 while the collector is away), and never
 * notices a connection that went silent: so every failure opens a new one, and everything is read again once it is open.
 */
export function followStream(open: () => StreamSource, listener: StreamListener, timers: Timers): () => void {
  let source: StreamSource | null = null
  let timer: number | null = null
  let failures = 0
  let opened = false

  const arm = (run: () => void, ms: number): void => {
    if (timer !== null) timers.clear(timer)
    timer = timers.set(run, ms)
  }
  const heard = (): void => arm(fail, SILENCE_MS)
  const fail = (): void => {
    source?.close()
    source = null
    failures += 1
    listener.onConnection(failures === 1 && opened ? 'reconnecting' : 'unreachable')
    arm(connect, RETRY_MS[Math.min(failures, RETRY_MS.length) - 1] ?? 5000)
  }
  const connect = (): void => {
    const mine = open()
    source = mine
    const whenMine = (handle: (event: MessageEvent<string>) => void) => (event: MessageEvent<string>) => {
      if (source === mine) handle(event)
    }
    heard()
    mine.addEventListener(
      'open',
      whenMine(() => {
        heard()
        failures = 0
        opened = true
        listener.onConnection('live')
        listener.onStale()
      }),
    )
    mine.addEventListener('beat', whenMine(heard))
    mine.addEventListener(
      'reset',
      whenMine(() => {
        heard()
        listener.onStale()
      }),
    )
    mine.addEventListener(
      'journal',
      whenMine((event) => {
        heard()
        const fact = parseJournalMessage(event.data)
        if (fact !== null) listener.onFact(fact)
      }),
    )
    mine.addEventListener('error', whenMine(fail))
  }
  connect()
  return () => {
    if (timer !== null) timers.clear(timer)
    source?.close()
    source = null
  }
}

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
  /** Asks for one more run, soon. Many asks are one run. */
  readonly ask: () => void
  /** The same without a wait: what is wanted is another thing than what was read so far. */
  readonly askNow: () => void
  readonly stop: () => void
}

/**
 * At most one run in flight and four starts a second. A run that took long makes the next wait longer (three times as
 * long as it took), so that watching a big trace does not load the collector that is being watched.
 * @param run must not reject: what fails is its own to show.
 */
export function coalesce(run: () => Promise<void>, timers: Timers, gapMs = 250): Coalesced {
  let flying = false
  let wanted = false
  let isUrgent = false
  let stopped = false
  let timer: number | null = null
  let notBefore = Number.NEGATIVE_INFINITY

  const start = (): void => {
    timer = null
    wanted = false
    isUrgent = false
    flying = true
    const startedAt = timers.now()
    void run().finally(() => {
      flying = false
      const took = timers.now() - startedAt
      notBefore = startedAt + Math.max(gapMs, took * 4)
      if (wanted) plan()
    })
  }
  const plan = (): void => {
    if (stopped || timer !== null) return
    const wait = isUrgent ? 0 : notBefore - timers.now()
    if (wait <= 0) start()
    else timer = timers.set(start, wait)
  }
  const ask = (): void => {
    wanted = true
    if (!flying) plan()
  }
  return {
    ask,
    askNow: () => {
      if (timer !== null) timers.clear(timer)
      timer = null
      isUrgent = true
      ask()
    },
    stop: () => {
      stopped = true
      wanted = false
      if (timer !== null) timers.clear(timer)
      timer = null
    },
  }
}

/** `done` here, by whoever looks at this page: it is shown at once · `heard` of by a stream, one of perhaps many. */
export type Change = 'done' | 'heard'

const listeners = new Set<(change: Change) => void>()

/** These move what is waited for: an answer of upstream, what it decided, a dead letter that is sent, a script. */
const MOVE_DELIVERY: ReadonlySet<JournalFact['kind']> = new Set([
  'delivered',
  'decided',
  'pending',
  'cleared',
  'changed',
])

/** Tells those who follow no stream themselves what a board hears by its own. */
export function notifyFact({ kind }: Pick<JournalFact, 'kind'>): void {
  if (MOVE_DELIVERY.has(kind)) tell('heard')
}

/** Tells those who follow no stream that something was done here, by whoever looks. */
export const notifyDone = (): void => tell('done')

/** @returns what ends it. */
export function onChange(listener: (change: Change) => void): () => void {
  listeners.add(listener)
  return () => {
    listeners.delete(listener)
  }
}

function tell(change: Change): void {
  for (const listener of listeners) listener(change)
}
