import type { ReadLimits } from '../../lib/protocol/items/signal'
import type { FileUse, Rebuild, Redigest } from '../../lib/wire/storage'
import { startThread } from '../runtime/thread-call'
import type { Batch } from './digest-batch'
import type { DigestState } from './digest-state'

/** What the thread tells, each in its own message or together. */
export interface DigestNews {
  readonly state?: DigestState
  /** What came into the rows that are served. */
  readonly batch?: Batch
  /** Why rows cannot be written just now; `null` when they can. */
  readonly stuck?: string | null
  /** A sentence for people. */
  readonly says?: string
  /** New rows wait for the old ones to be let go. */
  readonly switchable?: true
}

/** The digester as the main thread knows it: told that the spool grew, it tells how far the rows go. */
export interface Digester {
  readonly wake: () => void
  /** Why rows cannot be written, or not be trusted, just now; it goes on by itself. `null` when all is well. */
  readonly stuck: () => string | null
  /**
   * Takes away all rows of these records; resolves when that is written. Records that are not digested yet never will
   * be. Erasing twice is erasing once.
   */
  readonly erase: (seqs: readonly number[]) => Promise<void>
  /** Every record up to this one has its rows, or needs none. It goes back when damaged rows are made anew. */
  readonly cursor: () => number
  /** Bytes of all files of rows: two while rows are made anew. */
  readonly usage: () => FileUse
  /** A rebuild under way; `null` when none is. */
  readonly progress: () => Rebuild | null
  /** Finished by this process; `null` when there was none. */
  readonly lastRebuilt: () => Redigest['last']
  /**
   * Begins to make all rows anew from the record; nothing when that is under way. Resolves when it has begun.
   * @param beside there is room for the old rows beside the new ones. If not, they go first.
   */
  readonly rebuild: (beside: boolean) => Promise<void>
  /** Somebody read damage in the rows. */
  readonly damaged: (why: string) => void
  /** The readers are about to go: rows are not exchanged any more. */
  readonly quiesce: () => void
  readonly close: () => Promise<void>
}

const EMPTY: DigestState = {
  cursor: 0,
  done: 0,
  begunAt: 0,
  usage: { used: 0, file: 0, wal: 0 },
  progress: null,
  damage: null,
}

/** Starts the digest in a thread of its own; it goes on where its cursor stands. */
export async function startDigester(options: {
  readonly folder: string
  /** The record is there. */
  readonly after: Promise<unknown>
  readonly limits: ReadLimits
  /** One cell: 1 while intake has its hands full and the digest gives way. */
  readonly intake: Int32Array
  readonly onBatch: (batch: Batch & { readonly upTo: number }) => void
  readonly say: (sentence: string) => void
  /** Runs the exchange of the rows' file while nobody of this process reads it. */
  readonly withoutReaders: (exchange: () => Promise<void>) => Promise<void>
  readonly now: () => number
  readonly onDeath: (error: Error) => void
}): Promise<Digester> {
  const { say, onDeath } = options
  let refusedFor: string | null = null
  let closed = false
  // What is asked of threads that are being ended is refused, and that is nobody's death. A call that fails before means
  // a thread that dies.
  const dieUnlessClosed = (error: Error): void => {
    if (!closed) onDeath(error)
  }
  let stuck: string | null = null
  let state = EMPTY
  let last: Redigest['last'] = null
  const note = (told: DigestState): void => {
    // Rows that are not as young as the rebuild are not its: it was given up.
    if (state.progress !== null && told.progress === null && told.begunAt >= state.progress.startedAt)
      last = { done: told.done, startedAt: state.progress.startedAt, endedAt: options.now() }
    state = told
  }
  const exchange = async (): Promise<void> => {
    const why = await thread.call<string | null>('switchOver')
    // It is tried each second, and said once.
    if (why !== null && why !== refusedFor)
      say(`the new rows cannot take the position of the old ones: ${why}; it is tried until it can be done`)
    refusedFor = why
  }
  const thread = startThread({
    entry: new URL('./digest-thread.js', import.meta.url),
    data: { folder: options.folder, limits: options.limits, intake: options.intake },
    after: options.after,
    onNews: (news) => {
      const told = news as DigestNews
      if (told.says !== undefined) say(told.says)
      if (told.stuck !== undefined) stuck = told.stuck
      if (told.state !== undefined) note(told.state)
      const upTo = told.batch?.upTo ?? null
      if (told.batch !== undefined && upTo !== null) options.onBatch({ ...told.batch, upTo })
      if (told.switchable && !closed) options.withoutReaders(exchange).catch(dieUnlessClosed)
    },
    onDeath,
  })
  await thread.call('ready')
  const wake = (): void => void thread.call('wake').catch(dieUnlessClosed)
  wake()
  return {
    wake,
    stuck: () => stuck ?? (state.damage === null ? null : `telemetry.db is damaged (${state.damage})`),
    erase: (seqs) => thread.call('erase', seqs),
    cursor: () => state.cursor,
    usage: () => state.usage,
    progress: () => state.progress,
    lastRebuilt: () => last,
    rebuild: (beside) => thread.call('rebuild', beside),
    damaged: (why) => void thread.call('damaged', why).catch(dieUnlessClosed),
    quiesce: () => {
      closed = true
    },
    close: () => {
      closed = true
      return thread.stop()
    },
  }
}
