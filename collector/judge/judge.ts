import { type StartTimer, sleep } from '../../lib/time'
import type { Case } from '../../lib/verdict/rules/rule'
import type { Contract } from '../../lib/wire/contract'
import type { SpanExpectation } from '../../lib/wire/span-expectation'
import { startThread, type ThreadHandle } from '../runtime/thread-call'
import { StoppingError } from '../runtime/thread-errors'
import type { JudgeQuery } from './judge-contract'
import type { SpanQuery } from './judge-spans'

/** Judging 2000 submissions takes a second: a longer time is a bug. */
const TIMEOUT_MS = 60_000
/** The thread ends after this time without queries, to free its memory. */
const IDLE_MS = 30_000
const GRACE_MS = 2000
/** Pause before the same query is judged again: this many times its duration, at most `maxMs`. */
const PAUSE = { times: 3, maxMs: 10_000 } as const
/** Answers that are kept, for boards with different queries. */
const MAX_ANSWERS = 8

/** Evidence is read into memory as a whole. More than this ends only the thread. */
const MEMORY = { maxOldGenerationSizeMb: 1024, maxYoungGenerationSizeMb: 32 } as const

type CasePageLimits = NonNullable<Case['pageLimits']>

interface Judge {
  /** @throws NotJudgedError when there is too much to judge. */
  readonly contract: (query: JudgeQuery) => Promise<Contract>
  /** @throws NotJudgedError when there is too much to judge. */
  readonly spans: (query: SpanQuery) => Promise<SpanExpectation>
  readonly close: () => Promise<void>
}

interface JudgeParts {
  readonly folder: string
  /** Read from the record: live facts may arrive later than the answer to a sender. */
  readonly newest: () => Promise<number>
  /** Evictions and clearings since the start. */
  readonly hub: { readonly removals: number }
  readonly pageLimits: () => Promise<CasePageLimits>
  readonly collectorUrl: () => string
  readonly later: StartTimer
  readonly monotonic: () => number
  readonly start?: typeof startThread
}

/** There is too much on record to judge at once. Not a bug: the message says what to do. */
export class NotJudgedError extends Error {
  static readonly NAME = 'NotJudgedError'
  /** True when this query caused it. A query that only waited in the same thread may be tried again. */
  readonly isOwnFault: boolean
  constructor(why: string, isOwnFault: boolean) {
    super(`${why}: limit the query with after=N or stamp=S`)
    this.name = NotJudgedError.NAME
    this.isOwnFault = isOwnFault
  }
}

const TOO_LONG = `judging the record took longer than ${TIMEOUT_MS / 1000} s`
const TOO_LARGE = `judging the record takes more than ${MEMORY.maxOldGenerationSizeMb} MiB of memory`

function toJudgeError(error: unknown, isTooLong: boolean): unknown {
  if (!(error instanceof Error)) return error
  if (error.message === TOO_LONG) return new NotJudgedError(TOO_LONG, isTooLong)
  // Node's message for a worker that reached its limit.
  return /memory limit/.test(error.message) ? new NotJudgedError(TOO_LARGE, true) : error
}

interface KeptJudgement<Judged> {
  readonly state: string
  readonly judged: Promise<Judged>
  /** Resolves when the judgement has ended and the pause after it is over. */
  readonly pause: () => Promise<void>
}

/**
 * Judges the record in a thread that lives while there are queries. Each state of the record is judged once per query,
 * also when that failed because there is too much. While the record changes, there are pauses between judgements of a
 * query; a query during a pause gets the next judgement.
 */
export function createJudge(parts: JudgeParts): Judge {
  const { folder, later, monotonic, start = startThread } = parts
  const stop = new AbortController()
  const contracts = new Map<string, KeptJudgement<Contract>>()
  const expectations = new Map<string, KeptJudgement<SpanExpectation>>()
  let thread: ThreadHandle | null = null
  let cancelIdleStop = (): void => undefined

  const stopWhenIdle = (): void => {
    cancelIdleStop()
    cancelIdleStop = later(() => {
      const idle = thread
      thread = null
      void idle?.stop()
    }, IDLE_MS)
  }

  async function callThread<Judged>(method: 'judge' | 'spans', ...args: readonly unknown[]): Promise<Judged> {
    if (stop.signal.aborted) throw new StoppingError()
    cancelIdleStop()
    let isTooLong = false
    thread ??= start({
      entry: new URL('./judge-thread.js', import.meta.url),
      data: { folder },
      limits: MEMORY,
      // The call below rejects; the next query starts another thread.
      onDeath: () => {
        thread = null
      },
    })
    const current = thread
    const cancelTimeout = later(() => {
      isTooLong = true
      void current.kill(TOO_LONG)
    }, TIMEOUT_MS)
    try {
      return await current.call<Judged>(method, ...args)
    } catch (error) {
      throw toJudgeError(error, isTooLong)
    } finally {
      cancelTimeout()
      if (!stop.signal.aborted) stopWhenIdle()
    }
  }

  /** Keeps a judgement as the answer to its query, unless it fails for a reason that may pass. */
  function remember<Judged>(
    answers: Map<string, KeptJudgement<Judged>>,
    key: string,
    state: string,
    judged: Promise<Judged>,
  ): void {
    const startedAt = monotonic()
    let pausedUntil = startedAt
    const startPause = (): void => {
      pausedUntil = monotonic() + Math.min(PAUSE.times * (monotonic() - startedAt), PAUSE.maxMs)
    }
    const ended = judged.then(startPause, (error: unknown) => {
      startPause()
      if (error instanceof NotJudgedError && error.isOwnFault) return
      if (answers.get(key)?.judged === judged) answers.delete(key)
    })
    const pause = async (): Promise<void> => {
      await ended
      const leftMs = pausedUntil - monotonic()
      if (leftMs > 0) await sleep(leftMs, stop.signal, later)
    }
    answers.delete(key)
    answers.set(key, { state, judged, pause })
    const [oldest] = answers.keys()
    if (answers.size > MAX_ANSWERS && oldest !== undefined) answers.delete(oldest)
  }

  async function readState(): Promise<{ readonly state: string; readonly pageLimits: CasePageLimits }> {
    const [newest, { pages, unnamed }] = await Promise.all([parts.newest(), parts.pageLimits()])
    const pageLimits = { pages, unnamed }
    return { state: `${newest} ${parts.hub.removals} ${JSON.stringify(pageLimits)}`, pageLimits }
  }

  async function judgeOnce<Judged>(
    answers: Map<string, KeptJudgement<Judged>>,
    key: string,
    judge: (pageLimits: CasePageLimits) => Promise<Judged>,
  ): Promise<Judged> {
    let { state, pageLimits } = await readState()
    const last = answers.get(key)
    if (last?.state === state) return last.judged
    if (last !== undefined) {
      await last.pause()
      if (stop.signal.aborted) throw new StoppingError()
      ;({ state, pageLimits } = await readState())
      // Another query may have started the next judgement in the meantime.
      const next = answers.get(key)
      if (next !== undefined && (next !== last || next.state === state)) return next.judged
    }
    const judged = judge(pageLimits)
    remember(answers, key, state, judged)
    return judged
  }

  return {
    contract: ({ stamp, after }) =>
      judgeOnce(contracts, `${after} ${stamp ?? ''}`, (pageLimits) =>
        callThread('judge', { stamp, after }, pageLimits, parts.collectorUrl()),
      ),
    spans: ({ stamp, after = 0, traceId = null, pattern }) =>
      judgeOnce(expectations, JSON.stringify([stamp, after, traceId, pattern]), () =>
        callThread('spans', { stamp, after, traceId, pattern }),
      ),
    close: async () => {
      stop.abort()
      cancelIdleStop()
      const last = thread
      if (last === null) return
      const cancelKill = later(() => last.kill('the collector is stopping'), GRACE_MS)
      await last.stop()
      cancelKill()
    },
  }
}
