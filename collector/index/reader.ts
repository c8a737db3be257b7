import type { ReadLimits } from '../../lib/protocol/items/signal'
import { SpoolDamagedError } from '../runtime/sqlite-errors'
import { startThread } from '../runtime/thread-call'
import { IndexDamagedError } from './index-damage'
import type { ReaderMethods } from './reader-thread'

type Reads = Exclude<keyof ReaderMethods, 'ready' | 'pause' | 'resume'>

/** The queries of a reader thread, as promises. A query that takes long never delays an answer to an SDK. */
export type Reader = {
  readonly [Name in Reads]: (...args: Parameters<ReaderMethods[Name]>) => Promise<ReturnType<ReaderMethods[Name]>>
} & {
  /** Closes the index after the running query; new queries wait until `resume`. */
  readonly pause: () => Promise<void>
  readonly resume: () => Promise<void>
  readonly close: () => Promise<void>
}

const NAMES = [
  'traces',
  'segments',
  'segment',
  'openTrace',
  'nextOfTrace',
  'closeTrace',
  'spans',
  'span',
  'events',
  'event',
  'breadcrumbs',
  'trail',
  'signals',
  'signal',
  'signalsOfTrace',
  'signalCounts',
  'envelopes',
  'envelope',
  'record',
  'deliveries',
  'delivery',
  'outcomes',
  'outcomesOf',
  'losses',
  'deadLetters',
  'deadSeqs',
  'deadItems',
  'journal',
  'head',
  'items',
  'recorded',
  'newestRecorded',
  'totals',
  'limits',
  'limitHistory',
  'unreported',
  'setting',
  'pending',
  'countPending',
  'stranded',
] as const satisfies readonly Reads[]

export function startReader(options: {
  readonly folder: string
  readonly after: Promise<unknown>
  /** The limits of the digest, so that both read the same part of a payload. */
  readonly sizeLimits: ReadLimits
  /** Called when a query found damage in the index. */
  readonly onIndexDamaged: (why: string) => void
  /** Called when a query met a damaged page of the record. */
  readonly onSpoolDamaged: () => void
  readonly onDeath: (error: Error) => void
  /** Runs a query of a request in its turn. */
  readonly takeTurn?: <Value>(read: () => Promise<Value>) => Promise<Value>
}): Reader {
  const thread = startThread({
    entry: new URL('./reader-thread.js', import.meta.url),
    data: { folder: options.folder, sizeLimits: options.sizeLimits },
    after: options.after,
    onDeath: options.onDeath,
  })
  let paused: Promise<void> | null = null
  let release: () => void = () => undefined
  const query = async (name: Reads, args: readonly unknown[]): Promise<unknown> => {
    // Checked right before the call: a second pause may have started while this query waited for the first.
    while (paused !== null) await paused
    try {
      return await thread.call(name, ...args)
    } catch (error) {
      if (error instanceof Error && error.name === IndexDamagedError.NAME) options.onIndexDamaged(error.message)
      if (error instanceof Error && error.name === SpoolDamagedError.NAME) options.onSpoolDamaged()
      throw error
    }
  }
  const { takeTurn = (read) => read() } = options
  const calls = Object.fromEntries(
    NAMES.map((name) => [
      name,
      // Reading a trace goes on, and ends, without a turn: their number is limited.
      name === 'nextOfTrace' || name === 'closeTrace'
        ? (...args: readonly unknown[]) => query(name, args)
        : (...args: readonly unknown[]) => takeTurn(() => query(name, args)),
    ]),
  ) as Omit<Reader, 'pause' | 'resume' | 'close'>
  return {
    ...calls,
    pause: async () => {
      paused = new Promise((resolve) => {
        release = resolve
      })
      await thread.call('pause')
    },
    resume: async () => {
      await thread.call('resume')
      paused = null
      release()
    },
    close: () => thread.stop(),
  }
}

/** Pauses the readers while the index file is replaced. */
interface ReaderPause {
  /** Call once with all readers: a replacement must not happen while any of them has the file open. */
  readonly started: (readers: readonly Reader[]) => void
  /** Runs `replace` while no reader has the file open. Waits for `started` first. */
  readonly without: (replace: () => Promise<void>) => Promise<void>
}

export function createReaderPause(): ReaderPause {
  let started: (readers: readonly Reader[]) => void = () => undefined
  const all = new Promise<readonly Reader[]>((resolve) => {
    started = resolve
  })
  return {
    started: (readers) => started(readers),
    without: async (replace) => {
      const readers = await all
      await Promise.all(readers.map((one) => one.pause()))
      await replace()
      await Promise.all(readers.map((one) => one.resume()))
    },
  }
}
