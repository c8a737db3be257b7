import type { ReadLimits } from '../../lib/protocol/items/signal'
import type { FileUse, Rebuild, Redigest } from '../../lib/wire/storage'
import { DatabaseDamagedError, SpoolDamagedError } from '../runtime/sqlite-errors'
import { type PlainError, startThread, type ThreadCalls, toPlainError, withCalls } from '../runtime/thread-call'
import type { DigestState } from './digest'
import type { Batch } from './digest-batch'
import type { DigestMethods, DigestNews } from './digest-thread'
import { IndexDamagedError } from './index-damage'
import type { QueryMethods } from './query-methods'

/**
 * The index, as all other folders see it: rows that can be rebuilt from the record. Sequence numbers are those of
 * submissions, sizes are bytes. Queries are documented at their functions in `lists/` and `traces/`; a damaged index
 * rejects with IndexDamagedError and is rebuilt.
 */
export interface TelemetryIndex extends ThreadCalls<QueryMethods> {
  // Digest.
  /** New submissions may be on record. */
  readonly wake: () => void
  /** Every submission up to this one is digested or evicted. Goes back when a damaged index is rebuilt. */
  readonly cursor: () => number
  /** Why the index cannot be written or is damaged; `null` when all is well. The digest retries on its own. */
  readonly stuck: () => PlainError | null
  readonly usage: () => FileUse

  // Erase and rebuild.
  /** Resolves when the rows are erased. Submissions that are not digested yet never will be. */
  readonly erase: (seqs: readonly number[]) => Promise<void>
  /** Resolves when the rebuild has started. @param keepOld as in `Digest.rebuild`. */
  readonly rebuild: (keepOld: boolean) => Promise<void>
  /** Records were added before others that have rows. Resolves when they have rows, or are erased. */
  readonly digestOlder: (seqs: readonly number[]) => Promise<void>
  /** Deletes all rows, and digests the record again. @param replace makes it another one; queries wait meanwhile */
  readonly replaceRecord: (replace: () => Promise<void>) => Promise<void>
  readonly progress: () => Rebuild | null
  readonly lastRebuilt: () => Redigest['last']

  /** Ends the threads after the calls made so far. */
  readonly close: () => Promise<void>
}

const EMPTY: DigestState = {
  cursor: 0,
  done: 0,
  begunAt: 0,
  usage: { used: 0, file: 0, wal: 0 },
  progress: null,
  damage: null,
  older: 0,
}

interface IndexOptions {
  readonly folder: string
  /** The record is open. The digest loads its code meanwhile. */
  readonly after: Promise<unknown>
  /** Both threads read the same part of a payload. */
  readonly sizeLimits: ReadLimits
  /** One cell: 1 while intake is busy and the digest has to yield. */
  readonly intake: Int32Array
  readonly onBatch: (batch: Batch & { readonly upTo: number }) => void
  /** A query met a damaged page of the record. */
  readonly onSpoolDamaged: () => void
  /** Runs a read of a request in its turn. */
  readonly takeTurn: <Value>(read: () => Promise<Value>) => Promise<Value>
  readonly log: (message: string) => void
  /** Ms since the epoch. */
  readonly now: () => number
  readonly onDeath: (error: Error) => void
}

/** Starts the threads of the index; resolves when telemetry.db is open. The digest continues at its cursor. */
export async function openIndex(options: IndexOptions): Promise<TelemetryIndex> {
  const { folder, sizeLimits, log } = options
  let closed = false
  // A stopping thread rejects calls. A call that fails earlier means that the thread died.
  const dieUnlessClosed = (error: Error): void => {
    if (!closed) options.onDeath(error)
  }
  const state = followDigest(options.now)
  const asleep = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT)).fill(1)
  const digesting = startThread({
    entry: new URL('./digest-thread.js', import.meta.url),
    data: { folder, sizeLimits, intake: options.intake, asleep },
    after: options.after,
    onNews: (message) => {
      const news = message as DigestNews
      if (news.log !== undefined) log(news.log)
      state.update(news)
      const upTo = news.batch?.upTo ?? null
      if (news.batch !== undefined && upTo !== null) options.onBatch({ ...news.batch, upTo })
      if (news.switchable && !closed) reader.pausedWhile(switchOver).catch(dieUnlessClosed)
    },
    onDeath: options.onDeath,
  })
  const digest: ThreadCalls<DigestMethods> = withCalls({}, (method, args) => digesting.call(method, ...args))
  await digest.ready()
  // Started late: it competes with the threads that the start waits for, and is needed by the first query only.
  const reader = startReader({
    ...options,
    onIndexDamaged: (why) => void digest.damaged(why).catch(dieUnlessClosed),
  })
  let loggedReason: string | null = null
  const switchOver = async (): Promise<void> => {
    const why = await digest.switchOver()
    // The switch is retried each second; each reason is logged once.
    if (why !== null && why !== loggedReason)
      log(`the rebuilt index cannot replace the old one: ${why}. Waystation retries each second`)
    loggedReason = why
  }
  const wake = (): void => {
    if (Atomics.load(asleep, 0) === 1) digest.wake().catch(dieUnlessClosed)
  }
  wake()
  return withCalls<QueryMethods, Omit<TelemetryIndex, keyof QueryMethods>>(
    {
      wake,
      cursor: () => state.current().cursor,
      stuck: state.stuck,
      usage: () => state.current().usage,
      erase: digest.erase,
      rebuild: digest.rebuild,
      digestOlder: async (seqs) => {
        await digest.addOlder(seqs)
        await state.olderDigested()
      },
      replaceRecord: (replace) =>
        reader.pausedWhile(async () => {
          await digest.clear()
          await replace()
          await digest.restart()
        }),
      progress: () => state.current().progress,
      lastRebuilt: state.lastRebuilt,
      close: async () => {
        // The index is not replaced any more.
        closed = true
        await reader.stop()
        await digesting.stop()
      },
    },
    // Reading a trace goes on, and ends, without a turn: their number is limited.
    (method, args) =>
      method === 'nextOfTrace' || method === 'closeTrace'
        ? reader.query(method, args)
        : options.takeTurn(() => reader.query(method, args)),
  )
}

/** The last state that the digest reported. */
function followDigest(now: () => number) {
  let state = EMPTY
  let stuck: PlainError | null = null
  let last: Redigest['last'] = null
  let afterOlder: (() => void)[] = []
  return {
    current: () => state,
    olderDigested: (): Promise<void> =>
      state.older === 0 ? Promise.resolve() : new Promise((resolve) => afterOlder.push(resolve)),
    lastRebuilt: () => last,
    stuck: () =>
      stuck ??
      (state.damage === null
        ? null
        : toPlainError(new DatabaseDamagedError(`telemetry.db is damaged (${state.damage})`))),
    update: (news: DigestNews): void => {
      if (news.stuck !== undefined) stuck = news.stuck
      const next = news.state
      if (next === undefined) return
      // A served index that is older than the rebuild is not its result: the rebuild was given up.
      if (state.progress !== null && next.progress === null && next.begunAt >= state.progress.startedAt)
        last = { done: next.done, startedAt: state.progress.startedAt, endedAt: now() }
      state = next
      if (state.older > 0) return
      for (const resolve of afterOlder) resolve()
      afterOlder = []
    },
  }
}

/** The thread that answers queries. It closes the file while that is replaced; queries wait meanwhile. */
function startReader(options: {
  readonly folder: string
  readonly sizeLimits: ReadLimits
  /** Called when a query found damage in the index. */
  readonly onIndexDamaged: (why: string) => void
  readonly onSpoolDamaged: () => void
  readonly onDeath: (error: Error) => void
}) {
  const thread = startThread({
    entry: new URL('./reader-thread.js', import.meta.url),
    data: { folder: options.folder, sizeLimits: options.sizeLimits },
    onDeath: options.onDeath,
  })
  let paused: Promise<void> | null = null
  return {
    query: async (method: string, args: readonly unknown[]): Promise<unknown> => {
      // Checked right before the call: a second pause may have started while this query waited for the first.
      while (paused !== null) await paused
      try {
        return await thread.call(method, ...args)
      } catch (error) {
        if (error instanceof Error && error.name === IndexDamagedError.NAME) options.onIndexDamaged(error.message)
        if (error instanceof Error && error.name === SpoolDamagedError.NAME) options.onSpoolDamaged()
        throw error
      }
    },
    /** Runs `replace` while the file is not open here. */
    pausedWhile: async (replace: () => Promise<void>): Promise<void> => {
      while (paused !== null) await paused
      let release: () => void = () => undefined
      paused = new Promise((resolve) => {
        release = resolve
      })
      await thread.call('pause')
      await replace()
      await thread.call('resume')
      paused = null
      release()
    },
    stop: thread.stop,
  }
}

export { IndexDamagedError } from './index-damage'
