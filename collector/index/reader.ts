import type { ReadLimits } from '../../lib/protocol/items/signal'
import { startThread } from '../runtime/thread-call'
import { IndexDamagedError } from './index-damage'
import type { ReaderMethods } from './reader-thread'

type Reads = Exclude<keyof ReaderMethods, 'ready' | 'pause' | 'resume'>

/** The reads, as promises: each runs in a reader thread, so that nothing a person looks at delays an answer to an SDK. */
export type Reader = {
  readonly [Name in Reads]: (...args: Parameters<ReaderMethods[Name]>) => Promise<ReturnType<ReaderMethods[Name]>>
} & {
  /** Lets go of the rows' file once what was asked is answered; what is asked meanwhile waits. */
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

/** Starts a reader in a thread of its own. What it is asked first waits until it is there. */
export function startReader(options: {
  readonly folder: string
  /** Record and rows are there. */
  readonly after: Promise<unknown>
  /** How much of an event is read: as much as the digest read. */
  readonly limits: ReadLimits
  /** The rows are damaged: whoever makes them has to make them again. */
  readonly onRowsDamaged: (why: string) => void
  readonly onDeath: (error: Error) => void
}): Reader {
  const thread = startThread({
    entry: new URL('./reader-thread.js', import.meta.url),
    data: { folder: options.folder, limits: options.limits },
    after: options.after,
    onDeath: options.onDeath,
  })
  let paused: Promise<void> | null = null
  let letOn: () => void = () => undefined
  const ask = async (name: Reads, args: readonly unknown[]): Promise<unknown> => {
    // Looked at in the very turn in which the call goes out: one that waited behind a pause would find nothing open.
    while (paused !== null) await paused
    try {
      return await thread.call(name, ...args)
    } catch (error) {
      if (error instanceof Error && error.name === IndexDamagedError.NAME) options.onRowsDamaged(error.message)
      throw error
    }
  }
  const calls = Object.fromEntries(
    NAMES.map((name) => [name, (...args: readonly unknown[]) => ask(name, args)]),
  ) as Omit<Reader, 'pause' | 'resume' | 'close'>
  return {
    ...calls,
    pause: async () => {
      paused = new Promise((resolve) => {
        letOn = resolve
      })
      await thread.call('pause')
    },
    resume: async () => {
      await thread.call('resume')
      paused = null
      letOn()
    },
    close: () => thread.stop(),
  }
}

/** Holds the readers back while the file that they read is exchanged. */
export interface ReaderPause {
  /** Who they are: all, or an exchange would happen under one of them. */
  readonly started: (readers: readonly Reader[]) => void
  /** Runs it while none of them reads, and none has the file open. Before they are started it waits for that. */
  readonly without: (exchange: () => Promise<void>) => Promise<void>
}

export function createReaderPause(): ReaderPause {
  let started: (readers: readonly Reader[]) => void = () => undefined
  const all = new Promise<readonly Reader[]>((resolve) => {
    started = resolve
  })
  return {
    started: (readers) => started(readers),
    without: async (exchange) => {
      const readers = await all
      await Promise.all(readers.map((one) => one.pause()))
      await exchange()
      await Promise.all(readers.map((one) => one.resume()))
    },
  }
}
