import type { Environment } from '../lib/config/environment'
import type { Endpoint } from '../lib/protocol/request'
import type { Scrubbed } from '../lib/scrub/scrub-record'
import type { StartTimer } from '../lib/time'
import { startThread, type ThreadHandle } from './runtime/thread-call'
import { StoppingError, UnscrubbedError } from './runtime/thread-errors'

/** 100 MiB take two seconds, so this timeout means a bug; other records must not wait longer. */
const TIMEOUT_MS = 60_000
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
  /** Before a record is stored; `null` when the original is stored. */
  readonly scrubStored: ScrubBody | null
  /** The collector stops: all remaining records together get a short time. */
  readonly beginStop: () => void
  readonly close: () => Promise<void>
}

/** `body` is `null` when nothing was removed, which saves a copy between threads. */
export interface ThreadAnswer {
  readonly body: Uint8Array | null
  readonly removed: Scrubbed['removed']
}

/** One record at a time, on a thread that the first record starts. A timeout ends the thread. */
export function createScrubber(
  { scrub: mode, scrubStore }: Pick<Environment, 'scrub' | 'scrubStore'>,
  later: StartTimer,
  start: typeof startThread = startThread,
): Scrubber {
  let thread: ThreadHandle | null = null
  let last: Promise<unknown> = Promise.resolve()
  let isOver = false
  let cancelStop = (): void => undefined

  async function scrubOnThread(endpoint: Endpoint, body: Uint8Array, contentType: string | null): Promise<Scrubbed> {
    if (isOver) throw new StoppingError()
    thread ??= start({
      entry: new URL('./scrub-thread.js', import.meta.url),
      data: null,
      // The pending call rejects by itself.
      onDeath: () => {
        thread = null
      },
    })
    const current = thread
    const cancel = later(() => current.kill('it takes too long to scrub'), TIMEOUT_MS)
    try {
      const answered = await current.call<ThreadAnswer>('scrub', endpoint, ownBuffer(body), mode, contentType)
      return { body: answered.body ?? body, removed: answered.removed }
    } catch (error) {
      if (isOver || error instanceof StoppingError) throw new StoppingError()
      throw new UnscrubbedError(error instanceof Error ? error.message : String(error))
    } finally {
      cancel()
    }
  }

  const scrub: ScrubBody = (endpoint, body, contentType = null) => {
    const turn = last.then(() => scrubOnThread(endpoint, body, contentType))
    last = turn.catch(() => undefined)
    return turn
  }
  return {
    scrub: mode === 'off' ? null : scrub,
    scrubStored: mode === 'on' && scrubStore ? scrub : null,
    beginStop: () => {
      cancelStop = later(() => {
        isOver = true
        thread?.kill('the collector is stopping')
      }, GRACE_MS)
    },
    close: async () => {
      await last
      cancelStop()
      isOver = true
      await thread?.stop()
      thread = null
    },
  }
}

/** Copies a view of a larger buffer, because posting it to a thread would send the whole buffer. */
const ownBuffer = (body: Uint8Array): Uint8Array =>
  body.byteLength === body.buffer.byteLength ? body : new Uint8Array(body)
