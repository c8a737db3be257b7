import type { StartTimer } from '../../lib/time'
import type { EventDetail } from '../../lib/wire/event'
import type { MappedFrames } from '../../lib/wire/mapped-frames'
import { startThread, type ThreadHandle } from '../runtime/thread-call'
import { StoppingError } from '../runtime/thread-errors'
import type { MappedStacks, SentStacks } from './map-frames'

/** A map of 64 MB takes five seconds. */
const TIMEOUT_MS = 20_000
/** The thread ends after this time without queries, to free its memory. */
const IDLE_MS = 30_000
const GRACE_MS = 2000

/** Maps are read into memory as a whole. More than this ends only the thread. */
const MEMORY = { maxOldGenerationSizeMb: 1024, maxYoungGenerationSizeMb: 32 } as const

interface FrameMapper {
  /** @throws NotMappedError when it takes too much time or memory. */
  readonly mapFrames: (event: EventDetail) => Promise<MappedFrames>
  readonly close: () => Promise<void>
}

interface MapperParts {
  /** The file of kept answers. */
  readonly file: string
  /** Absolute folders; nothing outside them is read. */
  readonly roots: readonly string[]
  readonly later: StartTimer
  readonly start?: typeof startThread
}

/** Mapping took too long, or too much memory. */
export class NotMappedError extends Error {
  static readonly NAME = 'NotMappedError'
  constructor(why: string) {
    super(`the frames are shown as they were sent: ${why}`)
    this.name = NotMappedError.NAME
  }
}

const TOO_LONG = `mapping them took longer than ${TIMEOUT_MS / 1000} s`
const TOO_LARGE = `mapping them takes more than ${MEMORY.maxOldGenerationSizeMb} MiB of memory`

/** Maps frames in a thread that lives while there are queries, one event at a time. */
export function createFrameMapper({ file, roots, later, start = startThread }: MapperParts): FrameMapper {
  let thread: ThreadHandle | null = null
  let isClosed = false
  let queue: Promise<unknown> = Promise.resolve()
  let cancelIdleStop = (): void => undefined

  async function callThread(stacks: SentStacks): Promise<MappedStacks> {
    if (isClosed) throw new StoppingError()
    cancelIdleStop()
    thread ??= start({
      entry: new URL('./maps-thread.js', import.meta.url),
      data: { file, roots },
      limits: MEMORY,
      // The call below rejects; the next query starts another thread.
      onDeath: () => {
        thread = null
      },
    })
    const current = thread
    const cancelTimeout = later(() => void current.kill(TOO_LONG), TIMEOUT_MS)
    try {
      return await current.call<MappedStacks>('mapFrames', stacks)
    } catch (error) {
      if (!(error instanceof Error)) throw error
      if (error.message === TOO_LONG) throw new NotMappedError(TOO_LONG)
      // Node's message for a worker that reached its limit.
      throw /memory limit/.test(error.message) ? new NotMappedError(TOO_LARGE) : error
    } finally {
      cancelTimeout()
      if (!isClosed)
        cancelIdleStop = later(() => {
          const idle = thread
          thread = null
          void idle?.stop()
        }, IDLE_MS)
    }
  }

  return {
    mapFrames: async (event) => {
      const turn = queue.then(() => callThread(stacksOf(event)))
      queue = turn.catch(() => undefined)
      const { exceptions, ...mapped } = await turn
      const messages = event.exceptions.map(({ value }) => value ?? '')
      // The messages of React are a chunk of 50 KB, which loads with the first minified error.
      const decode = messages.some((message) => message.includes('Minified React error #'))
        ? (await import('../../lib/unminify/react-error')).decodeReactError
        : () => null
      return {
        ...mapped,
        exceptions: exceptions.map(({ frames }, index) => ({
          decodedMessage: decode(messages[index] ?? ''),
          frames: [...frames],
        })),
      }
    },
    close: async () => {
      isClosed = true
      cancelIdleStop()
      const last = thread
      if (last === null) return
      const cancelKill = later(() => void last.kill('the collector is stopping'), GRACE_MS)
      await last.stop()
      cancelKill()
    },
  }
}

const stacksOf = ({ eventId, timestampUs, exceptions }: EventDetail): SentStacks => ({
  eventId,
  timestampMs: timestampUs / 1000,
  exceptions: exceptions.map(({ frames }) => ({
    frames: frames.map(({ filename, function: name, line, column, inApp, source }) => ({
      ...{ filename, function: name, line, column, inApp },
      contextLine: source.find(({ ran }) => ran)?.text ?? null,
    })),
  })),
})
