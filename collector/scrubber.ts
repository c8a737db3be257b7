import type { Environment } from '../lib/config/environment'
import type { Endpoint } from '../lib/protocol/request'
import type { Scrubbed } from '../lib/scrub/scrub-record'
import type { StartTimer } from '../lib/time'
import { startThread, type ThreadHandle, transfer } from './runtime/thread-call'
import { StoppingError, UnscrubbedError } from './runtime/thread-errors'

/** Most texts are read once. V8's default of 48 MB saves no time here. */
const SMALL_YOUNG = { maxYoungGenerationSizeMb: 8 }

/** Smaller bodies have a thread of their own. The slowest of them takes 0.7 s of CPU time. */
export const SMALL_BYTES = 1024 * 1024
const BUDGET_MS = 5000
const BUDGET_MS_PER_MIB = 200

/**
 * The time for one record, by its size. Ordinary texts take up to 0.16 s of CPU time per MiB; other large records must not
 * wait longer for text that was made to be slow. @returns milliseconds: 5 s for a small body, 25 s for 100 MiB
 */
export const scrubBudgetMs = (bytes: number): number => BUDGET_MS + Math.ceil((bytes / SMALL_BYTES) * BUDGET_MS_PER_MIB)

/** The same time as open posts get. Records that wait are on disk, or were not acknowledged. */
const GRACE_MS = 3000

/**
 * @returns the same array when nothing is removed @throws StoppingError when the collector stops first
 * @throws UnscrubbedError when scrubbing failed: the original must not go on
 */
type ScrubBody = (endpoint: Endpoint, body: Uint8Array, contentType?: string | null) => Promise<Scrubbed>

interface Scrubber {
  /** Before a record is relayed; `null` when scrubbing is off. */
  readonly scrub: ScrubBody | null
  /** Before a record is stored; `null` when the original is stored. Its body is empty afterwards if it had a buffer of its own. */
  readonly scrubStored: ScrubBody | null
  /** The collector stops: all remaining records together get a short time. */
  readonly beginStop: () => void
  readonly close: () => Promise<void>
}

/** `body` is `null` when nothing was removed and the caller still has it. */
export interface ThreadAnswer {
  readonly body: Uint8Array | null
  readonly removed: Scrubbed['removed']
}

interface Job {
  readonly endpoint: Endpoint
  readonly body: Uint8Array
  readonly contentType: string | null
  /** The memory of the body moves to the thread and back, instead of being copied. */
  readonly moves: boolean
  readonly resolve: (scrubbed: Scrubbed) => void
  readonly reject: (error: Error) => void
}

/** One record at a time. The first record starts the thread. */
interface Lane {
  readonly takesLarge: boolean
  thread: ThreadHandle | null
  isBusy: boolean
}

const isLarge = ({ body }: Job): boolean => body.byteLength > SMALL_BYTES

/**
 * Two threads, so that a record that takes long delays only other large ones: one takes small bodies only, the other takes large
 * bodies first. Each takes the smallest that waits. A record that exceeds its time ends its thread, and the next one starts another.
 */
export function createScrubber(
  { scrub: mode, scrubStore }: Pick<Environment, 'scrub' | 'scrubStore'>,
  later: StartTimer,
  start: typeof startThread = startThread,
): Scrubber {
  const lanes: readonly Lane[] = [false, true].map((takesLarge) => ({ takesLarge, thread: null, isBusy: false }))
  const waiting = new Set<Job>()
  const open = new Set<Promise<unknown>>()
  let isOver = false
  let cancelStop = (): void => undefined

  async function scrubIn(lane: Lane, { endpoint, body, contentType, moves }: Job): Promise<Scrubbed> {
    lane.thread ??= start({
      entry: new URL('./scrub-thread.js', import.meta.url),
      data: null,
      limits: SMALL_YOUNG,
      // The pending call rejects by itself.
      onDeath: () => {
        lane.thread = null
      },
    })
    const current = lane.thread
    const { byteLength } = body
    const budgetMs = scrubBudgetMs(byteLength)
    let ended: Promise<void> | null = null
    const cancel = later(() => {
      ended = current.kill(overBudget(byteLength, budgetMs))
    }, budgetMs)
    try {
      const own = moves && hasOwnBuffer(body) ? body : new Uint8Array(body)
      const moved = transfer(own, [own.buffer])
      const answered = await current.call<ThreadAnswer>('scrub', endpoint, moved, mode, contentType, own === body)
      return { body: answered.body ?? body, removed: answered.removed }
    } catch (error) {
      // Otherwise the next body would be received before the memory of this one is free.
      await ended
      if (isOver || error instanceof StoppingError) throw new StoppingError()
      throw new UnscrubbedError(error instanceof Error ? error.message : String(error))
    } finally {
      cancel()
    }
  }

  function work(): void {
    for (const lane of lanes) {
      const job = lane.isBusy ? null : nextFor(lane, waiting)
      if (job === null) continue
      waiting.delete(job)
      lane.isBusy = true
      const done = (): void => {
        lane.isBusy = false
        work()
      }
      void scrubIn(lane, job).then(job.resolve, job.reject).then(done)
    }
  }

  const enqueue = (
    moves: boolean,
    ...[endpoint, body, contentType = null]: Parameters<ScrubBody>
  ): Promise<Scrubbed> => {
    if (isOver) return Promise.reject(new StoppingError())
    const scrubbed = new Promise<Scrubbed>((resolve, reject) => {
      waiting.add({ endpoint, body, contentType, moves, resolve, reject })
    })
    const settled = scrubbed.then(
      () => undefined,
      () => undefined,
    )
    open.add(settled)
    void settled.then(() => open.delete(settled))
    work()
    return scrubbed
  }
  return {
    scrub: mode === 'off' ? null : (...given) => enqueue(false, ...given),
    scrubStored: mode === 'on' && scrubStore ? (...given) => enqueue(true, ...given) : null,
    beginStop: () => {
      cancelStop = later(() => {
        isOver = true
        for (const { reject } of waiting) reject(new StoppingError())
        waiting.clear()
        for (const { thread } of lanes) void thread?.kill('the collector is stopping')
      }, GRACE_MS)
    },
    close: async () => {
      await Promise.all(open)
      cancelStop()
      isOver = true
      await Promise.all(lanes.map(({ thread }) => thread?.stop()))
      for (const lane of lanes) lane.thread = null
    },
  }
}

function nextFor({ takesLarge }: Lane, waiting: ReadonlySet<Job>): Job | null {
  const [large, small] = [smallest(waiting, isLarge), smallest(waiting, (job) => !isLarge(job))]
  return takesLarge ? (large ?? small) : small
}

function smallest(waiting: ReadonlySet<Job>, fits: (job: Job) => boolean): Job | null {
  let found: Job | null = null
  for (const job of waiting)
    if (fits(job) && (found === null || job.body.byteLength < found.body.byteLength)) found = job
  return found
}

const overBudget = (bytes: number, budgetMs: number): string =>
  `it takes longer than ${(budgetMs / 1000).toFixed(1)} s, the limit for ${(bytes / SMALL_BYTES).toFixed(1)} MiB`

/** A view of a larger buffer is copied, since other bodies may share that. */
const hasOwnBuffer = (body: Uint8Array): body is Uint8Array<ArrayBuffer> =>
  body.buffer instanceof ArrayBuffer && body.byteLength === body.buffer.byteLength
