import { parseJournalMessage } from '../../lib/wire/collector-client'
import type { JournalFact } from '../../lib/wire/journal'
import type { Timers } from './coalesce'

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
