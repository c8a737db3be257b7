import type { Case } from '../../lib/verdict/rules/rule'
import type { Contract } from '../../lib/wire/contract'
import type { LiveHub } from '../http/hub'
import { startThread, type ThreadHandle } from '../runtime/thread-call'
import { StoppingError } from '../runtime/thread-errors'
import type { JudgeQuery } from './judge-contract'

/** Two thousand submissions take a second; what takes this long is a bug. */
const TIMEOUT_MS = 60_000
/** What nobody asks for any more need not stay in memory. */
const IDLE_MS = 30_000
/** What is being judged when the collector stops has so long. */
const GRACE_MS = 2000
/** A question is judged anew when the thread has rested from it for so many times as long as it took, or so long. */
const REST = { times: 3, mostMs: 10_000 } as const
/** Boards that look at the same are answered alike; somebody else's stamp does not end that. */
const MAX_REMEMBERED = 8

/** So much memory may what is judged take: it is read whole, and what is beyond ends the thread alone. */
const MEMORY = { maxOldGenerationSizeMb: 1024, maxYoungGenerationSizeMb: 32 } as const

export interface Judge {
  /** Rejects where it could not be judged. */
  readonly contract: (asked: JudgeQuery) => Promise<Contract>
  readonly close: () => Promise<void>
}

interface JudgeParts {
  readonly folder: string
  /** Asked of the record itself: whoever was answered that it is stored asks at once, and the fact may be on its way still. */
  readonly newest: () => Promise<number>
  readonly hub: Pick<LiveHub, 'removedAt'>
  readonly limits: () => Promise<NonNullable<Case['limits']>>
  readonly collectorUrl: () => string
  /** Runs work later; returns how to take it back. */
  readonly later: (work: () => void, ms: number) => () => void
  /** ms, of a clock that nobody sets. */
  readonly monotonic: () => number
  readonly start?: typeof startThread
}

/** What is recorded is too much to be judged at once: no bug, and the sentence says what to do. */
export class NotJudgedError extends Error {
  static readonly NAME = 'NotJudgedError'
  /** Of the question itself, which would end alike again; another one that waited in the same thread may be answered. */
  readonly isOwnFault: boolean
  constructor(why: string, isItsOwn: boolean) {
    super(`${why}: ask for less of it, by after=N or stamp=S`)
    this.name = NotJudgedError.NAME
    this.isOwnFault = isItsOwn
  }
}

const TOO_LONG = `what is recorded could not be judged within ${TIMEOUT_MS / 1000} s`
const TOO_LARGE = `what is recorded takes more than ${MEMORY.maxOldGenerationSizeMb} MiB of memory to judge`

function notJudged(error: unknown, isTooLong: boolean): unknown {
  if (!(error instanceof Error)) return error
  if (error.message === TOO_LONG) return new NotJudgedError(TOO_LONG, isTooLong)
  // As Node says that a thread had reached its limit.
  return /memory limit/.test(error.message) ? new NotJudgedError(TOO_LARGE, true) : error
}

interface Answered {
  readonly key: string
  readonly contract: Promise<Contract>
  /** Ends when it was judged, and the rest from that is over. */
  readonly rest: () => Promise<void>
}

/**
 * Judges in a thread of its own that is there while somebody asks, and once for as long as nothing new is recorded: what
 * took too long or too much memory once is not begun again, either. While more is recorded all the time, the same is
 * judged with rests between, however many ask: who asks meanwhile is answered by the next judging, which knows all that was
 * recorded before it was asked.
 */
export function createJudge(parts: JudgeParts): Judge {
  const { folder, later, monotonic, start = startThread } = parts
  let thread: ThreadHandle | null = null
  let isOver = false
  let takeBack = (): void => undefined
  const answers = new Map<string, Answered>()
  const wakes = new Set<() => void>()

  const letGoLater = (): void => {
    takeBack()
    takeBack = later(() => {
      const idle = thread
      thread = null
      void idle?.stop()
    }, IDLE_MS)
  }

  async function ask(asked: JudgeQuery, limits: NonNullable<Case['limits']>): Promise<Contract> {
    if (isOver) throw new StoppingError()
    takeBack()
    let isTooLong = false
    thread ??= start({
      entry: new URL('./judge-thread.js', import.meta.url),
      data: { folder },
      limits: MEMORY,
      // Whoever waits for it is told by the call itself, and the next one gets another.
      onDeath: () => {
        thread = null
      },
    })
    const mine = thread
    const callOff = later(() => {
      isTooLong = true
      mine.kill(TOO_LONG)
    }, TIMEOUT_MS)
    try {
      return await mine.call<Contract>('judge', asked, limits, parts.collectorUrl())
    } catch (error) {
      throw notJudged(error, isTooLong)
    } finally {
      callOff()
      if (!isOver) letGoLater()
    }
  }

  const sleep = (ms: number): Promise<void> =>
    new Promise((resolve) => {
      const wake = (): void => {
        wakes.delete(wake)
        callOff()
        resolve()
      }
      const callOff = later(wake, ms)
      wakes.add(wake)
    })

  function begin(of: string, key: string, contract: Promise<Contract>): void {
    const beganAt = monotonic()
    let restsUntil = beganAt
    const end = (): void => {
      restsUntil = monotonic() + Math.min(REST.times * (monotonic() - beganAt), REST.mostMs)
    }
    const ended = contract.then(end, (error: unknown) => {
      end()
      if (error instanceof NotJudgedError && error.isOwnFault) return
      if (answers.get(of)?.contract === contract) answers.delete(of)
    })
    const rest = async (): Promise<void> => {
      await ended
      const left = restsUntil - monotonic()
      if (left > 0) await sleep(left)
    }
    answers.delete(of)
    answers.set(of, { key, contract, rest })
    const [eldest] = answers.keys()
    if (answers.size > MAX_REMEMBERED && eldest !== undefined) answers.delete(eldest)
  }

  async function onRecord(): Promise<{ readonly key: string; readonly limits: NonNullable<Case['limits']> }> {
    const [newest, { pages, unnamed }] = await Promise.all([parts.newest(), parts.limits()])
    const limits = { pages, unnamed }
    return { key: `${newest} ${parts.hub.removedAt} ${JSON.stringify(limits)}`, limits }
  }

  return {
    contract: async ({ stamp, after }) => {
      const of = `${after} ${stamp ?? ''}`
      let { key, limits } = await onRecord()
      const last = answers.get(of)
      if (last?.key === key) return last.contract
      if (last !== undefined) {
        await last.rest()
        if (isOver) throw new StoppingError()
        ;({ key, limits } = await onRecord())
        const next = answers.get(of)
        if (next !== undefined && (next !== last || next.key === key)) return next.contract
      }
      const contract = ask({ stamp, after }, limits)
      begin(of, key, contract)
      return contract
    },
    close: async () => {
      isOver = true
      takeBack()
      for (const wake of wakes) wake()
      const last = thread
      if (last === null) return
      const callOff = later(() => last.kill('the collector is stopping'), GRACE_MS)
      await last.stop()
      callOff()
    },
  }
}
