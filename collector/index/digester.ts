import type { ReadLimits } from '../../lib/protocol/items/signal'
import type { FileUse, Rebuild, Redigest } from '../../lib/wire/storage'
import { DatabaseDamagedError } from '../runtime/sqlite-errors'
import { type PlainError, startThread, toPlainError } from '../runtime/thread-call'
import type { DigestState } from './digest'
import type { Batch } from './digest-batch'

export interface DigestNews {
  readonly state?: DigestState
  readonly batch?: Batch
  /** Why the index cannot be written at the moment; `null` when it can. */
  readonly stuck?: PlainError | null
  readonly log?: string
  /** The rebuilt index is ready: stop the readers and call `switchOver`. */
  readonly switchable?: true
}

interface Digester {
  readonly wake: () => void
  /** Why the index cannot be written or is damaged; `null` when all is well. The digest retries on its own. */
  readonly stuck: () => PlainError | null
  /** Resolves when the rows are erased. Records that are not digested yet never will be. */
  readonly erase: (seqs: readonly number[]) => Promise<void>
  /** Every record up to this one is digested or evicted. Goes back when a damaged index is rebuilt. */
  readonly cursor: () => number
  readonly usage: () => FileUse
  readonly progress: () => Rebuild | null
  readonly lastRebuilt: () => Redigest['last']
  /** Resolves when the rebuild has started. @param keepOld as in `Digest.rebuild`. */
  readonly rebuild: (keepOld: boolean) => Promise<void>
  readonly damaged: (why: string) => void
  /** Call before the readers stop: the index is not replaced any more. */
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

/** Starts the digest in its own thread; it continues at its cursor. */
export async function startDigester(options: {
  readonly folder: string
  readonly after: Promise<unknown>
  readonly sizeLimits: ReadLimits
  /** One cell: 1 while intake is busy and the digest has to yield. */
  readonly intake: Int32Array
  readonly onBatch: (batch: Batch & { readonly upTo: number }) => void
  readonly log: (message: string) => void
  /** Runs the replacement of the index file while no reader of this process has it open. */
  readonly withoutReaders: (replace: () => Promise<void>) => Promise<void>
  readonly now: () => number
  readonly onDeath: (error: Error) => void
}): Promise<Digester> {
  const { log, onDeath } = options
  let loggedReason: string | null = null
  let closed = false
  // A stopping thread rejects calls. A call that fails earlier means that the thread died.
  const dieUnlessClosed = (error: Error): void => {
    if (!closed) onDeath(error)
  }
  let stuck: PlainError | null = null
  let state = EMPTY
  let last: Redigest['last'] = null
  const update = (next: DigestState): void => {
    // A served index that is older than the rebuild is not its result: the rebuild was given up.
    if (state.progress !== null && next.progress === null && next.begunAt >= state.progress.startedAt)
      last = { done: next.done, startedAt: state.progress.startedAt, endedAt: options.now() }
    state = next
  }
  const switchOver = async (): Promise<void> => {
    const why = await thread.call<string | null>('switchOver')
    // The switch is retried each second; each reason is logged once.
    if (why !== null && why !== loggedReason)
      log(`the rebuilt index cannot replace the old one: ${why}. Waystation retries each second`)
    loggedReason = why
  }
  const thread = startThread({
    entry: new URL('./digest-thread.js', import.meta.url),
    data: { folder: options.folder, sizeLimits: options.sizeLimits, intake: options.intake },
    after: options.after,
    onNews: (message) => {
      const news = message as DigestNews
      if (news.log !== undefined) log(news.log)
      if (news.stuck !== undefined) stuck = news.stuck
      if (news.state !== undefined) update(news.state)
      const upTo = news.batch?.upTo ?? null
      if (news.batch !== undefined && upTo !== null) options.onBatch({ ...news.batch, upTo })
      if (news.switchable && !closed) options.withoutReaders(switchOver).catch(dieUnlessClosed)
    },
    onDeath,
  })
  await thread.call('ready')
  const wake = (): void => void thread.call('wake').catch(dieUnlessClosed)
  wake()
  return {
    wake,
    stuck: () =>
      stuck ??
      (state.damage === null
        ? null
        : toPlainError(new DatabaseDamagedError(`telemetry.db is damaged (${state.damage})`))),
    erase: (seqs) => thread.call('erase', seqs),
    cursor: () => state.cursor,
    usage: () => state.usage,
    progress: () => state.progress,
    lastRebuilt: () => last,
    rebuild: (keepOld) => thread.call('rebuild', keepOld),
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
