import type { Environment } from '../lib/config/environment'
import type { Endpoint } from '../lib/protocol/request'
import type { Scrubbed } from '../lib/scrub/scrub-record'
import { StoppingError } from './runtime/stopping'
import { startThread, type ThreadHandle } from './runtime/thread-call'
import { UnscrubbedError } from './runtime/unscrubbed'

/** 100 MiB take two seconds; what takes this long is a bug, and nobody else's turn waits for it. */
const TIMEOUT_MS = 60_000
/** As long as open posts have: what waits for its turn is on disk, or was not acknowledged. */
const GRACE_MS = 3000

/**
 * @returns the same array where nothing is taken out.
 * @throws UnscrubbedError where it cannot be told what is secret: it must not go on as it is. StoppingError where the
 * collector stops before it could be told.
 */
export type ScrubBody = (endpoint: Endpoint, body: Uint8Array) => Promise<Scrubbed>

export interface Scrubber {
  /** Before a record is relayed; `null` where nothing is looked for. */
  readonly scrub: ScrubBody | null
  /** Before it is stored; `null` where the record holds what was received. */
  readonly scrubStored: ScrubBody | null
  /** The collector stops: what is asked about now and from now on has a moment together. */
  readonly hurry: () => void
  readonly close: () => Promise<void>
}

/** What the thread answers: `null` for a body that stays as it is, which need not cross back. */
export interface Answered {
  readonly body: Uint8Array | null
  readonly removed: Scrubbed['removed']
}

/**
 * Scrubs in a thread of its own, started when the first record comes, one record at a time. A record that keeps it too
 * long ends with its thread, and the next one gets another.
 * @param later runs work later; returns how to take it back.
 * @param start starts the thread.
 */
export function createScrubber(
  { scrub: mode, scrubStore }: Pick<Environment, 'scrub' | 'scrubStore'>,
  later: (work: () => void, ms: number) => () => void,
  start: typeof startThread = startThread,
): Scrubber {
  let thread: ThreadHandle | null = null
  let last: Promise<unknown> = Promise.resolve()
  let isOver = false
  let takeBack = (): void => undefined

  async function ask(endpoint: Endpoint, body: Uint8Array): Promise<Scrubbed> {
    if (isOver) throw new StoppingError()
    thread ??= start({
      entry: new URL('./scrub-thread.js', import.meta.url),
      data: null,
      // Whoever waits for it is told by the call itself.
      onDeath: () => {
        thread = null
      },
    })
    const asked = thread
    const callOff = later(() => asked.kill('it takes too long to scrub'), TIMEOUT_MS)
    try {
      const answered = await asked.call<Answered>('scrub', endpoint, crossing(body), mode)
      return { body: answered.body ?? body, removed: answered.removed }
    } catch (error) {
      if (isOver || error instanceof StoppingError) throw new StoppingError()
      throw new UnscrubbedError(error instanceof Error ? error.message : String(error))
    } finally {
      callOff()
    }
  }

  const scrub: ScrubBody = (endpoint, body) => {
    const turn = last.then(() => ask(endpoint, body))
    last = turn.catch(() => undefined)
    return turn
  }
  return {
    scrub: mode === 'off' ? null : scrub,
    scrubStored: mode === 'on' && scrubStore ? scrub : null,
    hurry: () => {
      takeBack = later(() => {
        isOver = true
        thread?.kill('the collector is stopping')
      }, GRACE_MS)
    },
    close: async () => {
      await last
      takeBack()
      isOver = true
      await thread?.stop()
      thread = null
    },
  }
}

/** A part of a larger block of memory would cross with all of that. */
const crossing = (body: Uint8Array): Uint8Array =>
  body.byteLength === body.buffer.byteLength ? body : new Uint8Array(body)
